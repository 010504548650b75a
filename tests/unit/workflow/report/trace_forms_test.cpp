#include <catch2/catch.hpp>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include "workflow/trace/forms/trace.hpp"

#include <cmath>
#include <map>
#include <tuple>

// Traces of runs that are written out here: operations that overlap, streams one after the other, and units at work.
using namespace macaw;
using nlohmann::json;

namespace {

npu::OperationTiming operation(std::uint64_t step, std::uint64_t command, std::uint64_t start, std::uint64_t end,
                               const char* name = "NPU_OP_CONV") {
  npu::OperationTiming o;
  o.step = step;
  o.command = command;
  o.offset = 40 * command;
  o.name = name;
  o.source = "layer " + std::to_string(command);
  o.bound = "mac";
  o.issued = start - 3;
  o.start = start;
  o.end = end;
  o.macs = 7;
  return o;
}

/// Operations that begin in another order than that of their commands, in two streams.
npu::RunRecord overlapping() {
  npu::RunRecord run;
  run.network = "net";
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.clock_hz = 500e6;
  run.cycles = 400;
  run.operations = {operation(0, 1, 50, 90), operation(0, 2, 10, 50), operation(0, 3, 20, 60, "NPU_OP_DMA_START"),
                    operation(1, 1, 100, 300), operation(1, 2, 300, 350)};
  run.activity = {{.step = 1, .unit = "mac", .resolution = 5000, .spans = {{1, 100000, 300000, 150500}}},
                  {.step = 1, .unit = "dma", .resolution = 0, .spans = {{9, 0, 1000, 1000}}}};
  return run;
}

std::string unpacked(const std::vector<std::byte>& bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  std::string text(1 << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

}  // namespace

TEST_CASE("operations of a Chrome trace lie on as few tracks as there are at one time, in the order of their starts") {
  std::map<int, std::string> tracks;
  std::vector<std::tuple<std::string, std::string, double, double>> slices;
  const auto trace = json::parse(trace::perfetto(overlapping()));
  CHECK(trace.at("displayTimeUnit") == "ns");
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
      continue;
    }
    if (event.at("ph") != "X" || event.at("args").contains("busy cycles")) continue;
    // Microseconds, of 2 ns a cycle.
    slices.emplace_back(tracks.at(event.at("tid")), event.at("name"), std::round(event.at("ts").get<double>() * 500),
                        std::round(event.at("dur").get<double>() * 500));
    CHECK(event.at("args").at("macs") == 7);
  }
  using Slices = decltype(slices);
  CHECK(slices == Slices{{"Operations", "layer 2", 10, 40},
                         {"DMA jobs", "layer 3", 20, 40},
                         {"Operations", "layer 1", 50, 40},
                         {"Operations", "layer 1", 100, 200},
                         {"Operations", "layer 2", 300, 50}});
}

TEST_CASE("units of a Chrome trace tell busy cycles and the pauses that are joined, in cycles") {
  std::size_t units = 0;
  const auto trace = json::parse(trace::perfetto(overlapping()));
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || !event.at("args").contains("busy cycles")) continue;
    ++units;
    const bool mac = event.at("args").at("command") == 1;
    CHECK(event.at("name") == (mac ? "layer 1" : "command stream"));
    CHECK(event.at("args").at("busy cycles") == (mac ? 150.5 : 1));
    CHECK(event.at("args").value("pauses joined up to (cycles)", -1.) == (mac ? 5 : -1));
    CHECK(event.at("ts").get<double>() == Approx(mac ? 0.2 : 0));
    CHECK(event.at("dur").get<double>() == Approx(mac ? 0.4 : 0.002));
  }
  CHECK(units == 2);
}

TEST_CASE("counters of a Chrome trace are averages over operations, and arrows lead from writer to reader") {
  auto run = overlapping();
  run.operations.erase(run.operations.begin() + 2, run.operations.end());  // 1 from 50 to 90, 2 from 10 to 50
  run.activity.clear();
  std::swap(run.operations[0], run.operations[1]);
  run.region_side = {0, 1, 0, 0, 0, 0, 0, 0};
  run.operations[0].memory = {{"ifm", 1, 80, 0, 79, false}, {"ofm", 0, 40, 0, 39, true}};
  run.operations[1].memory = {{"ifm", 0, 20, 0, 39, false}};
  run.operations[1].macs = 0;
  std::map<std::string, std::vector<std::pair<double, double>>> counters;
  std::vector<std::tuple<std::string, int, double>> arrows;
  const auto trace = json::parse(trace::perfetto(run));
  for (const auto& event : trace.at("traceEvents")) {
    const auto cycle = event.contains("ts") ? std::round(event.at("ts").get<double>() * 500) : 0;
    if (event.at("ph") == "C") counters[event.at("name")].emplace_back(cycle, event.at("args").begin()->get<double>());
    if (event.at("ph") == "s" || event.at("ph") == "f") arrows.emplace_back(event.at("ph"), event.at("id"), cycle);
  }
  using Points = std::vector<std::pair<double, double>>;
  CHECK(counters.at("axi0 bytes per cycle") == Points{{10, 1}, {50, 0.5}, {90, 0}});
  CHECK(counters.at("axi1 bytes per cycle") == Points{{10, 2}, {50, 0}});
  REQUIRE(counters.at("MAC use (% of peak)").size() == 2);
  CHECK(counters.at("MAC use (% of peak)")[0].second == Approx(100 * 7.0 / 40 / 128));
  CHECK(counters.at("axi0 live bytes") == Points{{10, 40}, {90, 0}});
  CHECK(arrows == decltype(arrows){{"s", 1, 10}, {"f", 1, 50}});
}

TEST_CASE("a pmu-trace reaches each operation when it is issued, and the end of each stream with its last") {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reached;
  const auto trace = json::parse(unpacked(trace::pmu_trace(overlapping())));
  for (const auto& event : trace.at("traceEvents")) reached.emplace_back(event.at("ts"), event.at("args").at("qread"));
  CHECK(reached == std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                       {47, 10}, {7, 20}, {17, 30}, {60, 31}, {97, 10}, {297, 20}, {350, 21}});
}
