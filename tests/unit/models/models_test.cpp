#include <catch2/catch.hpp>

#include <macaw/tosa/interpreter.hpp>

#include "models/models.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <set>
#include <string>

using namespace macaw;
using macaw::test::checked;

namespace {

std::vector<std::byte> bytes_of(const tosa::Graph& graph) { return checked(tosa::write_graph(graph, graph.version)); }

template <class T>
std::set<int> distinct(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("every model runs, and its outputs use their range without sticking to its ends") {
  for (const auto& model : models::all()) {
    if (model.is_step) continue;  // several outputs, of scales that no sample chose
    for (const std::uint64_t seed : {1, 2}) {
      INFO(model.name << ", seed " << seed);
      const auto graph = model.build({.tiny = true, .seed = seed});
      const auto result = checked(tosa::run(graph, checked(models::sample_inputs(graph, seed))));
      REQUIRE(result.verdict.status() == tosa::Status::kValid);
      REQUIRE(result.outputs.size() == 1);
      const auto values = result.outputs.front().data<std::int8_t>();
      const auto at_ends = std::ranges::count_if(values, [](int v) { return v == -128 || v == 127; });
      CHECK(std::set<int>(values.begin(), values.end()).size() >= std::min<std::size_t>(values.size() * 6 / 10, 32));
      CHECK(at_ends * 3 <= std::ssize(values));
    }
  }
}

TEST_CASE("a model is the same bytes every time, and others for another seed") {
  for (const auto& model : models::all()) {
    INFO(model.name);
    const auto once = bytes_of(model.build({.tiny = true, .seed = 1}));
    CHECK(once == bytes_of(model.build({.tiny = true, .seed = 1})));
    if (model.name != "softmax" && model.name != "add")
      CHECK_FALSE(once == bytes_of(model.build({.tiny = true, .seed = 2})));
    CHECK(checked(tosa::parse_graph(once, "model")).main().operators.size() ==
          model.build({.tiny = true, .seed = 1}).main().operators.size());
  }
}

TEST_CASE("multiply-accumulates are those of the published networks") {
  // 300 M and 3.5 M parameters in the paper's table 4; 4.1 G for torchvision's ResNet-50; 2.7 M for MLPerf's DS-CNN.
  CHECK(models::multiply_accumulates(models::mobilenet_v2()) == 300'774'272);
  CHECK(models::multiply_accumulates(models::resnet50()) == 4'089'184'256);
  CHECK(models::multiply_accumulates(models::ds_cnn()) == 2'656'768);
}

TEST_CASE("sample inputs follow their seed") {
  const auto graph = models::tiny_cnn();
  CHECK(checked(models::sample_inputs(graph, 1)) == checked(models::sample_inputs(graph, 1)));
  CHECK(checked(models::sample_inputs(graph, 1)) != checked(models::sample_inputs(graph, 2)));
}

TEST_CASE("a step of each form runs, and its outputs are not all alike") {
  for (const auto& model : models::all()) {
    if (!model.is_step) continue;
    std::vector<std::string_view> types(model.activations.begin(), model.activations.end());
    if (types.empty()) types.emplace_back();
    for (const auto form : model.forms) {
      for (const auto type : types) {
        INFO(model.name << ", " << form << ", " << type);
        const auto graph = model.build({.tiny = true, .form = form, .activations = type});
        const auto result = checked(tosa::run(graph, checked(models::sample_inputs(graph, 1))));
        REQUIRE(result.verdict.status() == tosa::Status::kValid);
        const auto& first = result.outputs.front();
        std::set<int> values;
        if (type == "int16") values = distinct(first.data<std::int16_t>());
        else values = distinct(first.data<std::int8_t>());
        CHECK(values.size() >= std::min<std::size_t>(static_cast<std::size_t>(first.size()) / 4, 16));
      }
    }
  }
}
