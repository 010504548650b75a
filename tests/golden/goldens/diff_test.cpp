#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "workflow/golden/diff.hpp"

// Differences between runs, number by number; the runs are written out here.
using namespace macaw;
using nlohmann::json;

namespace {

json operation(int command) {
  return {{"step", 0}, {"command", command}, {"name", "NPU_OP_CONV"}, {"cycles", 1000}, {"written_crc32", "01234567"}};
}
json golden_run() {
  return {{"outputs", {{{"name", "out"}, {"dtype", "INT8"}, {"shape", {1, 4}}, {"crc32", "89abcdef"}}}},
          {"cycles", 1000},
          {"pmu", {{"ETHOSU_PMU_MAC_ACTIVE", 1000}, {"ETHOSU_PMU_NPU_IDLE", 0}}},
          {"operations", {operation(5), operation(9)}}};
}

std::vector<std::string> lines(const json& then, const json& now, const golden::Manifest& manifest = {}) {
  const auto runs = golden::diff({{"run", then}}, {{"run", now}}, manifest);
  REQUIRE(runs);
  REQUIRE(runs->size() == 1);
  return runs->front().lines;
}

}  // namespace

TEST_CASE("numbers may move by their tolerance, up and down alike, and by nothing without one") {
  struct Field {
    const char* tolerance;
    json::json_pointer at;
  };
  for (const Field& field :
       {Field{"cycles", "/cycles"_json_pointer}, Field{"pmu", "/pmu/ETHOSU_PMU_MAC_ACTIVE"_json_pointer},
        Field{"operation_cycles", "/operations/1/cycles"_json_pointer}})
    for (const int now : {0, 749, 750, 999, 1000, 1001, 1250, 1251, 4000}) {
      auto run = golden_run();
      run[field.at] = now;
      INFO(field.at << " is " << now);
      CHECK(lines(golden_run(), run).empty() == (now == 1000));
      golden::Manifest manifest;
      manifest.tolerances[field.tolerance] = 0.25;
      CHECK(lines(golden_run(), run, manifest).empty() == (now >= 750 && now <= 1250));
      // Another field's tolerance is not its own.
      golden::Manifest other;
      other.tolerances[std::string(field.tolerance) == "pmu" ? "cycles" : "pmu"] = 1;
      CHECK(lines(golden_run(), run, other).empty() == (now == 1000));
    }
}

TEST_CASE("a change is told with its sign and share") {
  auto run = golden_run();
  run["cycles"] = 990;
  run["pmu"]["ETHOSU_PMU_MAC_ACTIVE"] = 1005;
  run["pmu"]["ETHOSU_PMU_NPU_IDLE"] = 3;
  CHECK(lines(golden_run(), run) == std::vector<std::string>{"ETHOSU_PMU_MAC_ACTIVE: 1000 -> 1005 (+5, +0.50 %)",
                                                             "cycles: 1000 -> 990 (-10, -1.00 %)",
                                                             "ETHOSU_PMU_NPU_IDLE: 0 -> 3 (+3)"});
}

TEST_CASE("an event's own tolerance goes before that of all events, narrower or wider") {
  auto run = golden_run();
  run["pmu"]["ETHOSU_PMU_MAC_ACTIVE"] = 1100;
  golden::Manifest manifest;
  manifest.tolerances = {{"pmu", 0.5}, {"ETHOSU_PMU_MAC_ACTIVE", 0.0625}};
  CHECK(lines(golden_run(), run, manifest).size() == 1);
  manifest.tolerances = {{"pmu", 0.0625}, {"ETHOSU_PMU_MAC_ACTIVE", 0.5}};
  CHECK(lines(golden_run(), run, manifest).empty());
  manifest.tolerances = {{"pmu", 1}};
  run["pmu"]["ETHOSU_PMU_NPU_IDLE"] = 1;  // any change is more than a share of nothing
  CHECK(lines(golden_run(), run, manifest).size() == 1);
}

TEST_CASE("events, outputs, hashes and operations that come, go or change are differences at any tolerance") {
  golden::Manifest manifest;
  manifest.tolerances = {{"cycles", 1}, {"operation_cycles", 1}, {"pmu", 1}};
  const auto differs = [&](const char* pointer, const json& value) {
    auto run = golden_run();
    const json::json_pointer at(pointer);
    if (value.is_null()) run[at.parent_pointer()].erase(at.back());
    else run[at] = value;
    INFO(pointer);
    CHECK(lines(golden_run(), run, manifest).size() == 1);
    CHECK(lines(run, golden_run(), manifest).size() == 1);
  };
  differs("/outputs/0/name", "other");
  differs("/outputs/0/dtype", "UINT8");
  differs("/outputs/0/shape", json{4, 1});
  differs("/outputs/0/crc32", "89abcdee");
  differs("/operations/0/written_crc32", "01234566");
  differs("/operations/1/written_crc32", nullptr);
  differs("/pmu/ETHOSU_PMU_AXI0_RD_TRANS_ACCEPTED", 0);
  auto more = golden_run();
  more["outputs"].push_back(more["outputs"][0]);
  CHECK(lines(golden_run(), more, manifest).size() == 1);
  CHECK(lines(golden_run(), golden_run(), manifest).empty());
}

TEST_CASE("twenty operations are named, and how many more there are") {
  for (const int count : {19, 20, 21, 33}) {
    json then = golden_run();
    then["operations"] = json::array();
    for (int i = 0; i < count; ++i) then["operations"].push_back(operation(i));
    json now = then;
    for (auto& o : now["operations"]) o["cycles"] = 7;
    const auto all = lines(then, now);
    INFO(count);
    CHECK(all.size() == static_cast<std::size_t>(std::min(count, 20) + (count > 20)));
    const auto rest = fmt::format("... and {} more operation{}", count - 20, count == 21 ? "" : "s");
    CHECK((all.back() == rest) == (count > 20));
  }
}

TEST_CASE("a value that is not a count is refused as a golden") {
  for (const json& bad : {json(-1), json(1.5), json("7"), json(std::uint64_t{1} << 53), json(nullptr)}) {
    auto run = golden_run();
    run["cycles"] = bad;
    const auto refused = golden::diff({{"run", run}}, {{"run", golden_run()}}, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "not a golden: run 'run': cycles must be an integer from 0 to 9007199254740991");
  }
  auto run = golden_run();
  run.erase("pmu");
  CHECK(golden::diff({{"a run", run}}, {{"a run", golden_run()}}, {}).error().message ==
        "not a golden: run 'a run': key 'pmu' not found");
}

TEST_CASE("the time of the whole inference moves by the tolerance of cycles, and its CPU not at all") {
  auto then = golden_run(), now = golden_run();
  now["inference"] = {{"cpu", "cortex-m55 at 400 MHz"}, {"nanoseconds", 2000}, {"lower_bound", false}};
  CHECK(lines(then, now).empty());
  then["inference"] = now["inference"];
  then["inference"]["nanoseconds"] = 1600;
  CHECK(lines(then, now) == std::vector<std::string>{"whole inference, nanoseconds: 1600 -> 2000 (+400, +25.00 %)"});
  golden::Manifest manifest;
  manifest.tolerances = {{"cycles", 0.25}};
  CHECK(lines(then, now, manifest).empty());
  manifest.tolerances = {{"cycles", 0.2}};
  CHECK(lines(then, now, manifest).size() == 1);
  then["timing_model"] = 7;
  now["timing_model"] = 8;
  CHECK(golden::diff({{"run", then}}, {{"run", now}}, {})->front().only_timing_model);
  now["inference"]["cpu"] = "cortex-m85 at 400 MHz";
  CHECK_FALSE(golden::diff({{"run", then}}, {{"run", now}}, {})->front().only_timing_model);
  now.erase("inference");
  CHECK(lines(then, now) == std::vector<std::string>{"whole inference: no longer predicted"});
}

TEST_CASE("tolerances of a manifest are shares, names are its own") {
  const auto parsed = [](const std::string& tolerance, const std::string& second = "b") {
    return golden::parse_manifest("[[network]]\nname = \"a\"\nartifact = \"a.npz\"\n[[network]]\nname = \"" + second +
                                      "\"\nartifact = \"b.npz\"\n[tolerance]\n" + tolerance,
                                  "test")
        .has_value();
  };
  for (const std::string key : {"cycles", "operation_cycles", "pmu", "ETHOSU_PMU_MAC_ACTIVE"}) {
    CHECK(parsed(key + " = 0"));
    CHECK(parsed(key + " = 1"));
    CHECK(parsed(key + " = 0.01"));
    for (const char* bad : {" = 1.001", " = -0.001", " = nan", " = inf", " = \"1\""}) CHECK_FALSE(parsed(key + bad));
  }
  CHECK_FALSE(parsed("crc32 = 0"));
  CHECK_FALSE(parsed("", "a"));
}

namespace {

golden::RunDiff diff_of(const json& then, const json& now) {
  const auto runs = golden::diff({{"run", then}}, {{"run", now}}, {});
  REQUIRE(runs);
  return runs->front();
}

}  // namespace

TEST_CASE("another version of the timing model explains cycles, and nothing that is exact") {
  auto then = golden_run(), now = golden_run();
  then["timing_model"] = 7;
  now["timing_model"] = 8;
  CHECK(diff_of(then, now).lines.empty());

  now["cycles"] = 1100;
  now["operations"][1]["cycles"] = 1100;
  now["pmu"]["ETHOSU_PMU_NPU_IDLE"] = 3;
  auto diff = diff_of(then, now);
  CHECK(diff.only_timing_model);
  CHECK(diff.lines.front() == "timing model 7 -> 8 (see CHANGELOG.md)");
  CHECK(diff.lines.size() == 4);

  SECTION("of the same version it is a regression") {
    then["timing_model"] = 8;
    diff = diff_of(then, now);
    CHECK_FALSE(diff.only_timing_model);
    CHECK(diff.lines.front().starts_with("cycles: "));
  }
  SECTION("without a version in the golden it is a regression") {
    then.erase("timing_model");
    CHECK_FALSE(diff_of(then, now).only_timing_model);
  }
  for (const auto& [at, value] :
       std::vector<std::pair<json::json_pointer, json>>{{"/outputs/0/crc32"_json_pointer, "00000000"},
                                                        {"/pmu/ETHOSU_PMU_MAC_ACTIVE"_json_pointer, 1001},
                                                        {"/operations/0/written_crc32"_json_pointer, "00000000"},
                                                        {"/operations/0/name"_json_pointer, "NPU_OP_POOL"}}) {
    INFO(at);
    auto other = now;
    other[at] = value;
    diff = diff_of(then, other);
    CHECK_FALSE(diff.only_timing_model);
    CHECK_FALSE(diff.lines.front().starts_with("timing model"));
  }
}

TEST_CASE("bytes and memory of both sides are exact, and not compared with a golden that has none") {
  auto then = golden_run(), now = golden_run();
  now["bytes"] = {{"sram", 100}, {"ext", 7}};
  now["memory"] = {{"sram", 64}, {"ext", 7}};
  CHECK(lines(then, now).empty());
  then["bytes"] = {{"sram", 100}, {"ext", 8}};
  then["memory"] = {{"sram", 32}, {"ext", 7}};
  CHECK(lines(then, now) == std::vector<std::string>{"bytes read and written on ext: 8 -> 7 (-1, -12.50 %)",
                                                     "memory needed on sram: 32 -> 64 (+32, +100.00 %)"});
}

TEST_CASE("the first operation that wrote other bytes is named") {
  auto now = golden_run();
  CHECK(diff_of(golden_run(), now).first_wrong.empty());
  now["operations"][1]["written_crc32"] = "00000000";
  CHECK(diff_of(golden_run(), now).first_wrong == "stream 0 command 9 NPU_OP_CONV");
  now["operations"][0]["written_crc32"] = "00000000";
  CHECK(diff_of(golden_run(), now).first_wrong == "stream 0 command 5 NPU_OP_CONV");
}
