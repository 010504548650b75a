#include <catch2/catch.hpp>

#include <random>

#include "workflow/report/lifetimes.hpp"

using namespace macaw;

namespace {

constexpr int kBytes = 40;

npu::RunRecord random_run(std::mt19937& random) {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  std::uint64_t time = 0;
  for (int i = 0; i < 12; ++i) {
    npu::OperationTiming o;
    o.start = time;
    o.end = time + 10;
    time += 10;
    for (const bool write : {false, true}) {
      const auto first = random() % kBytes, last = std::min<std::uint64_t>(kBytes - 1, first + random() % 12);
      o.memory.push_back({write ? "ofm" : "ifm", 1, last - first + 1, first, last, write});
    }
    run.operations.push_back(o);
  }
  run.cycles = time;
  return run;
}

}  // namespace

TEST_CASE("no byte of a region has two lifetimes at once, and every access falls into one") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto run = random_run(random);
    const auto lifetimes = report::lifetimes_of(run);
    for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
      std::vector<report::Lifetime> mine;
      for (const auto& life : lifetimes)
        if (life.first <= byte && byte <= life.last) mine.push_back(life);
      std::ranges::sort(mine, {}, &report::Lifetime::start);
      for (std::size_t i = 1; i < mine.size(); ++i) CHECK(mine[i - 1].end <= mine[i].start);
      // The last operation that wrote the byte before a reader made what the reader reads.
      for (std::size_t reader = 0; reader < run.operations.size(); ++reader) {
        const auto& o = run.operations[reader];
        if (byte < o.memory[0].first || byte > o.memory[0].last) continue;
        std::ptrdiff_t writer = -1;
        for (std::size_t w = 0; w < reader; ++w)
          if (run.operations[w].memory[1].first <= byte && byte <= run.operations[w].memory[1].last)
            writer = static_cast<std::ptrdiff_t>(w);
        const bool held = std::ranges::any_of(mine, [&](const report::Lifetime& life) {
          const bool made = writer < 0 ? !life.written : life.written && life.operation == std::size_t(writer);
          const bool in_place = o.memory[1].first <= byte && byte <= o.memory[1].last;
          return made && life.start <= o.start && (in_place ? o.start : o.end) <= life.end;
        });
        CHECK(held);
      }
    }
    const auto use = report::memory_use(run, lifetimes, 0);
    std::uint64_t most = 0, first = 0, highest = 0;
    for (const auto& o : run.operations)
      for (const auto& m : o.memory) highest = std::max(highest, m.last);
    for (std::uint64_t cycle = 0; cycle < run.cycles; ++cycle) {
      std::uint64_t alive = 0;
      for (const auto& life : lifetimes)
        if (life.start <= cycle && cycle < life.end) alive += life.bytes();
      if (alive > most) first = cycle;
      most = std::max(most, alive);
    }
    CHECK(use.peak == most);
    CHECK(use.peak_cycle == first);
    CHECK(use.reach == highest + 1);
    std::uint64_t at_peak = 0;
    for (const auto& life : use.at_peak) at_peak += life.bytes();
    CHECK(at_peak == use.peak);
  }
}
