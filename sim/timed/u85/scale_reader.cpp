#include "sim/timed/u85/scale_reader.hpp"

#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {
namespace {

constexpr Beats kScalePart{4};  // a burst of 64 bytes
constexpr std::uint64_t kBlocksAhead = 1;
constexpr Beats kBrickWords{12};  // the scales of 16 channels, which the output unit needs together

/// Words of scales that can be requested and not yet used: at least a brick, and what the weights of an operation wait
/// for.
Beats storage(const Params& params) {
  const int words = std::max(CoreConfig::count(params.scale_storage), CoreConfig::count(params.read_buffer_scales));
  return std::max(Beats(static_cast<std::uint64_t>(words)), kBrickWords);
}

/// The part of a block's scales that completes the first `bytes`, or all; null: it has not been requested.
const Job::ScalePart* part_with(const Job& job, std::uint64_t bytes) {
  bytes = std::min(bytes, job.block.scales.bytes());
  const auto part = std::ranges::find_if(job.scales, [&](const Job::ScalePart& p) { return p.bytes >= bytes; });
  return part == job.scales.end() ? nullptr : &*part;
}

}  // namespace

ScaleReader::ScaleReader(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name),
      axi("axi", 2),
      access("access"),
      config_(config),
      buffer_(Master::kScale, config.params.read_buffer_scales),
      storage_(storage(config.params)) {
  access.bind(*this);
  SC_THREAD(run);
}

void ScaleReader::wait_for(Job& job, std::uint64_t bytes) {
  const Job::ScalePart* part = nullptr;
  while (!(part = part_with(job, bytes))) asked_.wait();
  wait_until(part->arrived);
}

bool ScaleReader::has(const Job& job, std::uint64_t bytes, Ticks t) const {
  const Job::ScalePart* part = part_with(job, bytes);
  return part && part->arrived <= t;
}

void ScaleReader::release(Job& job, std::uint64_t bytes, Ticks t) {
  const auto beat = static_cast<std::uint64_t>(config_.accelerator.beat_bytes);
  const bool all = bytes >= job.block.scales.bytes();
  const Beats used = all ? config_.beats(job.block.scales) : Beats(bytes / beat);
  if (used <= job.scales_used) return;
  released_.push_back({used - job.scales_used, t});
  job.scales_used = used;
  freed_.notify_at(t);
}

void ScaleReader::finish(Job& job) {
  release(job, job.block.scales.bytes(), now());
  ++finished_;
  freed_.notify();
}

void ScaleReader::wait_for_room() {
  for (;;) {
    while (!released_.empty() && released_.front().time <= now()) {
      used_ += released_.front().words;
      released_.pop_front();
    }
    if (requested_ < used_ + storage_) return;
    if (released_.empty()) freed_.wait();
    else wait_until(released_.front().time);
  }
}

void ScaleReader::fetch(Job& job) {
  const auto beat = static_cast<std::uint64_t>(config_.accelerator.beat_bytes);
  const TransferList& transfers = job.block.scales;
  AxiMasterInterface& port = *axi[static_cast<std::size_t>(config_.side(transfers[0]))].operator->();
  const Beats beats = config_.beats(transfers);
  BurstCursor cursor;
  start_cursor(cursor, config_, {transfers.begin(), transfers.size()});
  Ticks arrived = now();
  while (cursor.beats() < beats) {
    wait_for_room();
    const Beats before = cursor.beats();
    arrived = std::max(arrived, buffer_.fetch(port, cursor, std::min(kScalePart, beats - before)));
    requested_ += cursor.beats() - before;
    const bool all = cursor.beats() >= beats;
    job.scales.push_back(
        {all ? transfers.bytes() : std::min(cursor.beats().count() * beat, transfers.bytes()), arrived});
    asked_.notify();
  }
}

void ScaleReader::run() {
  for (;;) {
    const JobRef job = blocks->read();
    while (fetched_ > finished_ + kBlocksAhead) freed_.wait();
    ++fetched_;
    activity_.begin(job->run->command);
    fetch(*job);
    activity_.end();
  }
}

}  // namespace macaw::npu::timed::u85
