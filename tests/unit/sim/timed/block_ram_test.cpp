#include "sim/timed/u85/block_ram.hpp"
#include "tests/unit/sim/timed/actor.hpp"

#include <catch2/catch.hpp>

// The RAMs of U85 as counted resources: which unit waits for which.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

IfmBlock step_of(int row) {
  IfmBlock step;
  step.box = {row, row + 1, 0, 1, 0, 16};
  step.fetched = true;
  return step;
}

}  // namespace

TEST_CASE("an IFM block waits for room while another is in use, and goes on alone if it never fits") {
  for (const std::uint64_t second : {24U, 25U, 1000U}) {
    Context context;
    const auto entered = context.enter();
    u85::BlockRam ram("ram", 64, 4);
    KernelRun run;
    run.number = 1;
    Actor holder("holder", 0, [&] {
      const int block = ram.open(run, step_of(0));
      ram.reserve(block, 40);
      wait_until(ticks(100.0));
      ram.release(block);
    });
    Actor asker("asker", 10, [&] { ram.reserve(ram.open(run, step_of(1)), second); });
    REQUIRE(context.run(ticks(1e6)));
    INFO(second << " bytes beside 40 of 64");
    CHECK(asker.done == (second == 24 ? 10 : 100));
  }
}

TEST_CASE(
    "a unit that needs a part of an IFM block waits until that and all before it were requested and have arrived") {
  for (const std::uint64_t beats : {0U, 1U, 16U, 17U, 32U, 48U}) {
    Context context;
    const auto entered = context.enter();
    u85::BlockRam ram("ram", 1024, 4);
    KernelRun run;
    int block = -1;
    Actor loader("loader", 0, [&] {
      block = ram.open(run, step_of(0));
      ram.asked(block, Beats(16), ticks(60.0));
      ram.asked(block, Beats(32), ticks(40.0));
      wait_until(ticks(70.0));
      ram.asked(block, Beats(48), ticks(100.0));
    });
    Actor user("user", 1, [&] { ram.wait_for(block, Beats(beats)); });
    REQUIRE(context.run(ticks(1e6)));
    INFO(beats << " beats");
    CHECK(user.done == (beats == 0 ? 1 : beats <= 32 ? 60 : 100));
  }
}

TEST_CASE("as many OFM blocks are summed as the accumulator RAM holds") {
  for (const int places : {1, 2}) {
    Context context;
    const auto entered = context.enter();
    u85::BlockRam ram("ram", 64, 4);
    KernelRun run;
    run.accumulators = places;
    Actor holder("holder", 0, [&] {
      ram.claim_accumulator(run);
      wait_until(ticks(50.0));
      ram.release_accumulator();
    });
    Actor second("second", 1, [&] { ram.claim_accumulator(run); });
    Actor third("third", 2, [&] { ram.claim_accumulator(run); });
    REQUIRE(context.run(ticks(1e6)));
    CHECK(second.done == (places == 1 ? 50 : 1));
    CHECK(third.done == (places == 1 ? std::nullopt : std::optional<std::int64_t>(50)));
  }
}

TEST_CASE("of the blocks that are kept the one that was used least lately goes first") {
  for (const bool found : {false, true}) {
    Context context;
    const auto entered = context.enter();
    u85::BlockRam ram("ram", 1024, 4);
    KernelRun run;
    run.number = 1;
    const auto kept_step = [](int row) {
      IfmBlock step = step_of(row);
      step.kept = 2;
      return step;
    };
    for (int row = 0; row < 2; ++row) ram.release(ram.open(run, kept_step(row)));
    if (found) ram.release(ram.find(run, kept_step(0)));
    ram.release(ram.open(run, kept_step(2)));
    CAPTURE(found);
    CHECK((ram.find(run, kept_step(0)) >= 0) == found);
    CHECK((ram.find(run, kept_step(1)) >= 0) == !found);
    CHECK(ram.find(run, kept_step(2)) >= 0);
  }
}

TEST_CASE("a block that is not to be kept is not found again") {
  Context context;
  const auto entered = context.enter();
  u85::BlockRam ram("ram", 1024, 4);
  KernelRun run;
  run.number = 1;
  for (const std::size_t kept : {0U, 1U}) {
    IfmBlock step = step_of(static_cast<int>(kept));
    step.kept = kept;
    ram.release(ram.open(run, step));
    CAPTURE(kept);
    CHECK((ram.find(run, step) >= 0) == (kept == 1));
  }
}

TEST_CASE("a block that nothing needs any more leaves its room to others") {
  Context context;
  const auto entered = context.enter();
  u85::BlockRam ram("ram", 64, 4);
  KernelRun run;
  run.number = 1;
  Actor actor("actor", 0, [&] {
    const int first = ram.open(run, step_of(0)), gone = ram.open(run, step_of(1)), other = ram.open(run, step_of(2));
    ram.reserve(first, 10);
    ram.reserve(gone, 40);
    ram.reserve(other, 4);
    ram.release(gone);
    ram.reserve(first, 50);
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(actor.done == 0);
}
