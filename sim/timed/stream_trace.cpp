#include "sim/timed/stream_trace.hpp"

#include <macaw/error_context.hpp>

#include "sim/blocks/walk.hpp"
#include "sim/datapath/dma.hpp"

namespace macaw::npu::timed {
namespace {

constexpr std::uint64_t kBurst = 64;  // bytes

Result<void> add_steps(const npu::StreamOperation& step, const Accelerator& accelerator, Work& work) {
  if (const auto* op = std::get_if<BlockOperation>(&step.action)) {
    MACAW_ASSIGN(const auto walk, BlockWalk::create(*op, accelerator).map_error(at({.command_index = step.index})));
    return work.add(walk.block_count() * walk.steps_per_block(), Work::kTimedStep);
  }
  if (const auto* dma = std::get_if<DmaOperation>(&step.action))
    return work.add(static_cast<std::uint64_t>(npu::work(*dma)) / (kBurst * Work::kElement), Work::kTimedStep);
  return {};
}

}  // namespace

Tracer::Tracer(StreamTrace& trace, const CoreConfig& config, std::uint64_t stream_words)
    : trace_(trace), config_(config), stream_words_(stream_words) {
  trace_.words = stream_words;
  trace_.segments = {{0, stream_words}};
}

Result<void> Tracer::add(const npu::StreamOperation& step, Work& work) {
  MACAW_CHECK(add_steps(step, config_.accelerator, work));
  ++trace_.operations;
  return {};
}

void Tracer::branch(const npu::StreamOperation& branch, bool jumped) {
  trace_.jumps.push_back(jumped);
  if (!jumped) return;
  Program::Segment& segment = trace_.segments.back();
  segment.end = branch.end / 4;
  before_ += segment.end - segment.begin;
  const std::uint64_t target = std::get<Branch>(branch.action).target / 4;
  trace_.segments.push_back({target, stream_words_});
  trace_.words = before_ + stream_words_ - target;
}

void Tracer::fault(std::uint32_t offset, bool taken_back) {
  trace_.ended = before_ + offset / 4 - trace_.segments.back().begin;
  trace_.operations -= taken_back;
}

StreamEnd trace_stream(StreamTrace& trace, const ParsedStream& stream, std::uint64_t words, const CoreConfig& config,
                       const StreamActions& actions, Work work) {
  using Kind = StreamEnd::Kind;
  StreamReader reader(stream);
  Tracer tracer(trace, config, words);
  for (;;) {
    const auto read = reader.next();
    if (!read) {
      tracer.fault(reader.offset());
      return {Kind::kParseError, 0, tl::unexpected<Error>(read.error())};
    }
    const npu::StreamOperation& step = **read;
    const auto end = [&](Kind kind, Error error) -> StreamEnd {
      tracer.fault(step.end, kind == Kind::kBusFault);
      error.place.command_index = step.index;
      error.place.byte_offset = step.offset;
      return {kind, 0, tl::unexpected<Error>(std::move(error))};
    };
    auto added = work.issue(step);
    if (added) added = work.execute(step);
    if (added) added = tracer.add(step, work);
    if (!added) return end(Kind::kParseError, added.error());
    if (const auto* stop = std::get_if<npu::StreamStop>(&step.action)) return {Kind::kStop, stop->mask, {}};
    Result<void> done;
    if (const auto* op = std::get_if<BlockOperation>(&step.action)) {
      if (actions.weights)
        if (auto sizes = actions.weights(*op); !sizes.empty())
          trace.decode_work.insert_or_assign(step.index, std::move(sizes));
      done = actions.block(*op);
    } else if (const auto* dma = std::get_if<DmaOperation>(&step.action)) done = actions.dma(*dma);
    if (!done) return end(Kind::kBusFault, done.error());
    const auto* branch = std::get_if<Branch>(&step.action);
    if (!branch) continue;
    const bool jumps = !branch->conditional || actions.result_flag();
    if (jumps)
      if (auto jumped = reader.branch(branch->target); !jumped) return end(Kind::kBranchFault, jumped.error());
    tracer.branch(step, jumps);
  }
}

}  // namespace macaw::npu::timed
