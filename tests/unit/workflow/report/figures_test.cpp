#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "workflow/report/forms/comparison.hpp"
#include "workflow/report/junit.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/setup_json.hpp"
#include "workflow/report/summary_json.hpp"
#include "workflow/run/pmu_selection.hpp"

// Units, sums and limits of figures, by arithmetic that is written out here.
using namespace macaw;

namespace {

npu::RunRecord thousand_cycles() {
  npu::RunRecord run;
  run.network = "net";
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.clock_hz = 500e6;
  run.cycles = 1000;
  return run;
}

report::Layer layer_of(std::uint64_t exclusive, std::uint64_t inclusive) {
  report::Layer layer{};
  layer.name = "L";
  layer.macs = 6400;
  layer.exclusive = exclusive;
  layer.inclusive = inclusive;
  layer.bytes[0] = {{"ifm", 100}};
  layer.bytes[1] = {{"weights", 230}};
  return layer;
}

npu::OperationTiming accesses(std::uint64_t start, const std::vector<npu::Movement>& memory) {
  npu::OperationTiming operation;
  operation.start = start;
  operation.end = start + 10;
  operation.memory = memory;
  return operation;
}

}  // namespace

TEST_CASE("figures of a layer in a report have the units of their names") {
  report::Summary summary;
  summary.layers = {layer_of(250, 100)};
  const auto json = report::summary_json(thousand_cycles(), summary);
  CHECK(json["milliseconds"] == Approx(1000 / 500e6 * 1e3));
  const auto& layer = json["layers"][0];
  CHECK(layer["milliseconds"] == Approx(250 / 500e6 * 1e3));
  CHECK(layer["share"] == Approx(0.25));
  CHECK(layer["utilisation"] == Approx(6400. / (100 * 128)));
  CHECK(layer["bytes"]["axi1"]["weights"] == 230);
}

TEST_CASE("a report lists twenty tensors at the peak") {
  for (const std::size_t count : {19, 20, 21}) {
    report::Summary summary;
    summary.layers = {layer_of(1, 1)};
    summary.layer_of = {0};
    summary.memory[0].at_peak.resize(count);
    CHECK(report::summary_json(thousand_cycles(), summary)["memory"]["axi0"]["at_peak"].size() ==
          std::min<std::size_t>(count, 20));
  }
}

TEST_CASE("bytes are alive up to their last reader, and to the end of the run where they are not read") {
  auto run = thousand_cycles();
  run.operations = {accesses(0, {{"ofm", 1, 10, 0, 9, true}}), accesses(10, {{"ifm", 1, 10, 0, 9, false}}),
                    accesses(20, {{"ofm", 1, 3, 3, 5, true}})};
  std::map<std::uint64_t, std::uint64_t> ends;
  for (const auto& life : report::lifetimes_of(run))
    for (auto byte = life.first; byte <= life.last; ++byte) ends[byte] = std::max(ends[byte], life.end);
  for (const auto& [byte, end] : ends) {
    INFO("byte " << byte);
    CHECK(end == (byte >= 3 && byte <= 5 ? run.cycles : 20));
  }
}

TEST_CASE("a JUnit message is the first line, up to 160 characters of it") {
  const auto has = [](std::size_t size, const std::string& message) {
    const std::string failure = std::string(size, 'x') + "\nsecond line";
    return report::junit_xml({{"s", {{"c", "n", failure, "", 1}}}}).find("message=\"" + message + "\"") !=
           std::string::npos;
  };
  CHECK(has(159, std::string(159, 'x')));
  CHECK(has(160, std::string(160, 'x')));
  CHECK(has(161, std::string(160, 'x') + "..."));
}

TEST_CASE("a comparison's page has the bytes of both sides") {
  report::LabelledRun run{"a", thousand_cycles(), {}};
  run.summary.layers = {layer_of(1, 1), layer_of(1, 1)};
  CHECK(report::comparison_html({run, run}).find("\"bytes\":660") != std::string::npos);
}

TEST_CASE("spans of a page end at the nearest whole cycle") {
  auto run = thousand_cycles();
  run.operations = {accesses(0, {})};
  run.operations[0].command = 4;
  run.activity = {{0, "mac", 1000, {{4, 1499, 2500, 499}, {5, 3500, 5499, 1500}}}};
  report::Summary summary;
  summary.layer_of = {0};
  summary.layers = {layer_of(1, 1)};
  CHECK(report::page_data(run, summary)["activity"][0]["data"] == nlohmann::json{0, 1, 2, 0, -1, 1, 1, 2});
}

TEST_CASE("an event is a whole number or a name") {
  const auto& u55 = *npu::find_accelerator("ethos-u55-128");
  CHECK(run::select_events(u55, {"48"}));
  for (const char* text : {"48x", "48 ", "0x30", ""}) CHECK_FALSE(run::select_events(u55, {text}));
}

TEST_CASE("a printed configuration has the addresses that were given, by their names") {
  const auto setup = report::setup_json(*npu::find_accelerator("ethos-u55-128"),
                                        {.params = {{"stream.address", 32}, {"region0.address", 48}}});
  REQUIRE(setup);
  const auto& addresses = (*setup)["addresses"];
  CHECK(addresses.size() == 2);
  CHECK(addresses["stream"]["value"] == 32);
  CHECK(addresses["region0"]["value"] == 48);
}
