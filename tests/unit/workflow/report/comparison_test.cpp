#include "workflow/report/forms/comparison.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace macaw;
using report::LabelledRun;

namespace {

struct Cycles {
  const char* layer;
  std::uint64_t cycles;
  const char* unit = "mac";
};

LabelledRun labelled(const char* label, std::uint64_t cycles, const std::vector<Cycles>& layers) {
  LabelledRun run{label, {}, {}};
  run.run.network = "net.npz";
  run.run.system = "some_system";
  run.run.memory_mode = "Sram_Only";
  run.run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.run.clock_hz = 500e6;
  run.run.cycles = cycles;
  for (const auto& l : layers) {
    report::Layer layer{};
    layer.name = l.layer;
    layer.exclusive = l.cycles;
    layer.bound = {l.unit, ""};
    run.summary.layers.push_back(layer);
  }
  return run;
}

std::vector<std::string> lines_of(const std::vector<LabelledRun>& runs) {
  std::vector<std::string> lines(1);
  for (const char c : report::comparison_text(runs))
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  lines.pop_back();
  return lines;
}

/// The layers of a row by run, by number.
std::vector<std::vector<std::size_t>> places(const report::LayerRow& row) {
  std::vector<std::vector<std::size_t>> all;
  for (const auto& run : row.runs) all.push_back(run ? run->layers : std::vector<std::size_t>());
  return all;
}

using Places = std::vector<std::vector<std::size_t>>;

}  // namespace

TEST_CASE("layers are the same by the tensor in their names, or without the number of their command") {
  const std::vector<LabelledRun> runs = {
      labelled("a", 1, {{"Conv2D 'x' (operator 3)", 1}, {"POOL (stream 0 command 7)", 1}, {"Add 'it's'", 1}}),
      labelled("b", 1, {{"CONV2D 'x' (operator 9)", 1}, {"MaxPool 'y'", 1}, {"POOL (stream 0 command 8)", 1}}),
      labelled("c", 1, {{"POOL (stream 1 command 8)", 1}, {"Sub 'it's'", 1}})};
  const auto rows = report::align_layers(runs);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].name == "Conv2D 'x' (operator 3)");
  CHECK(places(rows[0]) == Places{{0}, {0}, {}});
  CHECK(rows[1].name == "MaxPool 'y'");
  CHECK(places(rows[1]) == Places{{}, {1}, {}});
  CHECK(places(rows[2]) == Places{{1}, {2}, {0}});
  CHECK(places(rows[3]) == Places{{2}, {}, {1}});
}

TEST_CASE("a tensor's name may have quotes of its own") {
  CHECK(report::align_layers({labelled("a", 1, {{"Add 'it's'", 1}}), labelled("b", 1, {{"Sub 'it'd'", 1}})}).size() ==
        2);
}

TEST_CASE("layers that changed come first by how much, and apart from them those without a counterpart") {
  const auto lines =
      lines_of({labelled("then", 1000, {{"A 'a'", 100}, {"B 'b'", 500}, {"C 'c'", 8}, {"D 'd'", 392}}),
                labelled("now", 1250, {{"A 'a'", 150}, {"B 'b'", 250, "dma"}, {"D 'd'", 392}, {"E 'e'", 458}})});
  REQUIRE(lines.size() == 10);
  CHECK(lines[0] == "then: net.npz on ethos-u55-128, system some_system, Sram_Only: cycles 1000, 0.002 ms");
  CHECK_THAT(lines[1], Catch::Contains("cycles 1250, 0.00") &&
                           Catch::EndsWith(" ms, +250 (+25.0 %), 1.25x slower (+25.0 % time)"));
  CHECK(lines[2] == "2 of 3 layers that have a counterpart changed");
  CHECK_THAT(lines[3], Catch::Contains("then") && Catch::Contains("now"));
  CHECK_THAT(lines[4], Catch::StartsWith("  B 'b'") && Catch::Contains(" 500            250  -250 (-50.0 %)") &&
                           Catch::EndsWith(" MAC array -> DMA"));
  CHECK_THAT(lines[5],
             Catch::StartsWith("  A 'a'") && Catch::Contains("+50 (+50.0 %)") && Catch::EndsWith(" MAC array"));
  CHECK(lines[6] == "2 layers have no counterpart");
  CHECK_THAT(lines[8], Catch::StartsWith("  E 'e'") && Catch::Contains(" no counterpart            458 ") &&
                           Catch::EndsWith(" MAC array"));
  CHECK_THAT(lines[9], Catch::StartsWith("  C 'c'") && Catch::Contains(" 8 no counterpart"));
}

TEST_CASE("a comparison says by what factor the last run is faster") {
  const auto twice = std::vector{labelled("a", 500, {{"A 'a'", 500}}), labelled("b", 200, {{"A 'a'", 200}})};
  CHECK(report::speed_up(twice) == Approx(2.5));
  CHECK(report::percent_slower(twice) == Approx(-60));
  CHECK_THAT(lines_of(twice)[1], Catch::EndsWith("2.50x faster (-60.0 % time)"));
  const auto json = report::comparison_json(twice);
  CHECK(json.at("runs").at(1).at("speed_up") == Approx(2.5));
  CHECK(json.at("layers").at(0).at("cycles") == nlohmann::json{500, 200});
  const auto markdown = report::comparison_markdown(twice);
  CHECK_THAT(markdown, Catch::StartsWith("### b: 2\\.50x faster"));
  CHECK_THAT(markdown, Catch::Contains("| A 'a' | 500 | 200 | -300 (-60.0 %) | MAC array |"));
  // The clock counts as well.
  auto clocked = twice;
  clocked.back().run.clock_hz = 100e6;
  CHECK(report::percent_slower(clocked) == Approx(100));
}

TEST_CASE("the last run is laid beside the first, whatever lies between them") {
  const auto runs = std::vector{labelled("a", 10, {{"A 'a'", 10}}), labelled("b", 77, {{"A 'a'", 77}}),
                                labelled("c", 10, {{"A 'a'", 10}})};
  const auto lines = lines_of(runs);
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[1], Catch::EndsWith("+67 (+670.0 %), 7.70x slower (+670.0 % time)"));
  CHECK_THAT(lines[2], Catch::EndsWith("+0 (+0.0 %), as fast"));
  CHECK(lines[3] == "no layer that has a counterpart changed");
}

TEST_CASE("thirty layers are shown, and how many more there are") {
  for (const std::size_t count : {30, 31, 40}) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("L '" + std::to_string(i) + "'");
    std::vector<Cycles> then, now;
    for (const auto& name : names) {
      then.push_back({name.c_str(), 1});
      now.push_back({name.c_str(), 2});
    }
    const auto lines = lines_of({labelled("a", 10, then), labelled("b", 10, now)});
    INFO(count);
    CHECK(lines.size() == 4 + 30 + (count > 30));
    CHECK((lines.back() == "  ... and " + std::to_string(count - 30) + " more rows (--json and --html have all)") ==
          (count > 30));
  }
}
