#include "sim/timed/pmu.hpp"
#include "sim/timed/context.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

std::uint64_t count(const Pmu& pmu, Family family, const char* event) {
  const auto* row = find_pmu_event(family, event);
  REQUIRE(row);
  return pmu.count(*row).value();
}

}  // namespace

TEST_CASE("an event counts the time of all its causes together, in whole cycles") {
  Context context;
  const auto entered = context.enter();
  Pmu pmu("pmu", *find_accelerator("ethos-u55-128"));
  pmu.add(Cause::kMacNoWeights, ticks(1.5));
  pmu.add(Cause::kMacNoAccumulator, ticks(2.5));
  CHECK(count(pmu, Family::kU55, "MAC_STALLED_BY_WD") == 2);
  CHECK(count(pmu, Family::kU55, "MAC_STALLED_BY_ACC") == 3);
  CHECK(count(pmu, Family::kU55, "MAC_STALLED_BY_WD_ACC") == 4);
  CHECK(count(pmu, Family::kU55, "NO_EVENT") == 0);
}

TEST_CASE("a counter that rounds up counts from whole cycles, of units and of ports") {
  for (const bool rounded : {false, true}) {
    Context context;
    const auto entered = context.enter();
    Pmu pmu("pmu", *find_accelerator("ethos-u55-128"));
    for (int i = 0; i < 2; ++i) {
      pmu.add(Cause::kMacNoWeights, ticks(1.25));
      pmu.port(0, 0).rd_request_stalled += ticks(1.25);
      if (rounded) pmu.round_up();
    }
    CAPTURE(rounded);
    CHECK(count(pmu, Family::kU55, "MAC_STALLED_BY_WD") == (rounded ? 4 : 3));
    CHECK(count(pmu, Family::kU55, "AXI0_RD_TRAN_REQ_STALLED") == (rounded ? 4 : 3));
  }
}

TEST_CASE("every cause and tally of the units is counted by an event") {
  for (std::size_t i = 0; i < kCauses; ++i) {
    const auto counts = [&](const PmuEventRow& row) {
      const auto* causes = std::get_if<Causes>(&row.source);
      return causes && causes->has(static_cast<Cause>(i));
    };
    CHECK(std::ranges::any_of(pmu_events(), counts));
  }
  CHECK(std::ranges::any_of(pmu_events(),
                            [](const PmuEventRow& row) { return std::holds_alternative<Tally>(row.source); }));
}

TEST_CASE("an event says in words what it counts exactly if the model moves it") {
  for (const PmuEventRow& row : pmu_events()) {
    INFO(row.name);
    CHECK(row.meaning.empty() == std::holds_alternative<std::monostate>(row.source));
  }
}

TEST_CASE("the events of a side add up its ports, those of a port are its own") {
  Context context;
  const auto entered = context.enter();
  Pmu pmu("pmu", *find_accelerator("ethos-u85-1024"));
  pmu.port(0, 0).rd_beats += Beats(3);
  pmu.port(0, 1).rd_beats += Beats(4);
  pmu.port(1, 0).rd_request_stalled += ticks(0.5);
  CHECK(count(pmu, Family::kU85, "SRAM_RD_DATA_BEAT_RECEIVED") == 7);
  CHECK(count(pmu, Family::kU85, "SRAM1_RD_DATA_BEAT_RECEIVED") == 4);
  CHECK(count(pmu, Family::kU85, "EXT_RD_TRAN_REQ_STALLED") == 1);
  CHECK(count(pmu, Family::kU85, "SRAM3_RD_DATA_BEAT_RECEIVED") == 0);
}

namespace {

/// Waits and reads a value, as a unit does.
class Waiter : public sc_core::sc_module {
 public:
  int value = 0;

  SC_HAS_PROCESS(Waiter);
  Waiter(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) { SC_THREAD(run); }

 private:
  void run() {
    value = pmu_.stalled(Cause::kWdNoStream, [] {
      wait_for(ticks(Cycles(7)));
      return 42;
    });
    pmu_.stalled(Cause::kWdNoRoom, [] { wait_for(ticks(Cycles(2))); });
  }
  Pmu& pmu_;
};

}  // namespace

TEST_CASE("a stall adds the time that its wait took and hands on what it waited for") {
  Context context;
  const auto entered = context.enter();
  Pmu pmu("pmu", *find_accelerator("ethos-u65-256"));
  Waiter waiter("waiter", pmu);
  REQUIRE(context.run(ticks(1e3)));
  CHECK(waiter.value == 42);
  CHECK(count(pmu, Family::kU65, "WD_STALLED_BY_WS") == 7);
  CHECK(count(pmu, Family::kU65, "WD_STALLED_BY_WD_BUF") == 2);
  CHECK(count(pmu, Family::kU65, "WD_STALLED") == 9);
}
