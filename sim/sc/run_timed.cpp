#include <macaw/npu/report.hpp>

#include "sim/machine/machine.hpp"
#include "sim/sc/breakdown.hpp"
#include "sim/sc/context.hpp"
#include "sim/sc/program.hpp"
#include "sim/sc/top.hpp"
#include "sim/timing/error_bars.hpp"
#include "sim/timing/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::npu {
namespace {

double bytes_per_cycle(int ports, int beat_bytes, const MemoryTiming& memory) {
  const double bus = static_cast<double>(ports) * beat_bytes;
  if (memory.pulse_on == 0) return bus;
  const double window = static_cast<double>(memory.pulse_on) + memory.pulse_off;
  const double open = bus * memory.pulse_on / window;
  return memory.bandwidth_cap == 0 ? open
                                   : std::min(open, memory.bandwidth_cap * static_cast<double>(beat_bytes) / window);
}

Result<void> add_stream(TimedResult& result, std::span<const std::uint32_t> words, std::size_t step,
                        const sc::CoreConfig& config, const SystemConfig& system, const TimedOptions& options) {
  MACAW_ASSIGN(sc::Program program, sc::build_program(words, config));
  if (program.steps > options.max_steps)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} blocks to walk, the limit is {}", program.steps, options.max_steps));
  if (options.blocks)
    for (const sc::Instruction& instruction : program.instructions)
      if (const auto* kernel = std::get_if<sc::KernelRef>(&instruction.action)) (*kernel)->keep_blocks = true;
  sc::Context context;
  sc::Top top("top", config, system.memory, program.instructions, program.words);
  MACAW_CHECK(context.run(sc::ticks(static_cast<double>(options.max_cycles))));
  for (const sc::AxiPort& port : top.core.axi)
    if (port.bus_error()) return fail(ErrorCode::kHardwareFault, "bus error");
  if (!top.core.command_processor.stopped())
    return fail(ErrorCode::kUnsupported, fmt::format("the NPU did not stop within {} cycles", options.max_cycles));
  sc::append_breakdown(result.operations, program, config, step, result.cycles);
  PmuCounters counters = top.core.pmu.counters();
  for (const auto& [name, count] : counters.counts) result.pmu.counts[name] += count;
  result.pmu.unmodelled = std::move(counters.unmodelled);
  result.cycles += sc::whole_cycles(top.core.command_processor.end());
  return {};
}

}  // namespace

Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                              std::span<const NamedTensor> inputs, const TimedOptions& options) {
  MACAW_ASSIGN(const Setup setup, resolve_setup(accelerator, {.system = options.system,
                                                              .memory_mode = options.memory_mode,
                                                              .vela_config = options.vela_config,
                                                              .timing_adapter = options.timing_adapter,
                                                              .overrides = options.params}));
  const SystemConfig& system = setup.system;
  const sc::CoreConfig config{accelerator, setup.params, setup.mode};

  TimedResult result;
  result.system = system.name;
  result.memory_mode = setup.mode.name;
  result.clock_hz = system.clock_hz;
  result.bytes_per_cycle = {bytes_per_cycle(accelerator.ports0, accelerator.beat_bytes, system.memory[0]),
                            bytes_per_cycle(accelerator.ports1, accelerator.beat_bytes, system.memory[1])};
  for (int region = 0; region < 8; ++region)
    result.region_side[static_cast<std::size_t>(region)] = setup.mode.side(region);
  if (const auto* error = measured_error(accelerator, setup))
    result.error_bar = ErrorBar{error->mean, error->worst, error->networks};
  if (options.values) {
    MACAW_ASSIGN(result.values, run_functional(artifact, accelerator, inputs, options.functional));
  } else {
    MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
    for (const auto& step : artifact.steps)
      if (const auto* stream = std::get_if<CommandStream>(&step)) MACAW_CHECK(machine.check(*stream));
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
