#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <set>

#include <macaw/tosa/interpreter.hpp>

#include "tests/differential/operators/evaluate.hpp"
#include "tests/differential/operators/random_graph.hpp"

using namespace macaw;
using namespace macaw::test;

namespace {

/// Graphs to run; MACAW_FUZZ_RUNS asks for more.
std::uint64_t graph_count() {
  const char* text = std::getenv("MACAW_FUZZ_RUNS");
  return text ? std::strtoull(text, nullptr, 10) : 400;
}

struct Variant {
  const char* name;
  tosa::Kernels kernels;
  int threads;
};
constexpr Variant kVariants[] = {{"best kernels", tosa::Kernels::kBest, 1},
                                 {"scalar kernels", tosa::Kernels::kScalar, 1}};

void check_run(const CaseGraph& made, const std::vector<Tensor>& expected, bool predictable) {
  for (const auto& variant : kVariants) {
    INFO(variant.name);
    tosa::Options options;
    options.kernels = variant.kernels;
    options.threads = variant.threads;
    const auto run = tosa::run(made.graph, made.inputs, options);
    if (!run) FAIL(run.error().to_string());
    const auto* finding = run->verdict.first();
    INFO((finding ? finding->to_string() : "valid"));
    REQUIRE(run->verdict.status() == (predictable ? tosa::Status::kValid : tosa::Status::kUnpredictable));
    if (!predictable) continue;
    REQUIRE(run->outputs.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto &got = run->outputs[i], &want = expected[i];
      INFO("output " << i << " " << to_string(got.dtype()) << " " << to_string(got.shape()));
      REQUIRE(got.dtype() == want.dtype());
      REQUIRE(got.shape() == want.shape());
      const auto differs = std::ranges::mismatch(got.bytes(), want.bytes());
      INFO("first difference in byte " << differs.in1 - got.bytes().begin());
      REQUIRE((differs.in1 == got.bytes().end()));
    }
  }
}

}  // namespace

TEST_CASE("every row of every operator gives what the naive operator gives") {
  Random random(1);
  std::size_t rows = 0, valid = 0, cases = 0;
  for (const auto* definition : tosa::definitions()) {
    if (!find_cases(definition->op) || !has_naive(definition->op)) continue;
    for (std::size_t r = 0; r < definition->rows.size(); ++r) {
      const auto& row = definition->rows[r];
      if (!row.kernel) continue;
      ++rows;
      for (int i = 0; i < 4; ++i, ++cases) {
        INFO(to_string(definition->op) << " row " << r << " case " << i);
        const auto c = make_case(random, *definition, row);
        const auto expected = evaluate(c);
        valid += expected.has_value();
        check_run(graph_of(c), expected.value_or(std::vector<Tensor>()), expected.has_value());
      }
    }
  }
  INFO(valid << " of " << cases << " cases are predictable");
  CHECK(valid > cases * 9 / 10);
  CHECK(rows > 500);
}

TEST_CASE("random graphs give what the naive operators give") {
  std::map<tosa::Op, std::size_t> used;
  std::size_t valid = 0;
  for (std::uint64_t seed = 0; seed < graph_count(); ++seed) {
    INFO("seed " << seed);
    const auto graph = random_operators(seed);
    std::string names;
    for (const auto op : graph.ops) {
      ++used[op];
      names += std::string(to_string(op)) + " ";
    }
    INFO(names);
    check_run(graph.made, graph.expected, graph.predictable);
    valid += graph.predictable;
  }
  CHECK(valid > graph_count() * 3 / 4);
  if (graph_count() < 400) return;
  for (const auto* definition : tosa::definitions())
    if (find_cases(definition->op) && has_naive(definition->op)) {
      INFO(to_string(definition->op));
      CHECK(used[definition->op] > 0);
    }
}

TEST_CASE("operators without a naive implementation are named") {
  // Graphs of these cannot be told from one operator and its types alone; they have tests of their own.
  const std::set<std::string_view> expected{"COND_IF",  "WHILE_LOOP",     "CUSTOM",
                                            "VARIABLE", "VARIABLE_WRITE", "VARIABLE_READ"};
  for (const auto* definition : tosa::definitions()) {
    const auto name = to_string(definition->op);
    const bool missing = !find_cases(definition->op) || !has_naive(definition->op);
    INFO(name);
    CHECK(missing == expected.contains(name));
  }
}
