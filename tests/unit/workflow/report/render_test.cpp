#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include <macaw/npu/timed_simulator.hpp>
#include <macaw/npy.hpp>

#include "tests/support/checked.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/run/record_json.hpp"
#include "workflow/trace/forms/trace.hpp"

#include <set>

using namespace macaw;
using macaw::test::checked;
using nlohmann::json;

namespace {

/// Report of `macaw sim` for the bundled network.
json bundled_report() {
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
  const std::vector<npu::NamedTensor> inputs{{"", checked(read_tensor("traces/tiny_cnn/input_0.npy"))}};
  return report::to_json(checked(npu::execute({.artifact = artifact,
                                               .accelerator = *artifact.accelerator,
                                               .inputs = inputs,
                                               .options = {.system = "corstone-300-u55", .movements = true}})));
}

npu::RunRecord bundled_run() { return checked(run::parse_record(bundled_report().dump(), "report.json")); }

std::string gunzip(const std::vector<std::byte>& bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  std::string text(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') cells.emplace_back();
    else cells.back() += c;
  }
  return cells;
}

}  // namespace

TEST_CASE("a report comes back as it was written") {
  const auto run = bundled_run();
  CHECK(run.network == "tiny_cnn.npz");
  CHECK(run.accelerator->name == "ethos-u55-128");
  CHECK(run.clock_hz == 500e6);
  CHECK(run.operations.size() == 7);
  CHECK(run.pmu.counts.at("ETHOSU_PMU_NPU_ACTIVE") == run.cycles);
  // 32x32x3 to 16 by 3x3 with stride 2; 3x3 over 16; 16 to 16; 16 to 24 by 3x3 with stride 2; 384 to 10.
  CHECK(run.macs() == 16 * 16 * 16 * 27 + 16 * 16 * 16 * 9 + 16 * 16 * 16 * 16 + 8 * 8 * 24 * 16 * 9 + 384 * 10);
  // Traffic of the operations and of the command stream is what the counters show.
  const auto beats = [&](const char* event) { return run.pmu.counts.at(event) * 8; };
  CHECK(run.bytes(0, false) == beats("ETHOSU_PMU_AXI0_RD_DATA_BEAT_RECEIVED"));
  CHECK(run.bytes(0, true) == beats("ETHOSU_PMU_AXI0_WR_DATA_BEAT_WRITTEN"));
  CHECK(run.bytes(1, false) < beats("ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED"));
}

TEST_CASE("a file that is not a report is an error that says so") {
  const auto message = [](const std::string& text) {
    const auto run = run::parse_record(text, "x.json");
    return run ? std::string("accepted") : run.error().to_string();
  };
  auto report = bundled_report();
  CHECK(message(report.dump()) == "accepted");
  CHECK_THAT(message("{"), Catch::Contains("x.json"));
  CHECK_THAT(message("[]"), Catch::Contains("expected a JSON object"));
  CHECK_THAT(message("{}"), Catch::Contains("schema_version"));
  auto other = report;
  other["mode"] = "functional";
  CHECK_THAT(message(other.dump()), Catch::Contains("--mode timed"));
  for (const auto& [key, value] : report.items()) {
    if (key == "outputs" || key == "pmu_unmodelled" || key == "timing_adapter") continue;
    other = report;
    other.erase(key);
    if (const auto text = message(other.dump()); text == "accepted") continue;
    CHECK_THAT(message(other.dump()), Catch::Contains("not a report of macaw sim"));
  }
  other = report;
  other["operations"][0]["memory"][0]["region"] = 8;
  CHECK_THAT(message(other.dump()), Catch::Contains("operations[0].memory[0].region must be an integer from 0 to 7"));
  other = report;
  other["operations"][0]["end"] = 0;
  CHECK_THAT(message(other.dump()), Catch::Contains("operations[0].end is before its start"));
  other = report;
  other["clock_hz"] = 0;
  CHECK_THAT(message(other.dump()), Catch::Contains("clock_hz"));
}

TEST_CASE("the Chrome trace has what its format asks for, and no slices of a track overlap") {
  const auto trace = json::parse(trace::perfetto(bundled_run()));
  std::map<int, double> ends;
  std::set<int> named;
  std::size_t slices = 0;
  for (const auto& event : trace.at("traceEvents")) {
    CHECK(event.at("pid").is_number_integer());
    // Counters and the flows from producers to consumers, besides slices.
    if (const auto& kind = event.at("ph"); kind == "C" || kind == "s" || kind == "f") continue;
    const auto thread = event.contains("tid") ? event.at("tid").get<int>() : 0;
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_sort_index") continue;
      CHECK(event.at("args").at("name").is_string());
      if (event.at("name") == "thread_name") CHECK(named.insert(thread).second);
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    CHECK(named.contains(thread));
    CHECK(event.at("dur").get<double>() >= 0);
    CHECK(event.at("ts").get<double>() >= ends[thread] - 1e-9);
    ends[thread] = event.at("ts").get<double>() + event.at("dur").get<double>();
    ++slices;
  }
  CHECK(slices == 7);
}

// Durations by command as pytorch/executorch examples/arm/visualize.py (transform_events) finds them: a command lasts
// until the front end has come to the next one of the queue.
TEST_CASE("the pmu-trace gives every operation its time") {
  const auto run = bundled_run();
  const auto events = json::parse(gunzip(trace::pmu_trace(run))).at("traceEvents");
  std::vector<std::int64_t> durations;
  std::int64_t start = 0;
  std::size_t command = 0;
  for (const auto& event : events) {
    if (event.value("tid", "") != "qread" || command >= run.operations.size()) continue;
    const auto offset = 4 * event.at("args").at("qread").get<std::uint64_t>();
    const bool over = command + 1 >= run.operations.size() ? offset > run.operations[command].offset
                                                           : offset == run.operations[command + 1].offset;
    if (!over) continue;
    const auto end = event.at("ts").get<std::int64_t>() - 1;
    durations.push_back(end - start);
    start = end;
    ++command;
  }
  REQUIRE(durations.size() == run.operations.size());
  std::int64_t total = 0;
  for (const auto d : durations) {
    CHECK(d >= 0);
    total += d;
  }
  CHECK(total == static_cast<std::int64_t>(run.operations.back().end) - 1);
}

TEST_CASE("the CSV row fits its header and adds up") {
  const auto run = bundled_run();
  const auto text = report::render_csv(run, report::summarise(run));
  const auto line = text.find('\n');
  const auto names = split(text.substr(0, line)), values = split(text.substr(line + 1, text.size() - line - 2));
  REQUIRE(names.size() == values.size());
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values[i];
  CHECK(row.at("network") == "tiny_cnn.npz");
  CHECK(row.at("cycles_total") == std::to_string(run.cycles));
  CHECK(row.at("nn_macs") == std::to_string(run.macs()));
  CHECK(row.at("sram_total_bytes") == std::to_string(run.bytes(0, false) + run.bytes(0, true)));
  CHECK(row.at("off_chip_flash_total_bytes") == std::to_string(run.bytes(1, false)));
  CHECK(row.at("dram_total_bytes") == "0");
}

TEST_CASE("the page holds the run and nothing from elsewhere") {
  auto run = bundled_run();
  run.network = "</script><b>";
  const auto page = report::render_html(run, report::summarise(run));
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("http://") == std::string::npos);
  CHECK(page.find("https://") == std::string::npos);
  const std::string open = "id=\"run\">";
  const auto first = page.find(open) + open.size();
  const auto data = json::parse(page.substr(first, page.find("</script>", first) - first));
  CHECK(data.at("cycles") == run.cycles);
  CHECK(data.at("operations").at("start").size() == run.operations.size());
}

TEST_CASE("table and counter lines name what they show") {
  const auto run = bundled_run();
  const auto table = report::render_table(run, report::summarise(run));
  CHECK_THAT(table, Catch::Contains("NPU_OP_DEPTHWISE"));
  CHECK_THAT(table, Catch::Contains("cycles " + std::to_string(run.cycles)));
  CHECK_THAT(table, Catch::Contains(
                        fmt::format("MACs {}, {:.1f} % of the array's peak\n", run.macs(),
                                    100.0 * static_cast<double>(run.macs()) / static_cast<double>(128 * run.cycles))));
  std::array<std::array<std::uint64_t, 2>, 2> bytes{};
  for (const auto& o : run.operations)
    for (const auto& m : o.memory)
      bytes[static_cast<std::size_t>(run.region_side[static_cast<std::size_t>(m.region)])][m.write ? 1 : 0] += m.bytes;
  CHECK(bytes[0][0] != bytes[0][1]);
  for (const std::size_t side : {0, 1})
    CHECK_THAT(table, Catch::Contains(fmt::format("axi{}: {} bytes read, {} written by operations\n", side,
                                                  bytes[side][0], bytes[side][1])));
  const auto lines = trace::pmu_lines(run);
  CHECK_THAT(lines,
             Catch::StartsWith("Ethos-U PMU report:\nethosu_pmu_cycle_cntr : " + std::to_string(run.cycles) + "\n"));
  CHECK_THAT(lines, Catch::Contains("ethosu_pmu_cntr2 : " +
                                    std::to_string(run.pmu.counts.at("ETHOSU_PMU_AXI0_WR_DATA_BEAT_WRITTEN"))));
}

TEST_CASE("a number of a report with a sign, a fraction or too many digits is an error that names it") {
  const auto message = [](const json& report) {
    const auto run = run::parse_record(report.dump(), "x.json");
    return run ? std::string("accepted") : run.error().to_string();
  };
  for (const auto* number : {"-1", "1.5", "1e3", "18446744073709551616", "9007199254740993", "\"1\"", "null"}) {
    auto report = bundled_report();
    report["cycles"] = json::parse(number);
    CHECK_THAT(message(report), Catch::Contains("cycles must be an integer from 0"));
    report = bundled_report();
    report["operations"][1]["memory"][0]["region"] = json::parse(number);
    CHECK_THAT(message(report), Catch::Contains("operations[1].memory[0].region must be an integer"));
  }
  auto report = bundled_report();
  report["operations"][0]["stat"] = 0;
  CHECK_THAT(message(report), Catch::Contains("operations[0].stat is not known"));
  report = bundled_report();
  report["cycles_error"] = nullptr;
  CHECK(message(report) == "accepted");
}

TEST_CASE("a name cannot empty the page that shows it") {
  auto run = bundled_run();
  run.network = "<!--<script>";
  const auto page = report::render_html(run, report::summarise(run));
  CHECK(page.find("<!--<script>") == std::string::npos);
  CHECK(page.find("\\u003c!--\\u003cscript>") != std::string::npos);
}
