#include "sim/datapath/workers.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>

using namespace macaw::npu;

TEST_CASE("ranges of rows cover each row once, with any number of workers") {
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    for (const int rows : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(rows));
      share(&workers, rows, [&](int first, int end) {
        for (int y = first; y < end; ++y) ++times[static_cast<std::size_t>(y)];
      });
      for (const auto& count : times) CHECK(count == 1);
    }
  }
}

TEST_CASE("what a worker throws reaches the caller, and the workers go on") {
  Workers workers(3);
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_AS(workers.run(9,
                                [](int part) {
                                  if (part == 4) throw std::runtime_error("part 4");
                                }),
                    std::runtime_error);
    std::atomic<int> done = 0;
    workers.run(9, [&](int) { ++done; });
    CHECK(done == 9);
  }
}
