#include "reference/fast/workers.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace macaw::tosa;

namespace {

/// Adds `job` to every element, in parts.
void add(Workers& workers, std::vector<int>& sums, std::size_t parts, int job) {
  const auto size = sums.size();
  workers.run(parts, [&](std::size_t part) {
    for (auto i = part * size / parts; i < (part + 1) * size / parts; ++i) sums[i] += job;
  });
}

}  // namespace

TEST_CASE("every part of every job is done once, whether the threads wait awake or asleep") {
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    std::vector<int> sums(512);
    int expected = 0;
    for (int job = 0; job < 1000; ++job) {
      add(workers, sums, 1 + static_cast<std::size_t>(job) % 17, job);
      expected += job;
      if (job % 200 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(std::ranges::all_of(sums, [&](int sum) { return sum == expected; }));
  }
}

TEST_CASE("a part that fails ends its job and no other") {
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    std::vector<int> sums(512);
    for (std::size_t failing = 0; failing < 9; ++failing) {
      CHECK_THROWS_AS(workers.run(9,
                                  [&](std::size_t part) {
                                    if (part == failing) throw std::runtime_error("no");
                                  }),
                      std::runtime_error);
      add(workers, sums, 9, 1);
    }
    CHECK(std::ranges::all_of(sums, [](int sum) { return sum == 9; }));
  }
}
