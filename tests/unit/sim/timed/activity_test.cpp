#include <macaw/npu/timed_simulator.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/waveform.hpp"

using namespace macaw;
using namespace macaw::npu;
using test::BusySignals;
using test::Spans;

namespace {

TimedResult timed(const std::string& accelerator, const TimedOptions& options) {
  const auto artifact = load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz");
  REQUIRE(artifact);
  auto result = run_timed(*artifact, *find_accelerator(accelerator), {}, options);
  REQUIRE(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE("the activity of a run is what its waveform shows, interval by interval") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256");
  CAPTURE(name);
  const macaw::test::TemporaryFolder folder;
  TimedOptions options;
  options.values = false;
  options.vcd = folder / "run.vcd";
  options.activity_spans = 1'000'000;
  const auto result = timed(name, options);
  const BusySignals waveform(options.vcd);

  Spans recorded;
  for (const UnitActivity& unit : result.activity) {
    CHECK(unit.resolution == 0);
    for (const ActivitySpan& span : unit.spans) {
      CHECK(span.busy == span.end - span.start);
      recorded[unit.unit].emplace_back(span.command, span.start, span.end);
    }
  }
  REQUIRE(recorded.contains("mac_array"));
  CHECK(recorded == waveform.spans());
}

TEST_CASE("where spans are joined, the time at work stays, and no span is of two operations") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u85-256");
  TimedOptions options;
  options.values = false;
  options.activity_spans = 1'000'000;
  const auto whole = timed(name, options);
  constexpr std::size_t kMost = 20;
  options.activity_spans = kMost;
  const auto joined = timed(name, options);
  CHECK(joined.cycles == whole.cycles);
  REQUIRE(joined.activity.size() == whole.activity.size());
  const auto busy = [](const UnitActivity& unit) {
    std::map<std::uint32_t, std::uint64_t> ticks;
    for (const ActivitySpan& span : unit.spans) ticks[span.command] += span.busy;
    return ticks;
  };
  bool any = false;
  for (std::size_t i = 0; i < whole.activity.size(); ++i) {
    const UnitActivity &all = whole.activity[i], &few = joined.activity[i];
    CAPTURE(all.unit);
    CHECK(busy(few) == busy(all));
    CHECK(few.spans.size() <= std::max(all.spans.size(), 2 * kMost));
    CHECK((few.resolution > 0) == (few.spans.size() < all.spans.size()));
    any |= few.resolution > 0;
    for (std::size_t k = 1; k < few.spans.size(); ++k) CHECK(few.spans[k].start >= few.spans[k - 1].end);
    for (const ActivitySpan& span : few.spans) CHECK(span.busy <= span.end - span.start);
  }
  CHECK(any);
}

TEST_CASE("units are active for as long as their counters say, within the run, and operations have at least that") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256");
  CAPTURE(name);
  TimedOptions options;
  options.values = false;
  options.movements = true;
  options.activity_spans = 1'000'000;
  const auto result = timed(name, options);
  // On U85 MAC_ACTIVE has the operands that pass through the array besides.
  std::uint64_t passed_on = 0;
  for (const OperationTiming& operation : result.operations)
    if (name == "ethos-u85-256" && operation.name == "NPU_OP_ELEMENTWISE") passed_on += operation.details->mac_cycles;
  for (const auto& [unit, event, busy] : {std::tuple("mac_array", "ETHOSU_PMU_MAC_ACTIVE", "mac"),
                                          {"output_unit", "ETHOSU_PMU_AO_ACTIVE", "output_unit"},
                                          {"weight_decoder", "ETHOSU_PMU_WD_ACTIVE", "weight_decoder"}}) {
    CAPTURE(unit);
    std::uint64_t worked = 0, spent = 0;
    for (const UnitActivity& activity : result.activity) {
      if (activity.unit != unit) continue;
      for (const ActivitySpan& span : activity.spans) {
        worked += span.busy;
        CHECK(span.end <= result.cycles * kTicksPerCycle);
      }
    }
    for (const OperationTiming& operation : result.operations)
      for (const auto& [part, cycles] : operation.busy)
        if (part == busy) spent += cycles;
    REQUIRE(worked > 0);
    const auto passes = unit == std::string_view("mac_array") ? passed_on : 0;
    CHECK((worked + kTicksPerCycle - 1) / kTicksPerCycle + passes == result.pmu.counts.at(event));
    CHECK(spent * kTicksPerCycle >= worked);
  }
}
