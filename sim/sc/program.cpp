#include "sim/sc/program.hpp"

#include <macaw/error_context.hpp>

#include "sim/timing/cost.hpp"

namespace macaw::npu::sc {

namespace {

void set_u85_costs(KernelRun& run, const CoreConfig& config) {
  run.decode_cycles = cycles_per_weight_u85(run.op, config.accelerator, config.params);
  run.accumulators = accumulator_buffers_u85(run.op, config.accelerator);
  run.out_lanes = static_cast<std::uint64_t>(CoreConfig::count(config.params.ao_lanes));
}

}  // namespace

Result<void> append_kernel(Program& program, const CoreConfig& config, const BlockOperation& op, std::size_t command,
                           std::uint64_t words_end) {
  MACAW_ASSIGN(auto walk, BlockWalk::create(op, config.accelerator).map_error(at({.command_index = command})));
  auto run = std::make_shared<KernelRun>();
  run->command = command;
  run->op = op;
  run->walk = std::move(walk);
  run->blocks = run->walk->block_count();
  program.steps += run->blocks * run->walk->steps_per_block();
  if (config.accelerator.family == Family::kU85) set_u85_costs(*run, config);
  else run->decode_cycles = weight_block_decode_cycles(config.accelerator, config.params);
  run->output_per_element = output_cycles_per_element(op, config.params);
  run->output_start = config.params.ao_block_start;
  program.instructions.push_back({command, words_end, std::move(run)});
  return {};
}

void append_dma(Program& program, const DmaOperation& op, std::size_t command, std::uint64_t words_end) {
  auto run = std::make_shared<DmaRun>();
  run->command = command;
  run->traffic = dma_traffic(op);
  program.instructions.push_back({command, words_end, std::move(run)});
}

ProgramBuilder::ProgramBuilder(Program& program, const CoreConfig& config, std::uint64_t stream_words)
    : program_(program), config_(config), stream_words_(stream_words) {
  program_.words = stream_words;
  program_.segments = {{0, stream_words}};
}

Result<void> ProgramBuilder::add(const npu::StreamOperation& step) {
  const std::uint64_t end = words_at(step.end);
  const auto push = [&](auto action) { program_.instructions.push_back({step.index, end, action}); };
  if (const auto* op = std::get_if<BlockOperation>(&step.action))
    return append_kernel(program_, config_, *op, step.index, end);
  if (const auto* dma = std::get_if<DmaOperation>(&step.action)) {
    append_dma(program_, *dma, step.index, end);
  } else if (const auto* wait = std::get_if<Wait>(&step.action)) {
    if (wait->queue == Wait::Queue::kKernel) push(KernelWait{wait->outstanding});
    else push(DmaWait{wait->outstanding});
  } else if (const auto* irq = std::get_if<Irq>(&step.action)) {
    push(Interrupt{irq->mask});
  } else if (const auto* mask = std::get_if<PmuMask>(&step.action)) {
    push(MaskCounters{mask->enable});
  } else if (std::holds_alternative<npu::StreamStop>(step.action)) {
    push(Stop{});
  } else if (std::holds_alternative<Branch>(step.action)) {
    push(Pass{});
  }
  return {};
}

void ProgramBuilder::branch(const npu::StreamOperation& step) {
  Program::Segment& segment = program_.segments.back();
  segment.end = step.end / 4;
  before_ += segment.end - segment.begin;
  const std::uint64_t target = std::get<Branch>(step.action).target / 4;
  program_.segments.push_back({target, stream_words_});
  program_.words = before_ + stream_words_ - target;
}

StreamEnd trace_stream(Program& program, std::span<const std::uint32_t> words, const CoreConfig& config,
                       const StreamActions& actions, std::uint64_t max_operations) {
  using Kind = StreamEnd::Kind;
  CommandParser parser(config.accelerator, words);
  ProgramBuilder builder(program, config, words.size());
  for (std::uint64_t operations = 0; operations < max_operations; ++operations) {
    auto step = parser.next();
    const std::uint64_t executed = builder.words_at(parser.offset());
    if (!step) return {Kind::kParseError, 0, executed, tl::unexpected<Error>(step.error())};
    const auto end = [&](Kind kind, Error error) -> StreamEnd {
      error.place.command_index = step->index;
      error.place.byte_offset = step->offset;
      return {kind, 0, executed, tl::unexpected<Error>(std::move(error))};
    };
    if (auto added = builder.add(*step); !added) return end(Kind::kParseError, added.error());
    Result<void> done;
    if (const auto* stop = std::get_if<npu::StreamStop>(&step->action)) return {Kind::kStop, stop->mask, executed, {}};
    if (const auto* op = std::get_if<BlockOperation>(&step->action)) done = actions.block(*op);
    else if (const auto* dma = std::get_if<DmaOperation>(&step->action)) done = actions.dma(*dma);
    if (!done) {
      program.instructions.pop_back();
      return end(Kind::kBusFault, done.error());
    }
    const auto* branch = std::get_if<Branch>(&step->action);
    if (!branch || (branch->conditional && !actions.result_flag())) continue;
    if (auto jumped = parser.branch(branch->target); !jumped) return end(Kind::kBranchFault, jumped.error());
    builder.branch(*step);
  }
  return {Kind::kParseError, 0, builder.words_at(parser.offset()),
          fail(ErrorCode::kUnsupported, "more operations than the limit")};
}

}  // namespace macaw::npu::sc
