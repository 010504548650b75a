#include <catch2/catch.hpp>

#include <cctype>

#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include <macaw/npu/timed_simulator.hpp>

#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/waveform.hpp"
#include "workflow/report/layers.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/run/record_json.hpp"
#include "workflow/trace/forms/trace.hpp"

using namespace macaw;
using macaw::test::checked;

namespace {

constexpr std::uint64_t kTicks = npu::kTicksPerCycle;

struct Observed {
  npu::RunRecord run;
  test::BusySignals waveform;  ///< of the same run
};

Observed observe(const std::string& accelerator) {
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz"));
  const macaw::test::TemporaryFolder folder;
  npu::TimedOptions options;
  options.movements = true;
  options.activity_spans = 1'000'000;
  options.vcd = folder / "run.vcd";
  const auto record = checked(npu::execute(
      {.artifact = artifact, .accelerator = *artifact.accelerator, .mode = npu::RunMode::kTiming, .options = options}));
  const test::BusySignals waveform(options.vcd);
  return {checked(run::parse_record(report::to_json(record).dump(), "report.json")), waveform};
}

std::uint64_t whole(std::uint64_t ticks) { return (ticks + kTicks - 1) / kTicks; }

/// The port that an operation writes its result to.
std::string port_of(const npu::RunRecord& run, const npu::OperationTiming& o) {
  for (const auto& m : o.memory)
    if (m.write) return std::string(run.side_name(run.region_side[static_cast<std::size_t>(m.region)]));
  return {};
}

/// From the first fetch of a command to the response to its last write, in whole cycles.
std::pair<std::uint64_t, std::uint64_t> seen(const Observed& observed, const npu::OperationTiming& o) {
  std::uint64_t start = UINT64_MAX, end = 0;
  for (const auto& [operation, first, last] : observed.waveform.spans().at("ifm_loader"))
    if (operation == o.command) start = std::min(start, first);
  for (const auto& [operation, first, last] : observed.waveform.spans().at("ofm_writer"))
    if (operation == o.command) end = last;
  return {whole(start), whole(observed.waveform.written(port_of(observed.run, o), end))};
}

}  // namespace

TEST_CASE("cycles of operations, layers and the run are those of the waveform of the same run") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-256");
  CAPTURE(name);
  const auto observed = observe(name);
  const auto& run = observed.run;
  // The owner of each cycle by the waveform alone: the oldest command in progress, else the next one to start.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const auto& o : run.operations) {
    CAPTURE(o.command);
    spans.push_back(seen(observed, o));
    CHECK(o.start == spans.back().first);
    CHECK(o.end == spans.back().second);
  }
  const auto summary = report::summarise(run);
  std::vector<npu::ExclusiveCycles> held(spans.size());
  std::map<std::size_t, std::uint64_t> layers;
  for (std::uint64_t cycle = 0; cycle < run.cycles; ++cycle) {
    std::size_t owner = spans.size(), next = spans.size();
    for (std::size_t i = spans.size(); i-- > 0;) {
      if (spans[i].first <= cycle && cycle < spans[i].second) owner = i;
      if (cycle < spans[i].first) next = i;
    }
    if (owner != spans.size()) {
      ++held[owner].working;
    } else {
      owner = std::min(next, spans.size() - 1);
      ++held[owner].waiting;
    }
    ++layers[summary.layer_of[owner]];
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    CHECK(run.operations[i].exclusive.working == held[i].working);
    CHECK(run.operations[i].exclusive.waiting == held[i].waiting);
  }
  std::uint64_t total = 0, bounds = 0;
  for (std::size_t i = 0; i < summary.layers.size(); ++i) {
    CHECK(summary.layers[i].exclusive == layers[i]);
    total += summary.layers[i].exclusive;
  }
  for (const auto& [bound, cycles] : summary.bounds) bounds += cycles;
  CHECK(total == run.cycles);
  CHECK(bounds == run.cycles);
}

/// The name of a unit in report.json, from that of its track: "ifm_read" from "IFM read".
static std::string unit_of(const std::string& track) {
  std::string unit;
  for (const char c : track) unit += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return unit;
}

TEST_CASE("the Chrome trace holds every operation whole and every interval of every unit") {
  const std::string name = GENERATE("ethos-u55-128", "ethos-u85-256");
  const auto [run, waveform] = observe(name);
  const auto trace = nlohmann::json::parse(trace::perfetto(run));
  std::map<int, std::string> tracks;
  std::map<int, double> ends;
  test::Spans units;
  std::multimap<std::uint64_t, std::pair<double, double>> operations;
  double sum = 0;
  const double per_tick = 1e3 / run.clock_hz;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
      continue;
    }
    if (event.at("ph") != "X") continue;
    const int thread = event.at("tid");
    const double start = event.at("ts"), length = event.at("dur");
    CHECK(start >= ends[thread] - 1e-9);
    ends[thread] = start + length;
    const auto& track = tracks.at(thread);
    const std::uint64_t command = event.at("args").at("command");
    if (track.starts_with("Operations") || track.starts_with("DMA jobs")) {
      operations.emplace(command, std::pair(start, length));
      sum += length;
    } else {
      const auto ticks = [&](double time) { return static_cast<std::uint64_t>(std::llround(time / per_tick)); };
      units[unit_of(track)].emplace_back(command, ticks(start), ticks(start + length));
    }
  }
  REQUIRE(operations.size() == run.operations.size());
  std::uint64_t cycles = 0;
  for (const auto& o : run.operations) {
    const auto& [start, length] = operations.find(o.command)->second;
    CHECK(start == Approx(static_cast<double>(1000 * o.start) * per_tick));
    CHECK(length == Approx(static_cast<double>(1000 * o.cycles()) * per_tick));
    cycles += o.cycles();
  }
  CHECK(sum == Approx(static_cast<double>(1000 * cycles) * per_tick));
  CHECK(units == waveform.spans());
}
