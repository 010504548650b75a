#include "workflow/golden/outputs.hpp"

#include <catch2/catch.hpp>

// Output of a golden check, for runs that are written out here.
using namespace macaw;
using nlohmann::json;

namespace {

std::vector<golden::CheckedFolder> two_folders() {
  return {{"a/golden.json",
           {{.name = "same", .lines = {}, .then = 1000, .now = 1000, .seconds = 0.5},
            {.name = "net_1/u55",
             .lines = {"cycles: 1000 -> 990", "a | b\nc"},
             .then = 1000,
             .now = 990,
             .seconds = 2,
             .first_wrong = "conv_2"}}},
          {"b/golden.json",
           {{.name = "gone", .lines = {"cannot be run"}, .then = 7, .now = {}, .seconds = 0},
            {.name = "new", .lines = {"is new"}, .then = 0, .now = 250, .seconds = 0}}}};
}

}  // namespace

TEST_CASE("a check of goldens as JSON has every run with its cycles") {
  const auto all = golden::checked_json(two_folders());
  CHECK(all.at("schema_version") == 1);
  CHECK(all.at("passed") == 1);
  CHECK(all.at("failed") == 3);
  REQUIRE(all.at("runs").size() == 4);
  CHECK(all.at("runs")[0] == json{{"file", "a/golden.json"},
                                  {"name", "same"},
                                  {"passed", true},
                                  {"accepted", false},
                                  {"only_timing_model", false},
                                  {"moved", json::array()},
                                  {"first_wrong", ""},
                                  {"golden_cycles", 1000},
                                  {"cycles", 1000}});
  CHECK(all.at("runs")[2] == json{{"file", "b/golden.json"},
                                  {"name", "gone"},
                                  {"passed", false},
                                  {"accepted", false},
                                  {"only_timing_model", false},
                                  {"moved", {"cannot be run"}},
                                  {"first_wrong", ""},
                                  {"golden_cycles", 7},
                                  {"cycles", nullptr}});
}

TEST_CASE("a check of goldens in Markdown has failures first, and no character that would be markup") {
  CHECK(golden::checked_markdown(two_folders()) ==
        "### Macaw goldens: 1 passed, 3 failed\n\n"
        "| run | | golden cycles | cycles | change | first operation that writes other bytes |\n"
        "|---|---|--:|--:|--:|---|\n"
        "| net\\_1/u55 | **failed** | 1000 | 990 | -10 (-1.00 %) | conv\\_2 |\n"
        "| gone | **failed** | 7 |  |  |  |\n"
        "| new | **failed** | 0 | 250 | +250 |  |\n"
        "| same | same | 1000 | 1000 | +0 |  |\n"
        "\n**net\\_1/u55**\n\n- cycles: 1000 -> 990\n- a \\| b c\n"
        "\n**gone**\n\n- cannot be run\n"
        "\n**new**\n\n- is new\n");
}

TEST_CASE("failures alone are issues of code quality, each known by what it is") {
  auto folders = two_folders();
  const auto issues = golden::code_quality(folders);
  REQUIRE(issues.size() == 3);
  CHECK(issues[0].at("description") == "net_1/u55: cycles: 1000 -> 990; a | b\nc");
  CHECK(issues[0].at("severity") == "major");
  CHECK(issues[1].at("severity") == "critical");
  CHECK(issues[1].at("location").at("path") == "b/golden.json");
  const auto fingerprint = [&] { return golden::code_quality(folders)[0].at("fingerprint"); };
  const auto before = fingerprint();
  CHECK(before.get<std::string>().size() == 8);
  folders[0].runs[1].seconds = 3;
  CHECK(fingerprint() == before);
  for (auto* part : {&folders[0].file, &folders[0].runs[1].name, &folders[0].runs[1].lines[1]}) {
    const auto kept = *part;
    *part += "x";
    CHECK(fingerprint() != before);
    *part = kept;
  }
}

TEST_CASE("benchmarks are the runs that there were, and suites have all of them") {
  CHECK(golden::benchmark(two_folders()) == json{{{"name", "same"}, {"unit", "cycles"}, {"value", 1000}},
                                                 {{"name", "net_1/u55"}, {"unit", "cycles"}, {"value", 990}},
                                                 {{"name", "new"}, {"unit", "cycles"}, {"value", 250}}});
  const auto suites = golden::junit_suites(two_folders());
  REQUIRE(suites.size() == 2);
  CHECK(suites[1].name == "macaw golden b/golden.json");
  REQUIRE(suites[0].cases.size() == 2);
  CHECK(suites[0].cases[0].failure.empty());
  CHECK(suites[0].cases[1].failure == "cycles: 1000 -> 990\na | b\nc");
  CHECK(suites[0].cases[1].seconds == 2);
}

TEST_CASE("a run that another timing model explains passes everywhere where that is accepted, and nowhere else") {
  std::vector<golden::CheckedFolder> folders{
      {"a/golden.json",
       {{.name = "net", .lines = {"cycles: 7 -> 8"}, .then = 7, .now = 8, .seconds = 0, .only_timing_model = true}}}};
  auto& run = folders[0].runs[0];
  for (const bool accepted : {false, true}) {
    run.accepted = accepted;
    CHECK(run.passed() == accepted);
    CHECK(golden::count_runs(folders).good() == accepted);
    CHECK(golden::badge(folders).at("message") == (accepted ? "1 passed" : "1 of 1 failed"));
    CHECK(golden::badge(folders).at("isError") == !accepted);
    CHECK(golden::checked_json(folders).at("failed") == (accepted ? 0 : 1));
    CHECK(golden::checked_json(folders).at("runs")[0].at("passed") == accepted);
    CHECK(golden::checked_json(folders).at("runs")[0].at("accepted") == accepted);
    CHECK_THAT(golden::checked_markdown(folders),
               Catch::Contains(accepted ? "1 passed, 0 failed" : "0 passed, 1 failed") &&
                   Catch::Contains(accepted ? "| accepted: timing model |" : "| **failed**: timing model |"));
    CHECK(golden::code_quality(folders).size() == (accepted ? 0 : 1));
    const auto suites = golden::junit_suites(folders);
    CHECK(suites[0].cases[0].failure.empty() == accepted);
    CHECK((suites[0].output == "accepted: net\ncycles: 7 -> 8\n") == accepted);
  }
}

TEST_CASE("a check without runs has not passed") {
  using Folders = std::vector<golden::CheckedFolder>;
  for (const auto& folders : {Folders(), Folders{{"a/golden.json", {}}}}) {
    CHECK_FALSE(golden::count_runs(folders).good());
    CHECK(golden::badge(folders).at("message") == "no runs");
    CHECK(golden::badge(folders).at("color") == "red");
  }
}

TEST_CASE("a badge says how many runs failed") {
  auto folders = two_folders();
  CHECK(golden::badge(folders).at("message") == "3 of 4 failed");
  CHECK(golden::badge(folders).at("color") == "red");
  folders = {{"a/golden.json", {folders[0].runs[0]}}};
  CHECK(golden::badge(folders).at("message") == "1 passed");
  CHECK(golden::badge(folders).at("color") == "brightgreen");
}
