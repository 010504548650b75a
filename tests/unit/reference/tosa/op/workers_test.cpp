#include "reference/tosa/kernels/workers.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace macaw::tosa {
namespace {

TEST_CASE("Every part runs once, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    CHECK(workers.threads() == static_cast<std::size_t>(threads));
    for (const std::size_t parts : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(parts);
      workers.run(parts, [&](std::size_t i) { ++runs[i]; });
      for (const auto& count : runs) CHECK(count == 1);
    }
  }
}

TEST_CASE("Every part of many jobs is done once, whether threads wait awake or asleep") {
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    std::vector<int> sums(512);
    int expected = 0;
    for (int job = 0; job < 1000; ++job) {
      const auto parts = 1 + static_cast<std::size_t>(job) % 17;
      workers.run(parts, [&](std::size_t part) {
        for (auto i = part * sums.size() / parts; i < (part + 1) * sums.size() / parts; ++i) sums[i] += job;
      });
      expected += job;
      if (job % 200 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(std::ranges::all_of(sums, [&](int sum) { return sum == expected; }));
  }
}

TEST_CASE("An exception of a part comes back, and the threads go on") {
  Workers workers(3);
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_AS(workers.run(10,
                                [](std::size_t i) {
                                  if (i == 4) throw std::runtime_error("part");
                                }),
                    std::runtime_error);
    std::atomic<int> done = 0;
    workers.run(10, [&](std::size_t) { ++done; });
    CHECK(done == 10);
  }
}

TEST_CASE("Ranges cover everything without overlap") {
  Workers workers(3);
  const Operator op;
  const RunBlock no_blocks;
  Variables variables;
  std::vector<BrokenRule> findings;
  const Call call{.op = op,
                  .inputs = {},
                  .outputs = {},
                  .run_block = no_blocks,
                  .variables = variables,
                  .findings = findings,
                  .workers = &workers};
  for (const std::size_t count : {0, 1, 9, 10, 11, 1000, 1013}) {
    std::vector<std::atomic<int>> touched(count);
    split(call, count, 5, [&](std::size_t first, std::size_t end) {
      for (auto i = first; i < end; ++i) ++touched[i];
    });
    for (const auto& times : touched) CHECK(times == 1);
  }
}

}  // namespace
}  // namespace macaw::tosa
