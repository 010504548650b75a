#include "workflow/report/forms/compared_inference.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

// Whole inferences side by side, from predictions that are written out here.
using namespace macaw;
using report::LabelledRun;

namespace {

LabelledRun labelled(const char* label, std::vector<npu::InferenceRow> rows) {
  LabelledRun run{label, {}, {}};
  npu::Inference whole;
  for (const auto& row : rows) whole.ms += row.ms.value_or(0);
  whole.low_ms = whole.ms / 2;
  whole.high_ms = 2 * whole.ms;
  whole.rows = std::move(rows);
  run.run.inference = std::move(whole);
  return run;
}

npu::InferenceRow row(const char* kind, const char* name, std::optional<double> ms) {
  return {.kind = kind, .name = name, .ms = ms, .source = {}};
}

/// The second run has another kernel of SOFTMAX, one PAD less and a part without a cost.
std::vector<LabelledRun> two_runs() {
  return {labelled("a", {row("npu", "NPU", 1.5), row("cpu", "PAD", 0.25), row("cpu", "PAD", 0.125),
                         row("cpu", "SOFTMAX", 2)}),
          labelled("b", {row("npu", "NPU", 1.5), row("cpu", "PAD", 0.25), row("cpu", "SOFTMAX", 3),
                         row("cpu", "CUSTOM", {})})};
}

}  // namespace

TEST_CASE("parts that differ are listed under the totals, the greatest change first") {
  const auto text = report::compared_inference_text(two_runs());
  CHECK(text.starts_with("whole inference, predicted: a 3.875 ms (1.938 to 7.750), b 4.750 ms (2.375 to 9.500)\n"));
  const auto softmax = text.find("SOFTMAX"), pad = text.find("PAD");
  CHECK(softmax < pad);
  CHECK(text.find("+1.000") != std::string::npos);
  CHECK(text.find("-0.125") != std::string::npos);
  CHECK(text.find("NPU") == std::string::npos);
  // A part without a known cost is not one of no time: the change that it makes is unknown.
  const auto custom = text.find("CUSTOM");
  REQUIRE(custom < softmax);
  const auto line = text.substr(custom, text.find('\n', custom) - custom);
  CHECK_THAT(line, Catch::Matches("CUSTOM +- +unknown +unknown"));
  CHECK(report::compared_inference_markdown(two_runs()).find("| CUSTOM | - | unknown | unknown |\n") !=
        std::string::npos);
}

TEST_CASE("a part whose cost is unknown in both runs is not a change, and one whose cost becomes known is") {
  const auto text = report::compared_inference_text(
      {labelled("a", {row("npu", "NPU", 1), row("cpu", "CUSTOM", {}), row("cpu", "TILE", {})}),
       labelled("b", {row("npu", "NPU", 1), row("cpu", "CUSTOM", {}), row("cpu", "TILE", 0.25)})});
  CHECK(text.find("CUSTOM") == std::string::npos);
  const auto tile = text.find("TILE");
  REQUIRE(tile != std::string::npos);
  CHECK_THAT(text.substr(tile), Catch::Matches("TILE +unknown +0.250 +unknown\n"));
}

TEST_CASE("JSON has every part with its time in each run") {
  const auto json = report::compared_inference_json(two_runs());
  CHECK(json.at("totals").at(1).at("ms") == 4.75);
  REQUIRE(json.at("parts").size() == 5);
  CHECK(json.at("parts").at(1).at("ms") == nlohmann::json{0.25, 0.25});
  CHECK(json.at("parts").at(2).at("ms") == nlohmann::json{0.125, nullptr});
  const nlohmann::json custom = {
      {"kind", "cpu"}, {"name", "CUSTOM"}, {"exists", {false, true}}, {"ms", {nullptr, nullptr}}};
  CHECK(json.at("parts").at(4) == custom);
}

TEST_CASE("without a prediction of each run nothing is compared, and a lower bound is called one") {
  auto runs = two_runs();
  runs[1].run.inference->lower_bound = true;
  CHECK(report::compared_inference_text(runs).find("b at least 4.750 ms") != std::string::npos);
  CHECK(report::compared_inference_markdown(runs).find(
            "| total | 3.875 ms (1.938 to 7.750) | at least 4.750 ms | unknown |") != std::string::npos);
  runs[0].run.inference.reset();
  CHECK(report::compared_inference_text(runs).empty());
  CHECK(report::compared_inference_markdown(runs).empty());
  CHECK(report::compared_inference_json(runs).is_null());
}
