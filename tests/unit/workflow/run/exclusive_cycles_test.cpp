#include <catch2/catch.hpp>

#include <random>

#include "workflow/run/exclusive_cycles.hpp"

using macaw::npu::ExclusiveCycles;
using macaw::run::exclusive_cycles;
using macaw::run::Interval;

namespace {

/// Cycle by cycle, as the definition says it.
std::vector<ExclusiveCycles> cycle_by_cycle(const std::vector<Interval>& operations, std::uint64_t total) {
  std::vector<ExclusiveCycles> held(operations.size());
  for (std::uint64_t cycle = 0; cycle < total; ++cycle) {
    const auto find = [&](auto&& test) { return std::ranges::find_if(operations, test) - operations.begin(); };
    const auto count = static_cast<std::ptrdiff_t>(operations.size());
    const auto in_progress = [&](const Interval& o) { return o.start <= cycle && cycle < o.end; };
    auto holder = find([&](const Interval& o) { return !o.is_dma && in_progress(o); });
    if (holder == count) holder = find(in_progress);
    if (holder != count) {
      ++held[static_cast<std::size_t>(holder)].working;
      continue;
    }
    std::size_t next = 0;
    bool any = false;
    for (std::size_t i = 0; i < operations.size(); ++i)
      if (operations[i].start > cycle && (!any || operations[i].start < operations[next].start)) {
        next = i;
        any = true;
      }
    if (!any)  // behind all of them: the one that ended last
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations[i].end >= operations[next].end) next = i;
    ++held[next].waiting;
  }
  return held;
}

}  // namespace

TEST_CASE("every cycle of a run belongs to one operation, the oldest in progress") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> operations;
    std::uint64_t start = random() % 5, last = 0;
    for (std::size_t i = 0, count = 1 + random() % 12; i < count; ++i) {
      operations.push_back({start, start + 1 + random() % 30, random() % 4 == 0});
      last = std::max(last, operations.back().end);
      start += random() % 25;
    }
    const auto total = last + random() % 9;
    const auto held = exclusive_cycles(operations, total), expected = cycle_by_cycle(operations, total);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      CHECK(held[i].working == expected[i].working);
      CHECK(held[i].waiting == expected[i].waiting);
      sum += held[i].cycles();
    }
    CHECK(sum == total);
  }
}
