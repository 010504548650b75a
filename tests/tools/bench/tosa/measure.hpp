#pragma once
#include <ctime>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "base/large_memory.hpp"

namespace macaw::bench {

/// CPU time of one call on one thread, in seconds. `prepare` is not counted.
inline double cpu_time(const std::function<void()>& run) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto start = now();
  run();
  return now() - start;
}

inline double median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
  return times[times.size() / 2];
}

/// Any bytes; floating-point numbers are in [-1, 1).
inline std::vector<Tensor> random_inputs(const tosa::Graph& graph) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs) {
    const auto& value = graph.main().values[id];
    Tensor tensor(value.dtype, *value.shape);
    if (value.dtype == DType::kFP32)
      for (auto& element : tensor.data<float>()) element = real(random);
    else
      for (auto& byte : tensor.bytes()) byte = static_cast<std::byte>(random());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

/// A graph, its inputs, and what its run is measured by.
struct Subject {
  tosa::Graph graph;
  std::vector<Tensor> inputs;
  std::function<void()> yardstick;
};

/// Runs a graph on one thread, in turn with its yardstick, so that both see the same machine; the memory of one run is
/// that of the next, as in `macaw tosa --batch`, and as the yardstick's is. Returns the medians of both CPU times,
/// {ours, yardstick}, in seconds.
inline std::pair<double, double> measure(benchmark::State& state, const Subject& subject) {
  tosa::Options options;
  options.threads = 1;
  const KeepFreedMemory keep_freed_memory;
  std::vector<double> ours, yardstick;
  for (auto _ : state) {
    auto inputs = subject.inputs;
    Result<tosa::RunResult> result;
    ours.push_back(cpu_time([&] { result = tosa::run(subject.graph, std::move(inputs), options); }));
    state.SetIterationTime(ours.back());
    if (!result || result->outputs.empty()) {
      state.SkipWithError(result ? result->verdict.first()->to_string().c_str() : result.error().to_string().c_str());
      return {};
    }
    if (subject.yardstick) yardstick.push_back(cpu_time(subject.yardstick));
  }
  return {median(ours), median(yardstick)};
}

}  // namespace macaw::bench
