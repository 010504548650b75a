#include <macaw/npu/report.hpp>

#include "sim/machine/machine.hpp"
#include "sim/sc/context.hpp"
#include "sim/sc/program.hpp"
#include "sim/sc/top.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace macaw::npu {
namespace {

OperationTiming report(const sc::KernelRun& run, std::size_t step, std::uint64_t offset) {
  OperationTiming timing;
  timing.step = step;
  timing.command_index = static_cast<std::uint32_t>(run.command);
  timing.name = command_name(run.op);
  timing.issued = offset + sc::whole_cycles(run.issued);
  timing.start = offset + sc::whole_cycles(run.start.value_or(run.issued));
  timing.end = offset + sc::whole_cycles(run.end);
  timing.busy = {{"mac", sc::whole_cycles(run.mac_busy)},
                 {"weight_decoder", sc::whole_cycles(run.decode_busy)},
                 {"output_unit", sc::whole_cycles(run.output_busy)},
                 {"ifm_read", sc::whole_cycles(run.ifm_busy)},
                 {"weight_read", sc::whole_cycles(run.weight_busy)},
                 {"ofm_write", sc::whole_cycles(run.write_busy)}};
  timing.bound = std::max_element(timing.busy.begin(), timing.busy.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
  return timing;
}

OperationTiming report(const sc::DmaRun& run, std::size_t step, std::uint64_t offset) {
  OperationTiming timing;
  timing.step = step;
  timing.command_index = static_cast<std::uint32_t>(run.command);
  timing.name = "NPU_OP_DMA_START";
  timing.issued = offset + sc::whole_cycles(run.issued);
  timing.start = offset + sc::whole_cycles(run.start);
  timing.end = offset + sc::whole_cycles(run.end);
  timing.busy = {{"dma", sc::whole_cycles(run.end - run.start)}};
  timing.bound = "dma";
  return timing;
}

Result<void> add_stream(TimedResult& result, std::span<const std::uint32_t> words, std::size_t step,
                        const sc::CoreConfig& config, const SystemConfig& system, const TimedOptions& options) {
  MACAW_ASSIGN(sc::Program program, sc::build_program(words, config));
  if (program.steps > options.max_steps)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} blocks to walk, the limit is {}", program.steps, options.max_steps));
  sc::Context context;
  sc::Top top("top", config, system.memory, program.instructions, program.words);
  MACAW_CHECK(context.run(sc::ticks(static_cast<double>(options.max_cycles))));
  for (const sc::AxiPort& port : top.core.axi)
    if (port.bus_error()) return fail(ErrorCode::kHardwareFault, "bus error");
  if (!top.core.command_processor.stopped())
    return fail(ErrorCode::kUnsupported, fmt::format("the NPU did not stop within {} cycles", options.max_cycles));
  for (const sc::Instruction& instruction : program.instructions) {
    if (const auto* kernel = std::get_if<sc::KernelRef>(&instruction.action))
      result.operations.push_back(report(**kernel, step, result.cycles));
    else if (const auto* dma = std::get_if<sc::DmaRef>(&instruction.action))
      result.operations.push_back(report(**dma, step, result.cycles));
  }
  PmuCounters counters = top.core.pmu.counters();
  for (const auto& [name, count] : counters.counts) result.pmu.counts[name] += count;
  result.pmu.unmodelled = std::move(counters.unmodelled);
  result.cycles += sc::whole_cycles(top.core.command_processor.end());
  return {};
}

}  // namespace

Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                              std::span<const NamedTensor> inputs, const TimedOptions& options) {
  MACAW_ASSIGN(SystemConfig system, load_system_config(options.system));
  if (!system.accelerators.empty() &&
      std::find(system.accelerators.begin(), system.accelerators.end(), accelerator.name) == system.accelerators.end())
    return fail(ErrorCode::kMismatch, fmt::format("system {} is not made for {}", system.name, accelerator.name));
  if (!options.timing_adapter) system = without_timing_adapter(std::move(system));
  const std::string& mode_name = options.memory_mode.empty() ? system.default_mode : options.memory_mode;
  const MemoryMode* mode = system.find_mode(mode_name);
  if (!mode) return fail(ErrorCode::kUsage, fmt::format("system {} has no memory mode {}", system.name, mode_name));
  sc::CoreConfig config{accelerator, default_params(accelerator), *mode};
  for (const auto& [name, value] : options.params) MACAW_CHECK(config.params.set(name, value));

  TimedResult result;
  result.system = system.name;
  result.memory_mode = mode->name;
  if (options.values) {
    MACAW_ASSIGN(result.values, run_functional(artifact, accelerator, inputs, options.functional));
  }
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    // What the CPU does in between takes none of the NPU's time.
    if (std::holds_alternative<HostOperator>(artifact.steps[i])) continue;
    const auto& stream = std::get<CommandStream>(artifact.steps[i]);
    if (auto done = add_stream(result, stream.words, i, config, system, options); !done) {
      Error error = done.error();
      error.place.file = artifact.file;
      if (error.place.op.empty()) error.place.op = stream.name;
      return tl::unexpected<Error>(std::move(error));
    }
  }
  return result;
}

}  // namespace macaw::npu
