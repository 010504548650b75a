#include "sim/functional/findings/inspector.hpp"

#include <macaw/npu/debug_database.hpp>
#include "sim/datapath/bits.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/functional/findings/block_dependency.hpp"
#include "sim/functional/findings/registers.hpp"
#include "sim/functional/machine.hpp"
#include "sim/isa/disasm.hpp"
#include "sim/isa/geometry.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::uint64_t kStreamUnit = 16;  // alignment of scale streams and regions

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// Vela pads scales to the deepest micro-block that an operation could choose, regardless of its choice; 1 if there is
/// no choice.
std::uint64_t deepest_ublock(const Accelerator& accelerator) {
  int depth = 1;
  for (const auto& ublock : accelerator.ofm_ublocks) depth = std::max(depth, ublock.c);
  return static_cast<std::uint64_t>(depth);
}

/// A job whose source is its destination moves nothing: Vela leaves one where a copy was placed at its source (regor,
/// BATCH_MATMUL on U55).
bool copies_onto_itself(const DmaOperation& op, const std::vector<Access>& job) {
  if (op.src_indexed || op.dst_indexed || job.size() != 2) return false;
  return job[0].memory == job[1].memory && job[0].bounds.first == job[1].bounds.first && job[0].contiguous() &&
         job[1].contiguous();
}

MemoryRange place_of(const Stream& stream, const RegionBinding& region) {
  return {region.memory, region.offset + stream.base, stream.length};
}

}  // namespace

Inspector::Inspector(const Artifact& artifact, const Accelerator& accelerator, FindingSink sink)
    : artifact_(&artifact),
      accelerator_(&accelerator),
      sink_(std::move(sink)),
      internal_bytes_(internal_memory_bytes(accelerator)) {
  for (const auto& memory : artifact.memories) {
    written_.emplace_back(memory.size);
    written_.back().add({0, memory.read_only || memory.cleared ? memory.size : memory.initial.size()});
  }
  for (const auto* tensors : {&artifact.inputs, &artifact.variables})
    for (const auto& tensor : *tensors) mark_written(tensor);
}

void Inspector::start(const CommandStream& stream, std::size_t step) {
  stream_ = &stream;
  step_ = step;
  kernels_.clear();
  dmas_.clear();
  previous_.reset();
  reported_.clear();
  internal_written_ = ByteSet(internal_bytes_);
  copied(stream.copies);
  for (const auto& [first, second, bytes] : stream.overlaps)
    report({}, FindingKind::kOperandOverlap, fmt::format("'{}' and '{}' lie on each other", first, second),
           {bytes.memory, bytes.offset, bytes.size});
}

RegionLayout Inspector::layout() const { return {artifact_->memories, stream_->regions, internal_bytes_}; }

ByteSet& Inspector::written(int memory) {
  return memory == kInternalMemory ? internal_written_ : written_[static_cast<std::size_t>(memory)];
}

void Inspector::before(const StreamOperation& at, const BlockOperation& op, const MemoryMap& memory) {
  const auto problem = [&](FindingKind kind, std::string message) { report(at, kind, std::move(message), {}); };
  check_registers(op, *accelerator_, problem);
  Accesses operation = accesses(op, *accelerator_, layout());
  const bool whole = operation.problems.empty();
  report_problems(at, std::move(operation.problems));
  check_regions(at, operation.list);
  check_written(at, operation.list);
  check_order(at, operation.list, dmas_, FindingKind::kMissingDmaWait, "DMA_WAIT");
  if (whole) check_streams(at, op, memory);

  if (kernels_.size() >= static_cast<std::size_t>(accelerator_->max_kernels)) kernels_.pop_front();
  if (whole && !kernels_.empty() && previous_)
    if (const auto conflict = uncovered_dependency(*previous_, op, *accelerator_, layout()))
      report(at, FindingKind::kBlockDependency,
             fmt::format("BLOCKDEP {} lets IFM block {} be read before OFM block {} of {} of command {} is written",
                         op.blockdep, conflict->step, conflict->block, conflict->blocks, kernels_.back().command_index),
             conflict->range);
  mark_written(operation.list);
  kernels_.push_back({at.index, std::move(operation.list)});
  previous_ = op;
}

void Inspector::before(const StreamOperation& at, const DmaOperation& op) {
  check_registers(op, [&](FindingKind kind, std::string message) { report(at, kind, std::move(message), {}); });
  Accesses job = accesses(op, layout());
  report_problems(at, std::move(job.problems));
  check_regions(at, job.list);
  check_moved(at, job.list);
  const bool moves = !copies_onto_itself(op, job.list);
  for (const auto& target : job.list)
    for (const auto& source : job.list)
      if (moves && target.write && !source.write)
        if (const auto range = overlap(target, source))
          report(at, FindingKind::kDmaOverlap, fmt::format("{} overlaps {}", target.what, source.what), *range);
  check_order(at, job.list, kernels_, FindingKind::kMissingKernelWait, "KERNEL_WAIT");
  if (dmas_.size() >= static_cast<std::size_t>(accelerator_->max_dma)) dmas_.pop_front();
  if (moves) move_written(job.list, op.src_indexed || op.dst_indexed);
  dmas_.push_back({at.index, std::move(job.list)});
}

void Inspector::wait(const Wait& wait) {
  auto& queue = wait.queue == Wait::Queue::kKernel ? kernels_ : dmas_;
  while (queue.size() > wait.outstanding) queue.pop_front();
}

void Inspector::ran(const HostOperator& operation) {
  for (const auto& tensor : operation.outputs) mark_written(tensor);
}

void Inspector::copied(const std::vector<OperandCopy>& copies) {
  for (const auto& [from, to] : copies)
    written(to.memory).copy(written(from.memory), from.offset, to.offset, from.size);
}

void Inspector::failed(const StreamOperation& at, const BlockOperation& op, const MemoryMap& memory) {
  if (op.has_weights())
    if (const auto weights = load_weights(op, *accelerator_, memory); !weights)
      report(at, FindingKind::kWeightStream, weights.error().message,
             place_of(op.weights[0], stream_->regions[static_cast<std::size_t>(op.weights[0].region)]));
  if (op.has_scales())
    if (const auto scales = load_scales(op, memory); !scales)
      report(at, FindingKind::kWeightStream, scales.error().message,
             place_of(op.scales[0], stream_->regions[static_cast<std::size_t>(op.scales[0].region)]));
}

/// A stream that is too short is a fault, and so is a standard weight stream that is too long.
void Inspector::check_streams(const StreamOperation& at, const BlockOperation& op, const MemoryMap& memory) {
  const auto late = [&](const Stream& stream, const char* what, std::uint64_t used) {
    if (stream.length > used)
      report(at, FindingKind::kWeightStream,
             fmt::format("{} of {} bytes ends late, the operation consumes {}", what, stream.length, used),
             place_of(stream, stream_->regions[static_cast<std::size_t>(stream.region)]));
  };
  if (op.has_scales()) {
    const int streams = op.dual_core ? 2 : 1;
    for (int s = 0; s < streams; ++s) {
      const auto channels = static_cast<std::uint64_t>(op.ofm.c > s ? ceil_div(op.ofm.c - s, streams) : 0);
      const std::uint64_t entries = round_up(channels, deepest_ublock(*accelerator_));
      const std::uint64_t used = round_up(entries * kScaleEntryBytes, kStreamUnit);
      late(op.scales[static_cast<std::size_t>(s)], "scale stream", used);
    }
  }
  if (!op.has_weights() || !op.fast_weights) return;
  if (const auto used = fast_weight_bytes(op, *accelerator_, memory)) late(op.weights[0], "fast weight stream", *used);
}

void Inspector::report_problems(const StreamOperation& at, std::vector<AccessProblem> problems) {
  for (auto& problem : problems) report(at, problem.kind, std::move(problem.message), problem.range);
}

/// The driver rejects other base addresses (u55_u65 1.2).
void Inspector::check_regions(const StreamOperation& at, const std::vector<Access>& accesses) {
  for (const auto& access : accesses)
    if (access.memory != kInternalMemory && access.origin % kStreamUnit != 0)
      report(at, FindingKind::kUnaligned,
             fmt::format("{} is in a region that begins at byte {} of its memory, which is not a multiple of {}",
                         access.what, access.origin, kStreamUnit),
             {access.memory, access.bounds.first, access.bounds.last - access.bounds.first});
}

void Inspector::check_written(const StreamOperation& at, const std::vector<Access>& accesses) {
  for (const auto& access : accesses) {
    if (access.write) continue;
    const ByteSet& set = written(access.memory);
    if (set.first_not_in(access.bounds) >= access.bounds.last) continue;
    access.for_each([&](ByteRange run) {
      const std::uint64_t hole = set.first_not_in(run);
      if (hole >= run.last) return true;
      const std::uint64_t end = set.first_in({hole, run.last});
      report(at, FindingKind::kNeverWritten,
             fmt::format("{} reads {} bytes at {} that nothing has written", access.what, end - hole,
                         hole - access.origin),
             {access.memory == kInternalMemory ? -1 : access.memory, hole, end - hole});
      return false;
    });
  }
}

/// A job may copy the padding behind a tensor, but not only unwritten bytes. Its indices must have been written.
void Inspector::check_moved(const StreamOperation& at, const std::vector<Access>& job) {
  for (const auto& access : job) {
    if (access.write) continue;
    if (access.what != kDmaSource) {
      check_written(at, {access});
      continue;
    }
    bool any = false;
    access.for_each([&](ByteRange run) {
      any = written(access.memory).first_in(run) < run.last;
      return !any;
    });
    if (!any)
      report(at, FindingKind::kNeverWritten,
             fmt::format("{} reads {} bytes at {} of which nothing has written any", access.what,
                         access.bounds.last - access.bounds.first, access.bounds.first - access.origin),
             {access.memory == kInternalMemory ? -1 : access.memory, access.bounds.first,
              access.bounds.last - access.bounds.first});
  }
}

/// Copied bytes count as written if their sources do. Rows selected by indices are assumed to be written.
void Inspector::move_written(const std::vector<Access>& job, bool indexed) {
  const auto source = std::ranges::find(job, kDmaSource, &Access::what);
  const auto target = std::ranges::find(job, true, &Access::write);
  if (target == job.end()) return;
  if (indexed || source == job.end()) return mark_written(job);
  // Both sides have equally many bytes, in runs of the same order; a side without gaps may have fewer, longer runs.
  std::vector<ByteRange> from;
  source->for_each([&](ByteRange run) {
    from.push_back(run);
    return true;
  });
  std::size_t next = 0;
  ByteSet& out = written(target->memory);
  const ByteSet& in = written(source->memory);
  target->for_each([&](ByteRange run) {
    while (run.first < run.last && next < from.size()) {
      auto& part = from[next];
      const std::uint64_t length = std::min(run.last - run.first, part.last - part.first);
      out.copy(in, part.first, run.first, length);
      run.first += length;
      part.first += length;
      if (part.first == part.last) ++next;
    }
    return true;
  });
}

void Inspector::check_order(const StreamOperation& at, const std::vector<Access>& accesses,
                            const std::deque<Outstanding>& others, FindingKind kind, const char* missing) {
  for (const auto& other : others)
    for (const auto& theirs : other.accesses)
      for (const auto& ours : accesses) {
        if (!ours.write && !theirs.write) continue;
        if (const auto range = overlap(theirs, ours))
          report(at, kind,
                 fmt::format("{} meets the {} of command {}, and no {} lies between", ours.what, theirs.what,
                             other.command_index, missing),
                 {range->memory == kInternalMemory ? -1 : range->memory, range->offset, range->length});
      }
}

void Inspector::mark_written(const std::vector<Access>& accesses) {
  for (const auto& access : accesses) {
    if (!access.write) continue;
    ByteSet& set = written(access.memory);
    access.for_each([&](ByteRange run) {
      set.add(run);
      return true;
    });
  }
}

void Inspector::mark_written(const TensorBinding& tensor) {
  if (tensor.memory < 0) return;
  const auto count = element_count(tensor.shape, tensor.element_size);
  if (count)
    written(tensor.memory)
        .add({tensor.offset, tensor.offset + static_cast<std::uint64_t>(*count) * tensor.element_size});
}

void Inspector::report(const StreamOperation& at, FindingKind kind, std::string message, const MemoryRange& range) {
  if (!reported_.emplace(at.index, kind, message).second) return;
  Finding finding{
      kind, step_, at.index, at.offset, {}, source_operator(*artifact_, step_, at.offset), std::move(message), range};
  if (const auto command = decode_command(accelerator_->family, stream_->words, at.index, at.offset))
    finding.command = to_text(accelerator_->family, *command);
  sink_(finding);
}

}  // namespace macaw::npu
