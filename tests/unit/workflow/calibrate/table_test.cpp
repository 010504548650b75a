#include "workflow/calibrate/table.hpp"
#include "tests/support/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "workflow/board/board_runs.hpp"
#include "workflow/calibrate/json_members.hpp"

// Tables of outcomes that are written out here, the board's file, and how deep and small what is measured may be.
using namespace macaw;
using namespace macaw::calibrate;

namespace {

struct HandMadeOutcomes {
  std::vector<Cell> cells;
  std::vector<Outcome> outcomes;

  HandMadeOutcomes() { cells.reserve(20); }
  /// Measured cycles; its error.
  Outcome& add(const char* accelerator, double error, bool adapter = true) {
    Cell& cell = cells.emplace_back();
    cell.id = cell.describe = "case" + std::to_string(cells.size());
    cell.group = "networks";
    cell.accelerator = npu::find_accelerator(accelerator);
    cell.error_bar = true;
    cell.options.timing_adapter = adapter;
    cell.cycles.emplace().value = 1000;
    Outcome& outcome = outcomes.emplace_back();
    outcome.cell = &cell;
    outcome.cycles = 1000;
    outcome.error = error;
    return outcome;
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A file of a board's runs with such a line.
Result<std::vector<Cell>> board_of(const std::string& line) {
  const macaw::test::TemporaryFolder folder;
  const auto file = folder / "board_runs.csv";
  std::ofstream(file) << board::kColumns << "\n" << line << "\n";
  return board::load_board_runs(file);
}

}  // namespace

TEST_CASE("error bars are rounded up to a tenth of a per cent, apart for adapter and accelerator") {
  HandMadeOutcomes all;
  all.add("ethos-u55-128", 0.0101);
  all.add("ethos-u55-128", -0.0301);
  all.add("ethos-u55-128", 0.05, false);
  all.add("ethos-u55-256", 0.2);
  all.add("ethos-u85-256", 0.001);
  all.add("ethos-u85-512", 0.5);
  all.cells.back().error_bar = false;
  CHECK(error_bar_rows(all.outcomes) ==
        "MACAW_ERROR_BAR(\"ethos-u55-128\", true, 2.1, 3.1, 2)\n"
        "MACAW_ERROR_BAR(\"ethos-u55-256\", true, 20.0, 20.0, 1)\n"
        "MACAW_ERROR_BAR(\"ethos-u85-256\", true, 0.1, 0.1, 1)\n"
        "MACAW_ERROR_BAR(\"ethos-u55-128\", false, 5.0, 5.0, 1)\n");
}

TEST_CASE("classes are of a family, a group and a set, and count what is as expected") {
  HandMadeOutcomes all;
  all.add("ethos-u55-128", 0.01).error_beyond_resolution = 0.005;
  all.add("ethos-u55-256", -0.25).error_beyond_resolution = -0.2;
  all.cells[1].fitted = true;
  all.add("ethos-u55-32", 0.02);
  all.add("ethos-u65-256", 0.04);
  all.cells[2].expected.resize(3);
  all.outcomes[2].wrong = {"MAC_ACTIVE 1 instead of 2"};
  all.add("ethos-u85-256", 0);
  all.cells[4].cycles.reset();
  all.cells[3].group = "sweep";
  const auto text = to_text(all.outcomes, {{"x", "why"}, {"y", "why"}});
  CHECK(count(text, "U55 ") == 2);
  CHECK(count(text, "U65 ") == 1);
  CHECK(count(text, "U85 ") == 0);  // nothing was measured
  CHECK_THAT(text, Catch::Contains("unseen       2    1.5 %    2.0 %    0.5 %  case3"));
  CHECK_THAT(text, Catch::Contains("fit          1   25.0 %   25.0 %   20.0 %  case2"));
  CHECK_THAT(text, Catch::Contains("case3: MAC_ACTIVE 1 instead of 2\n"));
  CHECK_THAT(text, Catch::Contains("counters: 2 of 3 as expected; 2 measurements left out"));
  const auto page = to_markdown(all.outcomes, {{"x", "why"}, {"y", "why"}, {"z", "else"}});
  CHECK_THAT(page, Catch::Contains("| U55 | networks | unseen | 2 | 1.5 % | 2.0 % | 0.5 % | 2 of 3 |"));
  CHECK_THAT(page, Catch::Contains("| U85 | networks | unseen | 1 | - | - | - |  |"));
  CHECK_THAT(page, Catch::Contains("| case2 | fit | 1000 | 1000 | -25.0 % |  |"));
  CHECK_THAT(page, Catch::Contains("| case5 | unseen | - | 1000 |  |  |"));
  CHECK(count(page, "\n### networks\n") == 1);  // although another class is between its cells
  CHECK(count(page, "\n### sweep\n") == 1);
  CHECK_THAT(page, Catch::Contains("- why: x, y\n- else: z\n"));
}

TEST_CASE("JSON of measurements is sixteen levels deep at most") {
  const auto nested = [](int levels) {
    std::string text = "1";
    for (int i = 0; i < levels; ++i) text = "[" + text + "]";
    return parse_strict_json(text, "x.json").has_value();
  };
  CHECK(nested(16));
  CHECK_FALSE(nested(17));
  CHECK(parse_strict_json(R"({"a": {"b": 1}, "b": {"b": 2}})", "x.json"));
  CHECK_FALSE(parse_strict_json(R"({"a": {"b": 1, "b": 2}})", "x.json"));
}

TEST_CASE("a number lies within its limits, and they belong to it") {
  const auto json = parse_strict_json(R"({"x": 3})", "x.json");
  REQUIRE(json);
  for (const auto& [least, most, taken] :
       {std::tuple{3.0, 3.0, true}, {2.0, 3.0, true}, {3.0, 4.0, true}, {3.1, 4.0, false}, {2.0, 2.9, false}}) {
    auto members = JsonMembers::of(*json, "", "x.json");
    REQUIRE(members);
    CHECK(members->number("x", least, most).has_value() == taken);
    CHECK_FALSE(members->number("y", least, most).value());
  }
}

TEST_CASE("a board's run has cycles above half of their resolution, or none") {
  struct Line {
    const char* text;
    bool taken;
  };
  for (const auto& [text, taken] : {Line{"ethos-u55-128,a.tflite,Shared_Sram,1000,0", true},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1000,1999", true},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1000,2000", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,0,0", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1,0", true},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,,", true},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,-1,0", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,281474976710655,0", true},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,281474976710656,0", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1x,0", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1", false},
                                    {"ethos-u55-128,a.tflite,Shared_Sram,1,0,0", false},
                                    {"ethos-u55-129,a.tflite,Shared_Sram,1,0", false},
                                    {"ethos-u55-128,,Shared_Sram,1,0", false},
                                    {"ethos-u55-128,a,m,1,0\nethos-u55-256,a,m,1,0", false},
                                    {"", false}}) {
    INFO(text);
    CHECK(board_of(text).has_value() == taken);
  }
  const auto cells = board_of("ethos-u55-128 , \"a.tflite\",Shared_Sram,1000,64\n\nethos-u55-128,b.tflite,m,,");
  REQUIRE(cells);
  REQUIRE(cells->size() == 2);
  const auto& [first, second] = std::pair((*cells)[0], (*cells)[1]);
  CHECK((first.network == "a.tflite" && first.options.memory_mode == "Shared_Sram" && first.options.system == "ideal"));
  CHECK((first.cycles->value == 1000 && first.cycles->resolution == 64));
  CHECK(first.artifact.filename() == "a.tflite");
  CHECK_FALSE(second.cycles);
}
