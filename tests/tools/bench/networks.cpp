#include <macaw/npu/prepared_network.hpp>
#include <macaw/npu/timed_simulator.hpp>

#include "tests/tools/bench/corpus.hpp"
#include "workflow/compare/inputs.hpp"

// Compiled networks, functional and timed: the ratio of the two is the price of time.

namespace macaw::bench {
namespace {

enum class Mode { kFunctional, kTimed, kTiming };

std::filesystem::path bundled() {
  const std::filesystem::path file = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz";
  return std::filesystem::exists(file) ? file : std::filesystem::path();
}

std::filesystem::path mobilenet_v2() {
  const auto folder =
      corpus("npu/mobilenet_v2_quantized_1x3x224x224/ethos-u55-256-Ethos_U55_High_End_Embedded-Shared_Sram-tflite");
  return folder.empty() ? folder : folder / "mobilenet_v2_quantized_1x3x224x224_vela.tflite";
}

/// The goal is 150 ms on one core.
std::filesystem::path mobilenet_v2_u85() {
  const auto folder =
      corpus("npu/mobilenet_v2_quantized_1x3x224x224/ethos-u85-256-Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram-raw");
  return folder.empty() ? folder : folder / "mobilenet_v2_quantized_1x3x224x224_vela.npz";
}

/// 19 million multiply-accumulates of a dense 3x3 convolution; the goal is 3 G per second.
std::filesystem::path convolution() {
  const auto folder =
      corpus("npu/tosa_perf_conv3x3_32x32x32_64/ethos-u85-256-Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram-tflite");
  return folder.empty() ? folder : folder / "tosa_perf_conv3x3_32x32x32_64_vela.tflite";
}

void run_network(benchmark::State& state, std::filesystem::path (*find)(), Mode mode) {
  const auto file = find();
  if (file.empty()) return state.SkipWithError("not there: set MACAW_CORPUS, or run from the project's root");
  const auto artifact = npu::load_artifact(file);
  if (!artifact) return state.SkipWithError(artifact.error().to_string().c_str());
  const auto inputs = compare::random_inputs(*artifact, 1);
  if (!inputs) return state.SkipWithError(inputs.error().to_string().c_str());
  std::vector<npu::NamedTensor> named;
  for (const auto& tensor : *inputs) named.push_back({"", tensor});
  const auto counted = npu::run_functional(*artifact, *artifact->accelerator, named);
  if (!counted) return state.SkipWithError(counted.error().to_string().c_str());
  for (auto _ : state) {
    if (mode == Mode::kFunctional) {
      const auto result = npu::run_functional(*artifact, *artifact->accelerator, named);
      benchmark::DoNotOptimize(result->outputs.data());
    } else {
      const auto result = npu::run_timed(*artifact, *artifact->accelerator, named, {.values = mode == Mode::kTimed});
      if (!result) return state.SkipWithError(result.error().to_string().c_str());
      state.counters["npu_cycles"] = static_cast<double>(result->cycles);
    }
  }
  report(state, static_cast<double>(counted->work));
}

/// One inference after the other of a network that was read and decoded before, its rows shared by threads.
void run_prepared(benchmark::State& state, std::filesystem::path (*find)()) {
  const auto file = find();
  if (file.empty()) return state.SkipWithError("not there: set MACAW_CORPUS, or run from the project's root");
  auto artifact = npu::load_artifact(file);
  if (!artifact) return state.SkipWithError(artifact.error().to_string().c_str());
  const auto inputs = compare::random_inputs(*artifact, 1);
  if (!inputs) return state.SkipWithError(inputs.error().to_string().c_str());
  const auto& accelerator = *artifact->accelerator;
  const auto network = npu::PreparedNetwork::create(std::move(*artifact), accelerator);
  if (!network) return state.SkipWithError(network.error().to_string().c_str());
  std::vector<npu::NamedTensor> named;
  for (const auto& tensor : *inputs) named.push_back({"", tensor});
  npu::FunctionalOptions options;
  options.threads = static_cast<int>(state.range(0));
  double work = 0;
  for (auto _ : state) {
    const auto result = network->run(named, options);
    if (!result) return state.SkipWithError(result.error().to_string().c_str());
    work = static_cast<double>(result->work);
  }
  report(state, work);
}

BENCHMARK_CAPTURE(run_prepared, mobilenet_v2_u55_256, mobilenet_v2)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_prepared, mobilenet_v2_u85_256, mobilenet_v2_u85)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, tiny_cnn_u55_128_functional, bundled, Mode::kFunctional)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, tiny_cnn_u55_128_timed, bundled, Mode::kTimed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u55_256_functional, mobilenet_v2, Mode::kFunctional)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, conv3x3_u85_256_functional, convolution, Mode::kFunctional)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u55_256_timed, mobilenet_v2, Mode::kTimed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u55_256_timing, mobilenet_v2, Mode::kTiming)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u85_256_functional, mobilenet_v2_u85, Mode::kFunctional)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u85_256_timed, mobilenet_v2_u85, Mode::kTimed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_network, mobilenet_v2_u85_256_timing, mobilenet_v2_u85, Mode::kTiming)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace macaw::bench
