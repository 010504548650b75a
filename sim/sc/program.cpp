#include "sim/sc/program.hpp"

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
  auto walk = BlockWalk::create(op, config.accelerator);
  if (!walk) {
    Error error = walk.error();
    error.place.command_index = command;
    return tl::unexpected<Error>(std::move(error));
  }
  auto run = std::make_shared<KernelRun>();
  run->command = command;
  run->op = op;
  run->walk = std::move(*walk);
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

Result<Program> build_program(std::span<const std::uint32_t> words, const CoreConfig& config) {
  MACAW_ASSIGN(const std::vector<npu::Step> steps, parse_program(config.accelerator, words));
  Program program;
  program.words = words.size();
  for (const npu::Step& step : steps) {
    const std::uint64_t end = step.end / 4;
    if (const auto* op = std::get_if<BlockOperation>(&step.action)) {
      MACAW_CHECK(append_kernel(program, config, *op, step.index, end));
    } else if (const auto* dma = std::get_if<DmaOperation>(&step.action)) {
      append_dma(program, *dma, step.index, end);
    } else if (const auto* wait = std::get_if<Wait>(&step.action)) {
      if (wait->queue == Wait::Queue::kKernel)
        program.instructions.push_back({step.index, end, KernelWait{wait->outstanding}});
      else program.instructions.push_back({step.index, end, DmaWait{wait->outstanding}});
    } else if (std::holds_alternative<npu::Stop>(step.action)) {
      program.instructions.push_back({step.index, end, Stop{}});
    } else if (std::holds_alternative<Branch>(step.action)) {
      return fail(ErrorCode::kUnsupported, "the timed model follows no branches", {{}, {}, step.index, step.offset});
    }
  }
  return program;
}

}  // namespace macaw::npu::sc
