#include "sim/timed/context.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

using namespace macaw::npu::timed;

namespace {

/// A process that waits for ever and holds something on its stack.
class Waiting : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Waiting);
  Waiting(const sc_core::sc_module_name& name, const std::shared_ptr<int>& held)
      : sc_core::sc_module(name), held_(held) {
    SC_THREAD(run);
  }

 private:
  void run() {
    const std::shared_ptr<int> mine = held_;
    for (;;) sc_core::wait(never_);
  }

  const std::shared_ptr<int>& held_;
  sc_core::sc_event never_;
};

/// Waits for each of some spans, again and again, and keeps when it went on.
class Walker : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Walker);
  Walker(const sc_core::sc_module_name& name, std::vector<Ticks> spans)
      : sc_core::sc_module(name), spans_(std::move(spans)) {
    SC_THREAD(run);
  }
  std::vector<Ticks> seen;

 private:
  void run() {
    for (;;)
      for (const Ticks span : spans_) {
        wait_for(span);
        seen.push_back(now());
      }
  }

  std::vector<Ticks> spans_;
};

struct Walked {
  std::vector<Ticks> first, second, between;
  Ticks behind{};  ///< the kernel's time at the end of a slice, at most
};

/// Two processes up to `limit`; of the second there is none where it has no spans.
Walked walk(const std::vector<Ticks>& first, const std::vector<Ticks>& second, Ticks limit, bool alone) {
  Context context;
  const auto entered = context.enter();
  Walker a("a", first);
  std::unique_ptr<Walker> b;
  if (!second.empty()) b = std::make_unique<Walker>("b", second);
  Walked walked;
  const auto between = [&]() -> macaw::Result<void> {
    walked.between.push_back(now());
    walked.behind = std::max(walked.behind, now() - kernel_time());
    return {};
  };
  REQUIRE(context.run(limit, between, alone));
  walked.first = a.seen;
  if (b) walked.second = b->seen;
  return walked;
}

}  // namespace

TEST_CASE("a process that nothing precedes runs ahead of the kernel and sees the same times") {
  const Ticks limit = 250'000 * kCycle;
  const std::vector<Ticks> often{3 * kCycle, 5 * kCycle, Ticks(1)}, seldom{40 * kCycle, 8 * kCycle};
  for (const auto& second : {std::vector<Ticks>{}, seldom, often}) {
    const Walked ahead = walk(often, second, limit, true), kept = walk(often, second, limit, false);
    CHECK(ahead.first == kept.first);
    CHECK(ahead.second == kept.second);
    CHECK(kept.behind == Ticks());
    // Others have their say between slices all the same.
    REQUIRE(ahead.between.size() >= 2);
    CHECK(ahead.between[0] <= 100'003 * kCycle);
    CHECK(ahead.first.back() <= limit);
  }
  CHECK(walk(often, {}, limit, true).behind > Ticks());
}

TEST_CASE("the delta cycle is another one where time passed without the kernel") {
  Context context;
  const auto entered = context.enter();
  struct Probe : sc_core::sc_module {
    SC_HAS_PROCESS(Probe);
    explicit Probe(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { SC_THREAD(run); }
    void run() {
      for (int i = 0; i < 3; ++i) {
        deltas.push_back(delta_cycle());
        times.push_back(now());
        wait_for(i == 1 ? Ticks() : kCycle);
      }
      left = delay_until(now() + kCycle);
      { const Context other; }
      after_another = now();
    }
    std::vector<std::uint64_t> deltas;
    std::vector<Ticks> times;
    Ticks after_another{};
    sc_core::sc_time left;
  } probe("probe");
  REQUIRE(context.run(ticks(1e6), {}, true));
  CHECK(probe.deltas[0] < probe.deltas[1]);
  CHECK(probe.deltas[1] < probe.deltas[2]);
  CHECK(probe.times == std::vector{Ticks(), kCycle, kCycle});
  // The kernel has stayed at 0, two cycles behind.
  CHECK(probe.left == to_time(3 * kCycle));
  CHECK(probe.after_another == 2 * kCycle);
}

TEST_CASE("the end of a simulation destroys what is on the stacks of its processes") {
  const auto held = std::make_shared<int>(0);
  Context context;
  std::unique_ptr<Waiting> module;
  {
    const auto entered = context.enter();
    module = std::make_unique<Waiting>("waiting", held);
  }
  REQUIRE(context.advance(kCycle));
  CHECK(held.use_count() == 2);
  REQUIRE(context.end());
  CHECK(held.use_count() == 1);
  const auto entered = context.enter();
  module.reset();
}
