#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "tests/support/networks/random_graph.hpp"

#include <cstdlib>
#include <string>

using namespace macaw;

namespace {

constexpr const char* kAccelerators[] = {"ethos-u55-32",  "ethos-u55-64",   "ethos-u55-128", "ethos-u55-256",
                                         "ethos-u65-256", "ethos-u65-512",  "ethos-u85-128", "ethos-u85-256",
                                         "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"};

/// Graphs per accelerator; MACAW_DIFFERENTIAL_GRAPHS asks for more.
std::uint64_t graph_count() {
  const char* text = std::getenv("MACAW_DIFFERENTIAL_GRAPHS");
  return text ? std::strtoull(text, nullptr, 10) : 200;
}

std::string text(const Error& error) { return error.to_string(); }

std::vector<Tensor> interpret(const tosa::Graph& graph, const std::vector<Tensor>& inputs) {
  auto run = tosa::run(graph, inputs);
  if (!run) FAIL(text(run.error()));
  if (const auto* finding = run->verdict.first()) FAIL(finding->to_string());
  return run->outputs;
}

std::vector<Tensor> simulate(const npu::Compiled& compiled, const std::vector<Tensor>& inputs) {
  std::vector<npu::NamedTensor> named;
  for (const auto& t : inputs) named.push_back({"", t});
  auto run = npu::run_functional(npu::to_artifact(compiled), *compiled.network.accelerator, named);
  if (!run) FAIL(text(run.error()));
  return run->outputs;
}

/// Index of the first differing element, or -1.
std::int64_t first_difference(const Tensor& a, const Tensor& b) {
  if (a.size() != b.size()) return 0;
  const auto x = a.data<std::int8_t>(), y = b.data<std::int8_t>();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i]) return static_cast<std::int64_t>(i);
  return -1;
}

}  // namespace

TEST_CASE("a compiled graph gives what the interpreter gives") {
  std::uint64_t compiled_graphs = 0, varied = 0;
  for (std::uint64_t seed = 0; seed < graph_count(); ++seed) {
    const auto graph = test::random_graph(seed);
    const auto inputs = models::sample_inputs(graph, seed);
    REQUIRE(inputs);
    const auto expected = interpret(graph, *inputs);
    for (const auto& t : expected) varied += first_difference(t, Tensor(t.dtype(), t.shape())) >= 0;
    for (const char* name : kAccelerators) {
      INFO("seed " << seed << " on " << name);
      // Without fast scratch, with room for some of the maps, and for all.
      const std::uint64_t fast = std::array<std::uint64_t, 3>{0, 3000, UINT64_MAX}[seed % 3];
      const auto compiled = npu::compile(graph, *npu::find_accelerator(name), {.fast_memory = fast});
      if (!compiled) FAIL(text(compiled.error()));
      ++compiled_graphs;
      const auto got = simulate(*compiled, *inputs);
      REQUIRE(got.size() == expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = first_difference(expected[i], got[i]);
        INFO("output " << i << " element " << at);
        REQUIRE(at == -1);
      }
    }
  }
  CHECK(compiled_graphs == graph_count() * std::size(kAccelerators));
  CHECK(varied > graph_count() / 2);
}

TEST_CASE("bundled models give what the interpreter gives") {
  for (const auto& model : models::all()) {
    if (model.is_step) continue;  // python.steps: for Ethos-U85, which alone moves rows by index
    const auto graph = model.build({.tiny = true});
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const auto inputs = models::sample_inputs(graph, seed);
      REQUIRE(inputs);
      const auto expected = interpret(graph, *inputs);
      for (const char* name : kAccelerators) {
        INFO(model.name << " on " << name);
        const auto compiled = npu::compile(graph, *npu::find_accelerator(name), {.fast_memory = seed == 1 ? 4096 : 0U});
        if (!compiled) FAIL(text(compiled.error()));
        const auto got = simulate(*compiled, *inputs);
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) CHECK(first_difference(expected[i], got[i]) == -1);
      }
    }
  }
}
