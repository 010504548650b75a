#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>

#include <macaw/tosa/custom.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "tests/differential/operators/naive/execution.hpp"
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
                                 {"best kernels, 3 threads", tosa::Kernels::kBest, 3},
                                 {"scalar kernels", tosa::Kernels::kScalar, 1},
                                 {"scalar kernels, 2 threads", tosa::Kernels::kScalar, 2}};

/// Result of a run with the naive operators.
struct Expected {
  bool predictable = true;
  std::vector<Tensor> outputs;
  naive::Variables variables;
};

/// Results of consecutive runs; none after an unpredictable one, nor for one whose rounding is unspecified.
std::vector<Expected> expect(const CaseGraph& made, int runs) {
  std::vector<Expected> all;
  for (int i = 0; i < runs && (i == 0 || all.back().predictable); ++i) {
    naive::Execution execution(made.graph, i == 0 ? naive::Variables() : all.back().variables);
    auto& expected = all.emplace_back();
    try {
      expected.outputs = execution.run(made.graph.main(), made.inputs);
      expected.variables = execution.variables();
    } catch (const naive::Undecided&) {
      all.pop_back();
      return all;
    } catch (const naive::Unpredictable&) {
      expected.predictable = false;
    }
  }
  return all;
}

void require_equal(const Tensor& got, const Tensor& want) {
  INFO(to_string(got.dtype()) << " " << to_string(got.shape()));
  REQUIRE(got.dtype() == want.dtype());
  REQUIRE(got.shape() == want.shape());
  const auto differs = std::ranges::mismatch(got.bytes(), want.bytes());
  INFO("first difference in byte " << differs.in1 - got.bytes().begin());
  REQUIRE((differs.in1 == got.bytes().end()));
}

std::vector<std::string> findings_of(const tosa::RunResult& run) {
  std::vector<std::string> texts;
  for (const auto& finding : run.verdict.findings) texts.push_back(finding.rule + ": " + finding.to_string());
  return texts;
}

void check_run(const tosa::RunResult& run, const Expected& expected) {
  const auto* finding = run.verdict.first();
  INFO((finding ? finding->to_string() : "valid"));
  REQUIRE(run.verdict.status() == (expected.predictable ? tosa::Status::kValid : tosa::Status::kUnpredictable));
  if (!expected.predictable) return;
  REQUIRE(run.outputs.size() == expected.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    INFO("output " << i);
    require_equal(run.outputs[i], expected.outputs[i]);
  }
  REQUIRE(run.variables.size() == expected.variables.size());
  for (const auto& [name, contents] : expected.variables) {
    INFO("variable " << name);
    require_equal(run.variables.at(name), contents);
  }
}

void check_runs(const CaseGraph& made, const std::vector<Expected>& expected) {
  std::vector<std::vector<std::string>> findings(expected.size());
  for (const auto& variant : kVariants) {
    INFO(variant.name);
    tosa::Options options;
    options.kernels = variant.kernels;
    options.threads = variant.threads;
    options.share_all = true;
    tosa::Interpreter interpreter(made.graph, options);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO("run " << i);
      const auto run = interpreter.run(made.inputs);
      if (!run) FAIL(run.error().to_string());
      check_run(*run, expected[i]);
      if (&variant == kVariants) findings[i] = findings_of(*run);
      else REQUIRE(findings_of(*run) == findings[i]);
    }
  }
}

}  // namespace

TEST_CASE("every row of every operator gives what the naive operator gives") {
  Random random(1);
  std::size_t rows = 0, valid = 0, cases = 0;
  for (const auto* definition : tosa::definitions()) {
    if (!find_cases(definition->op)) continue;
    for (std::size_t r = 0; r < definition->rows.size(); ++r) {
      const auto& row = definition->rows[r];
      if (!row.kernel) continue;
      ++rows;
      for (int i = 0; i < 4; ++i, ++cases) {
        INFO(to_string(definition->op) << " row " << r << " case " << i);
        const auto made = graph_of(make_case(random, *definition, row));
        const auto expected = expect(made, 1);
        valid += !expected.empty() && expected[0].predictable;
        check_runs(made, expected);
      }
    }
  }
  INFO(valid << " of " << cases << " cases are predictable");
  CHECK(valid > cases * 9 / 10);
  CHECK(rows > 500);
}

TEST_CASE("random graphs give what the naive operators give") {
  REQUIRE(tosa::load_custom_ops(MACAW_CUSTOM_OP_EXAMPLE));
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
    const auto expected = expect(graph.made, graph.runs);
    check_runs(graph.made, expected);
    valid += !expected.empty() && expected.back().predictable;
  }
  INFO(valid << " of " << graph_count() << " graphs are predictable");
  CHECK(valid > graph_count() * 3 / 4);
  if (graph_count() < 400) return;
  for (const auto* definition : tosa::definitions()) {
    INFO(to_string(definition->op));
    CHECK(used[definition->op] > 0);
  }
}
