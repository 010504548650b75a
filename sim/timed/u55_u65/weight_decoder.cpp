#include "sim/timed/u55_u65/weight_decoder.hpp"

#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed::u55_u65 {
namespace {

constexpr std::uint64_t kGroup = 2;  // weight blocks

}  // namespace

void WeightDecoder::prepare(const IfmStep& step) {
  if (!step.ifm.first) return;
  const Job& job = *step.job;
  const bool first_of_operation = scales_of_ != job.run->number;
  scales_of_ = job.run->number;
  for (const Transfer& transfer : job.block.scales) {
    scale_request_.wait_issued();
    start_cursor(scale_cursor_, config(), {&transfer, 1});
    scale_request_.master = Master::kScale;
    scale_request_.cursor = &scale_cursor_;
    scale_request_.beats = config().beats(transfer);
    scale_request_.last = true;
    axi[static_cast<std::size_t>(config().side(transfer))]->post(scale_request_);
    // The cursor refers to the block's transfer: it must not outlive it.
    scale_request_.wait_issued();
  }
  if (first_of_operation) {
    ram->wait_laid_out(*job.run);
    scale_request_.wait_done();
  }
}

Beats WeightDecoder::capacity(const BlockOperation&) const {
  return Beats(static_cast<std::uint64_t>(CoreConfig::count(config().params.weight_beats_in_flight))) *
         static_cast<std::uint64_t>(config().accelerator.cores);
}

void WeightDecoder::decode_groups(IfmStep& step) {
  const std::uint64_t blocks = step.ifm.mac.weight_blocks;
  for (std::uint64_t done = 0; done < blocks;) {
    const std::uint64_t group = std::min(kGroup, blocks - done);
    done += group;
    decode_group(step, {.blocks = group, .cost = group, .until = done, .all = blocks});
  }
}

}  // namespace macaw::npu::timed::u55_u65
