#include <macaw/error_context.hpp>
#include <macaw/interruption.hpp>
#include <macaw/npu/debug_database.hpp>
#include <macaw/npu/timed_simulator.hpp>

#include "sim/config/error_bars.hpp"
#include "sim/config/intervals.hpp"
#include "sim/config/setup.hpp"
#include "sim/functional/streams.hpp"
#include "sim/timed/bandwidth.hpp"
#include "sim/timed/breakdown.hpp"
#include "sim/timed/context.hpp"
#include "sim/timed/program.hpp"
#include "sim/timed/recorder.hpp"
#include "sim/timed/top.hpp"
#include "sim/timed/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace macaw::npu {
namespace {

/// Lists the constants that a user set, "short_burst=1, ao_ofm8=0"; empty if there are none.
std::string set_constants(const TimedOptions& options) {
  std::string constants;
  for (const auto& [name, value] : options.params)
    if (name.find('.') == name.npos) constants += fmt::format("{}{}={:g}", constants.empty() ? "" : ", ", name, value);
  return constants;
}

/// Buffer sizes requested by a user may be too small for data that must fit into them at once.
Result<void> stalled(const timed::Core& core, Ticks at, const TimedOptions& options) {
  const auto where =
      fmt::format("the timed model stalled at cycle {}: {}", timed::whole_cycles(at).count(), core.outstanding());
  const std::string constants = set_constants(options);
  if (constants.empty()) throw std::logic_error(where);
  return fail(ErrorCode::kUsage, fmt::format("no run with {}: {}", constants, where));
}

/// A run also exceeds the limit if a user made a unit too slow.
Result<void> too_long(const TimedOptions& options) {
  const std::string constants = set_constants(options);
  return fail(ErrorCode::kUnsupported, fmt::format("the NPU did not stop within {} cycles{}{}", options.max_cycles,
                                                   constants.empty() ? "" : " with ", constants));
}

Result<void> add_program(TimedResult& result, const ParsedStream& stream, timed::StreamTrace trace, std::size_t step,
                         const timed::CoreConfig& config, const SystemConfig& system, const TimedOptions& options,
                         timed::VcdFile* vcd) {
  timed::Breakdown breakdown(result.operations, config, {step, Cycles(result.cycles), options.movements});
  const auto made = [&](const timed::Instruction& instruction) {
    if (const auto* kernel = std::get_if<timed::KernelRef>(&instruction.action)) {
      (*kernel)->keep_blocks = options.blocks;
      (*kernel)->keep_totals = options.movements;
    }
    breakdown.add(instruction);
  };
  timed::Context context;
  const auto entered = context.enter();
  timed::Top top("top", config, system.memory, timed::program_of(stream, std::move(trace), config, made),
                 system.clock_hz);
  MACAW_CHECK(top.memories.check());
  std::vector<timed::Activity*> units;
  if (options.activity_spans != 0) units = timed::activities(top);
  for (timed::Activity* unit : units) unit->record(options.activity_spans);
  timed::VcdFile::Trace waveform;
  if (vcd) waveform = vcd->open(top);
  std::function<Result<void>()> between;
  Ticks told;
  if (vcd || options.progress || Interruption::is_possible())
    between = [&]() -> Result<void> {
      MACAW_CHECK(Interruption::check());
      if (options.progress) options.progress((timed::now() - told) / timed::kCycle);
      told = timed::now();
      return vcd ? vcd->check_size() : Result<void>();
    };
  const Ticks limit = timed::ticks(static_cast<double>(options.max_cycles));
  // Waveforms and engines depend on the kernel's time.
  const bool alone = !vcd && std::ranges::all_of(top.core.axi, &timed::AxiPort::answered_at_once);
  MACAW_ASSIGN(const auto ended, context.run(limit, between, alone));
  MACAW_CHECK(top.memories.check());
  for (const timed::AxiPort& port : top.core.axi)
    if (port.bus_error()) return fail(ErrorCode::kHardwareFault, "bus error");
  if (!top.core.command_processor.stopped() && ended.starved) return stalled(top.core, ended.at, options);
  if (!top.core.command_processor.stopped()) return too_long(options);
  if (vcd) MACAW_CHECK(vcd->add(std::move(waveform), Cycles(result.cycles)));
  breakdown.finish();
  timed::append_activity(result.activity, units, step, Cycles(result.cycles));
  PmuCounters counters = top.core.pmu.counters();
  for (const auto& [name, count] : counters.counts) result.pmu.counts[name] += count;
  result.pmu.unmodelled = std::move(counters.unmodelled);
  result.cycles += timed::whole_cycles(top.core.command_processor.end()).count();
  return {};
}

/// Adds the source operators of the operations. `ordinal`: index of the stream among the artifact's.
void add_sources(TimedResult& result, const Artifact& artifact, std::size_t step, std::size_t ordinal) {
  if (!artifact.debug) return;
  for (auto& operation : result.operations) {
    if (operation.step != step) continue;
    if (const auto* source = artifact.debug->source_of(ordinal, operation.offset)) {
      operation.source = source->to_string();
      operation.kind = source->kind;
      if (!operation.kind.empty()) operation.shape = std::array{source->ofm_h, source->ofm_w, source->ofm_c};
    }
    if (const auto* scheduled = artifact.debug->scheduled_of(ordinal, operation.offset))
      operation.scheduled = OperationTiming::Scheduled{scheduled->id, scheduled->kind, scheduled->name};
  }
}

/// Limits of the ports if a user changed the length of bursts; nullopt if those of the accelerator apply.
std::optional<std::array<timed::AxiLimit, 4>> axi_limits(const Accelerator& accelerator, const Setup& setup) {
  const auto own = static_cast<std::uint32_t>(accelerator.burst_bytes);
  if (setup.burst_bytes == std::array{own, own}) return {};
  const timed::AxiLimit axi0{accelerator.max_reads0, accelerator.max_writes0, setup.burst_bytes[0]};
  const timed::AxiLimit axi1{accelerator.max_reads1, accelerator.max_writes1, setup.burst_bytes[1]};
  return std::array{axi0, axi0, axi1, axi1};
}

timed::CoreConfig core_config(const Accelerator& accelerator, const Setup& setup, bool waveform) {
  timed::CoreConfig config{accelerator, setup.params, setup.mode, waveform, axi_limits(accelerator, setup)};
  for (std::size_t side = 0; side < config.separate_pixels.size(); ++side)
    config.separate_pixels[side] = setup.system.memory[side].separate_pixels != 0;
  for (std::size_t i = 0; i < config.bases.size(); ++i) config.bases[i] = setup.addresses[i].value_or(config.bases[i]);
  return config;
}

bool moves_by_index(const ParsedStream& stream) {
  return std::ranges::any_of(stream.operations(), [](const StreamOperation& operation) {
    const auto* dma = std::get_if<DmaOperation>(&operation.action);
    return dma && (dma->src_indexed || dma->dst_indexed);
  });
}

/// Executes the streams once, or checks them if values are not requested. A network with branches is always executed,
/// because their targets depend on values. So is one that moves rows by index, if inputs are given; without inputs, its
/// indices are the contents of memory before the run.
Result<FunctionalResult> run_values(const Artifact& artifact, const Accelerator& accelerator,
                                    const ParsedStreams& streams, std::span<const NamedTensor> inputs,
                                    const TimedOptions& options, const ExecutionSink& executed) {
  const bool branches = has_control_flow(artifact) ||
                        std::ranges::any_of(streams, [](const auto& stream) { return stream && stream->branches(); });
  if (options.values) return run_streams(artifact, accelerator, streams, inputs, options.functional, executed);
  const bool indexed =
      std::ranges::any_of(streams, [](const auto& stream) { return stream && moves_by_index(*stream); });
  if (branches || (indexed && !inputs.empty())) {
    FunctionalOptions functional = options.functional;
    functional.observer = {};
    MACAW_CHECK(run_streams(artifact, accelerator, streams, inputs, functional, executed));
  } else if (indexed || options.functional.findings) {
    MACAW_CHECK(inspect_streams(artifact, accelerator, streams, options.functional, executed));
  } else {
    MACAW_CHECK(check_streams(artifact, accelerator, streams, options.functional.max_work, executed));
  }
  return FunctionalResult{};
}

}  // namespace

Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                              std::span<const NamedTensor> inputs, const TimedOptions& options) {
  MACAW_ASSIGN(const Setup setup, resolve_setup(accelerator, setup_request(options)));
  const SystemConfig& system = setup.system;
  const timed::CoreConfig config = core_config(accelerator, setup, !options.vcd.empty());

  TimedResult result;
  result.system = system.name;
  result.memory_mode = setup.mode.name;
  result.clock_hz = system.clock_hz;
  result.bytes_per_cycle = {
      timed::bytes_per_cycle(accelerator, accelerator.ports0, system.memory[0], setup.params.sram_cap_share),
      timed::bytes_per_cycle(accelerator, accelerator.ports1, system.memory[1], 1)};
  for (int region = 0; region < 8; ++region)
    result.region_side[static_cast<std::size_t>(region)] = setup.mode.side(region);
  if (const auto* error = measured_error(accelerator, setup))
    result.error_bar = ErrorBar{error->mean, error->worst, error->networks};
  const ParsedStreams parsed = parse_streams(artifact, accelerator);
  ArtifactDecodeWork decode{.steps = std::vector<DecodeWork>(artifact.steps.size())};
  if (config.generation.rules.decodes_by_chunk) {
    MACAW_ASSIGN(decode, decode_work(artifact, accelerator, parsed));
  }
  timed::Recorder recorder(artifact, config, options.functional.max_work);
  MACAW_ASSIGN(result.values, run_values(artifact, accelerator, parsed, inputs, options, recorder.sink()));
  std::unique_ptr<timed::VcdFile> vcd;
  if (!options.vcd.empty()) {
    MACAW_ASSIGN(vcd, timed::VcdFile::create(options.vcd, options.max_vcd_bytes));
  }
  // CPU work in between does not take NPU time.
  for (auto& run : recorder.runs()) {
    run.trace.decode_work = decode.steps[run.step];
    auto added =
        add_program(result, *parsed[run.step], std::move(run.trace), run.step, config, system, options, vcd.get());
    MACAW_CHECK(
        added.map_error(at({.file = artifact.file, .op = std::get<CommandStream>(artifact.steps[run.step]).name})));
  }
  for (std::size_t i = 0, streams = 0; i < artifact.steps.size(); ++i)
    if (parsed[i]) add_sources(result, artifact, i, streams++);
  if (vcd) MACAW_CHECK(vcd->finish());
  if (!decode.complete)
    result.no_interval = fmt::format("the weight streams after the first {} MiB are timed at a fixed decode rate",
                                     kMostDecodedBytes >> 20);
  else if (auto interval = interval_of(accelerator, setup, result)) result.interval = std::move(*interval);
  else result.no_interval = std::move(interval.error());
  return result;
}

}  // namespace macaw::npu
