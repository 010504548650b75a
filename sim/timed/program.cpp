#include "sim/timed/program.hpp"

#include "sim/config/cost.hpp"
#include "sim/timed/generation.hpp"

#include <utility>

namespace macaw::npu::timed {
KernelRef make_kernel(const CoreConfig& config, const BlockOperation& op, std::size_t command,
                      std::span<const WeightStreamSize> weights) {
  auto run = std::make_shared<KernelRun>();
  run->command = command;
  run->op = op;
  run->weight_streams.assign(weights.begin(), weights.end());
  const bool separate_pixels = config.separate_pixels.at(static_cast<std::size_t>(config.mode.side(op.ofm.region)));
  run->walk = std::move(BlockWalk::create(op, config.accelerator, separate_pixels).value());
  run->blocks = run->walk->block_count();
  config.generation.set_costs(*run, config);
  run->output_per_element = output_cycles_per_element(op, config.params);
  run->output_start = config.params.ao_block_start;
  run->out_lanes = static_cast<std::uint64_t>(CoreConfig::count(config.params.ao_lanes));
  run->mac_pass = ticks(config.params.mac_pass);
  return run;
}

DmaRef make_dma(const DmaOperation& op, std::size_t command) {
  auto run = std::make_shared<DmaRun>();
  run->command = command;
  run->traffic = dma_traffic(op);
  return run;
}

Replay::Replay(const ParsedStream& stream, StreamTrace trace, const CoreConfig& config, Sink made)
    : reader_(stream), trace_(std::move(trace)), config_(config), made_(std::move(made)) {}

const Instruction* Replay::next() {
  if (read_ == trace_.operations) {
    instruction_ = {0, trace_.ended, Stop{}};
    return &instruction_;
  }
  // It was read without an error during execution.
  const npu::StreamOperation& step = *reader_.next().value();
  ++read_;
  make(step);
  if (made_) made_(instruction_);
  if (std::holds_alternative<Branch>(step.action)) pass(step);
  return &instruction_;
}

void Replay::make(const npu::StreamOperation& step) {
  instruction_ = {step.index, before_ + step.end / 4 - trace_.segments[segment_].begin, Pass{}};
  if (const auto* op = std::get_if<BlockOperation>(&step.action)) {
    const auto weights = trace_.decode_work.find(step.index);
    const bool known = weights != trace_.decode_work.end();
    const KernelRef run =
        make_kernel(config_, *op, step.index,
                    known ? std::span(std::as_const(weights->second)) : std::span<const WeightStreamSize>());
    run->byte_offset = step.offset;
    instruction_.action = run;
  } else if (const auto* dma = std::get_if<DmaOperation>(&step.action)) {
    const DmaRef run = make_dma(*dma, step.index);
    run->byte_offset = step.offset;
    instruction_.action = run;
  } else if (const auto* wait = std::get_if<Wait>(&step.action)) {
    if (wait->queue == Wait::Queue::kKernel) instruction_.action = KernelWait{wait->outstanding};
    else instruction_.action = DmaWait{wait->outstanding};
  } else if (const auto* irq = std::get_if<Irq>(&step.action)) {
    instruction_.action = Interrupt{irq->mask};
  } else if (const auto* mask = std::get_if<PmuMask>(&step.action)) {
    instruction_.action = MaskCounters{mask->enable};
  } else if (std::holds_alternative<npu::StreamStop>(step.action)) {
    instruction_.action = Stop{};
  }
}

void Replay::pass(const npu::StreamOperation& branch) {
  if (branch_ == trace_.jumps.size() || !trace_.jumps[branch_++]) return;
  // It succeeded during execution.
  static_cast<void>(reader_.branch(std::get<Branch>(branch.action).target));
  const Program::Segment& segment = trace_.segments[segment_++];
  before_ += segment.end - segment.begin;
}

Program program_of(const ParsedStream& stream, StreamTrace trace, const CoreConfig& config, Replay::Sink made) {
  Program program{nullptr, trace.words, trace.segments};
  program.instructions = std::make_shared<Replay>(stream, std::move(trace), config, std::move(made));
  return program;
}

}  // namespace macaw::npu::timed
