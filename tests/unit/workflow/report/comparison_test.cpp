#include "workflow/report/forms/comparison.hpp"

#include <catch2/catch.hpp>

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

using Places = std::vector<std::optional<std::size_t>>;

}  // namespace

TEST_CASE("layers are the same by the tensor in their names, or without the number of their command") {
  const auto none = std::nullopt;
  const std::vector<LabelledRun> runs = {
      labelled("a", 1, {{"Conv2D 'x' (operator 3)", 1}, {"POOL (stream 0 command 7)", 1}, {"Add 'it's'", 1}}),
      labelled("b", 1, {{"CONV2D 'x' (operator 9)", 1}, {"MaxPool 'y'", 1}, {"POOL (stream 0 command 8)", 1}}),
      labelled("c", 1, {{"POOL (stream 1 command 8)", 1}, {"Sub 'it's'", 1}})};
  const auto rows = report::align_layers(runs);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].name == "Conv2D 'x' (operator 3)");
  CHECK(rows[0].places == Places{0, 0, none});
  CHECK(rows[1].name == "MaxPool 'y'");
  CHECK(rows[1].places == Places{none, 1, none});
  CHECK(rows[2].places == Places{1, 2, 0});
  CHECK(rows[3].places == Places{2, none, 1});
}

TEST_CASE("a tensor's name may have quotes of its own") {
  CHECK(report::align_layers({labelled("a", 1, {{"Add 'it's'", 1}}), labelled("b", 1, {{"Sub 'it'd'", 1}})}).size() ==
        2);
}

TEST_CASE("layers that moved come first by how much, with signs, shares and bounds") {
  const auto lines =
      lines_of({labelled("then", 1000, {{"A 'a'", 100}, {"B 'b'", 500}, {"C 'c'", 8}, {"D 'd'", 392}}),
                labelled("now", 1250, {{"A 'a'", 150}, {"B 'b'", 250, "dma"}, {"D 'd'", 392}, {"E 'e'", 458}})});
  REQUIRE(lines.size() == 8);
  CHECK(lines[0] == "then: net.npz on ethos-u55-128, system some_system, Sram_Only: cycles 1000, 0.002 ms");
  CHECK_THAT(lines[1], Catch::EndsWith("cycles 1250, 0.003 ms, +250 (+25.0 %)") ||
                           Catch::EndsWith("cycles 1250, 0.002 ms, +250 (+25.0 %)"));
  CHECK(lines[2] == "layers that moved: 4 of 5");
  CHECK_THAT(lines[3], Catch::Contains("then") && Catch::Contains("now"));
  CHECK_THAT(lines[4], Catch::StartsWith("  E 'e'") && Catch::Contains("    not there          458  +458"));
  CHECK_THAT(lines[5], Catch::StartsWith("  B 'b'") && Catch::Contains(" 500          250  -250 (-50.0 %)") &&
                           Catch::EndsWith(" MAC array -> DMA"));
  CHECK_THAT(lines[6],
             Catch::StartsWith("  A 'a'") && Catch::Contains("+50 (+50.0 %)") && Catch::EndsWith(" MAC array"));
  CHECK_THAT(lines[7], Catch::StartsWith("  C 'c'") && Catch::EndsWith(" 8    not there  -8 (-100.0 %)"));
}

TEST_CASE("the last run is laid beside the first, whatever lies between them") {
  const auto runs = std::vector{labelled("a", 10, {{"A 'a'", 10}}), labelled("b", 77, {{"A 'a'", 77}}),
                                labelled("c", 10, {{"A 'a'", 10}})};
  const auto lines = lines_of(runs);
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[1], Catch::EndsWith("+67 (+670.0 %)"));
  CHECK_THAT(lines[2], Catch::EndsWith("+0 (+0.0 %)"));
  CHECK(lines[3] == "all 1 layers take as many cycles");
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
    CHECK((lines.back() == "  ... and " + std::to_string(count - 30) + " more") == (count > 30));
  }
}
