#pragma once
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

namespace macaw::bench {

/// Folder of a corpus part, or empty if there is none: the benchmark is then skipped with a message.
inline std::filesystem::path corpus(const std::string& part) {
  const char* root = std::getenv("MACAW_CORPUS");
  const auto folder = std::filesystem::path(root ? root : "build/corpus") / part;
  return std::filesystem::exists(folder) ? folder : std::filesystem::path();
}

/// Multiply-accumulates per second and the process's peak memory so far.
inline void report(benchmark::State& state, double macs) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["MAC/s"] = benchmark::Counter(macs, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace macaw::bench
