#include <macaw/npu/report.hpp>

#include <macaw/npu/debug_database.hpp>
#include "sim/datapath/dma.hpp"
#include "sim/isa/decoder.hpp"
#include "sim/machine/machine.hpp"
#include "sim/sc/breakdown.hpp"
#include "sim/sc/context.hpp"
#include "sim/sc/program.hpp"
#include "sim/sc/top.hpp"
#include "sim/sc/trace.hpp"
#include "sim/timing/error_bars.hpp"
#include "sim/timing/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

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

bool has_branches(const Artifact& artifact, const Accelerator& accelerator) {
  for (const auto& step : artifact.steps) {
    const auto* stream = std::get_if<CommandStream>(&step);
    if (!stream) continue;
    const auto program = parse_program(accelerator, stream->words);
    if (!program) continue;
    for (const Step& one : *program)
      if (std::holds_alternative<Branch>(one.action)) return true;
  }
  return false;
}

Result<sc::Program> trace(Machine& machine, const CommandStream& stream, const sc::CoreConfig& config,
                          const FunctionalOptions& limits) {
  MACAW_CHECK(machine.start(stream));
  std::int64_t work_left = limits.max_work;
  const auto run = [&](const auto& op) -> Result<void> {
    work_left -= work(op);
    if (work_left < 0)
      return fail(ErrorCode::kUnsupported, fmt::format("more than {} multiply-accumulates", limits.max_work));
    MACAW_CHECK(machine.execute(op));
    return {};
  };
  sc::Program program;
  const sc::StreamEnd end = sc::trace_stream(program, stream.words, config,
                                             {run, run, [&] { return machine.result_flag(); }}, limits.max_operations);
  if (!end.result) return tl::unexpected<Error>(end.result.error());
  return program;
}

[[noreturn]] void throw_stalled(const sc::Core& core, Ticks at) {
  throw std::logic_error(
      fmt::format("the timed model stalled at cycle {}: {}", sc::whole_cycles(at).count(), core.outstanding()));
}

Result<void> add_program(TimedResult& result, const sc::Program& program, std::size_t step,
                         const sc::CoreConfig& config, const SystemConfig& system, const TimedOptions& options,
                         sc::VcdFile* vcd) {
  if (program.steps > options.max_steps)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} blocks to walk, the limit is {}", program.steps, options.max_steps));
  if (options.blocks)
    for (const sc::Instruction& instruction : program.instructions)
      if (const auto* kernel = std::get_if<sc::KernelRef>(&instruction.action)) (*kernel)->keep_blocks = true;
  sc::Context context;
  const auto entered = context.enter();
  sc::Top top("top", config, system.memory, program);
  sc::VcdFile::Trace waveform;
  if (vcd) waveform = vcd->open(top);
  std::function<Result<void>()> between;
  Ticks told;
  if (vcd || options.progress)
    between = [&]() -> Result<void> {
      if (options.progress) options.progress((sc::now() - told) / sc::kCycle);
      told = sc::now();
      return vcd ? vcd->check_size() : Result<void>();
    };
  const Ticks limit = sc::ticks(static_cast<double>(options.max_cycles));
  MACAW_ASSIGN(const auto ended, context.run(limit, between));
  for (const sc::AxiPort& port : top.core.axi)
    if (port.bus_error()) return fail(ErrorCode::kHardwareFault, "bus error");
  if (!top.core.command_processor.stopped() && ended.starved) throw_stalled(top.core, ended.at);
  if (!top.core.command_processor.stopped())
    return fail(ErrorCode::kUnsupported, fmt::format("the NPU did not stop within {} cycles", options.max_cycles));
  if (vcd) MACAW_CHECK(vcd->add(std::move(waveform), Cycles(result.cycles)));
  sc::append_breakdown(result.operations, program, config, step, Cycles(result.cycles));
  PmuCounters counters = top.core.pmu.counters();
  for (const auto& [name, count] : counters.counts) result.pmu.counts[name] += count;
  result.pmu.unmodelled = std::move(counters.unmodelled);
  result.cycles += sc::whole_cycles(top.core.command_processor.end()).count();
  return {};
}

/// The operators of the network that the operations of a stream belong to.
Result<void> name_sources(TimedResult& result, const Artifact& artifact, const CommandStream& stream,
                          const Accelerator& accelerator, std::size_t step) {
  if (!artifact.debug) return {};
  MACAW_ASSIGN(const auto commands, decode(accelerator.family, stream.words));
  for (auto& operation : result.operations)
    if (operation.step == step && operation.command_index < commands.size())
      operation.source = source_operator(artifact, step, commands[operation.command_index].offset);
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
  const sc::CoreConfig config{accelerator, setup.params, setup.mode, !options.vcd.empty()};

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
  } else if (options.functional.findings) {
    MACAW_CHECK(inspect_streams(artifact, accelerator, options.functional));
  } else {
    MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
    for (const auto& step : artifact.steps)
      if (const auto* stream = std::get_if<CommandStream>(&step)) MACAW_CHECK(machine.check(*stream));
  }
  // Where a branch goes depends on values: such a network is executed also when only its time is asked for.
  std::optional<Machine> machine;
  if (has_branches(artifact, accelerator)) {
    MACAW_ASSIGN(machine, Machine::create(artifact, accelerator));
    MACAW_CHECK(machine->set_variables(options.functional.variables));
    MACAW_CHECK(machine->set_inputs(inputs));
  }
  std::unique_ptr<sc::VcdFile> vcd;
  if (!options.vcd.empty()) {
    MACAW_ASSIGN(vcd, sc::VcdFile::create(options.vcd, options.max_vcd_bytes));
  }
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    // What the CPU does in between takes none of the NPU's time.
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[i])) {
      if (machine) MACAW_CHECK(machine->execute(*host, options.functional.max_work));
      continue;
    }
    const auto& stream = std::get<CommandStream>(artifact.steps[i]);
    auto program =
        machine ? trace(*machine, stream, config, options.functional) : sc::build_program(stream.words, config);
    Result<void> done;
    if (!program) done = tl::unexpected<Error>(program.error());
    else done = add_program(result, *program, i, config, system, options, vcd.get());
    if (!done) {
      Error error = done.error();
      error.place.file = artifact.file;
      if (error.place.op.empty()) error.place.op = stream.name;
      return tl::unexpected<Error>(std::move(error));
    }
    MACAW_CHECK(name_sources(result, artifact, stream, accelerator, i));
  }
  if (vcd) MACAW_CHECK(vcd->finish());
  return result;
}

}  // namespace macaw::npu
