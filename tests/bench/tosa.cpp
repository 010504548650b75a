#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "sim/compare/inputs.hpp"
#include "tests/bench/corpus.hpp"

// The four larger graphs of the corpus: one dense operator each.

namespace macaw::bench {
namespace {

void run_graph(benchmark::State& state, const std::string& name, double macs) {
  const auto folder = corpus("tosa_perf/" + name);
  if (folder.empty()) return state.SkipWithError("no corpus: set MACAW_CORPUS");
  const auto graph = tosa::load_graph(folder / "test.tosa");
  if (!graph) return state.SkipWithError(graph.error().to_string().c_str());
  const auto inputs = compare::random_inputs(*graph, 1);
  if (!inputs) return state.SkipWithError(inputs.error().to_string().c_str());
  for (auto _ : state) {
    const auto result = tosa::run(*graph, *inputs);
    if (!result) return state.SkipWithError(result.error().to_string().c_str());
    benchmark::DoNotOptimize(result->outputs.data());
  }
  report(state, macs);
}

BENCHMARK_CAPTURE(run_graph, conv2d_i8, "conv2d_i8_1x112x112x32_64_3x3", 112. * 112 * 64 * 32 * 9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_graph, depthwise_i8, "depthwise_i8_1x112x112x96_3x3", 112. * 112 * 96 * 9)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_graph, matmul_i8, "matmul_i8_1x512x512x512", 512. * 512 * 512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_graph, conv2d_f32, "conv2d_f32_1x56x56x64_64_3x3", 56. * 56 * 64 * 64 * 9)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace macaw::bench

BENCHMARK_MAIN();
