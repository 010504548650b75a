#include "tests/unit/sim/timed/stepped_device.hpp"

// Stored and ignored bits of the performance monitor's registers (u55_u65 7.2; hal_ethos_u, src/ethosu_pmu.c).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr std::uint32_t kCycleBit = 1u << 31, kCycleEvent = 17, kActiveEvent = 35;

const char* any_monitor() { return GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-1024"); }
const std::string kStopAlone = "NPU_OP_STOP mask=0x8\n";

unsigned counters_of(const char* name) { return static_cast<unsigned>(find_accelerator(name)->pmu_counters); }

}  // namespace

TEST_CASE("pairs of registers set and clear the bits that they name, of counters that there are") {
  const char* name = any_monitor();
  const std::uint32_t all = ((1u << counters_of(name)) - 1) | kCycleBit;
  SteppedDevice stepped(name, kStopAlone);
  struct Pair {
    const char *set, *clear;
  };
  for (const auto& [set, clear] :
       {Pair{"PMCNTENSET", "PMCNTENCLR"}, Pair{"PMOVSSET", "PMOVSCLR"}, Pair{"PMINTSET", "PMINTCLR"}}) {
    INFO(name << ' ' << set);
    const auto shows = [&](std::uint32_t expected) {
      CHECK(stepped.read(set) == expected);
      CHECK(stepped.read(clear) == expected);
    };
    shows(0);
    stepped.write(set, 2);
    shows(2);
    stepped.write(set, kCycleBit | 4);
    shows(kCycleBit | 6);
    stepped.write(set, 0);
    stepped.write(clear, 0);
    shows(kCycleBit | 6);
    stepped.write(clear, 2 | 8);
    shows(kCycleBit | 4);
    stepped.write(set, ~0u);
    shows(all);
    stepped.write(clear, kCycleBit);
    shows(all & ~kCycleBit);
    stepped.write(clear, ~0u);
    shows(0);
  }
}

TEST_CASE("PMCR keeps the enable and the mask, and the number of counters") {
  const char* name = any_monitor();
  const std::uint32_t count = counters_of(name) << 11;
  SteppedDevice stepped(name, kStopAlone);
  CHECK(stepped.read("PMCR") == count);
  for (std::uint32_t value = 0; value < 16; ++value) {
    stepped.write("PMCR", value | 0xfffff810);
    CHECK(stepped.read("PMCR") == (count | (value & 9)));
  }
}

TEST_CASE("a reset in PMCR is of event counters or of the cycle counter, and is not a state") {
  for (const std::uint32_t value : {0u, 2u, 4u, 6u}) {
    SteppedDevice stepped("ethos-u55-128", kStopAlone);
    const auto write = [&] {
      for (unsigned i = 0; i < 4; ++i) stepped.write("PMEVCNTR", 10 + i, i);
      stepped.write("PMCCNTR", 20);
      stepped.write("PMCCNTR", 30, 1);
    };
    write();
    stepped.write("PMCR", value);
    for (unsigned i = 0; i < 4; ++i) CHECK(stepped.read("PMEVCNTR", i) == (value & 2 ? 0 : 10 + i));
    CHECK(stepped.read("PMCCNTR") == (value & 4 ? 0 : 20));
    CHECK(stepped.read("PMCCNTR", 1) == (value & 4 ? 0 : 30));
    write();
    CHECK(stepped.read("PMEVCNTR", 3) == 13);
    CHECK(stepped.read("PMCCNTR", 1) == 30);
  }
}

TEST_CASE("counters, their events and their start and stop are as wide as they are") {
  const char* name = any_monitor();
  SteppedDevice stepped(name, kStopAlone);
  for (unsigned i = 0; i < counters_of(name); ++i) {
    stepped.write("PMEVTYPER", 0xfffffc00 | i, i);
    stepped.write("PMEVCNTR", 0xfffffff0 | i, i);
  }
  for (unsigned i = 0; i < counters_of(name); ++i) {
    CHECK(stepped.read("PMEVTYPER", i) == i);
    CHECK(stepped.read("PMEVCNTR", i) == (0xfffffff0 | i));
  }
  stepped.write("PMCCNTR", 0xfedcba98);
  stepped.write("PMCCNTR", 0xffff7654, 1);
  CHECK(stepped.read("PMCCNTR") == 0xfedcba98);
  CHECK(stepped.read("PMCCNTR", 1) == 0x7654);
  stepped.write("PMCCNTR", 1);
  CHECK(stepped.read("PMCCNTR", 1) == 0x7654);
  stepped.write("PMCAXI_CHAN", 0x703);
  CHECK(stepped.read("PMCAXI_CHAN") == 0x703);
  stepped.write("PMCCNTR_CFG", kActiveEvent | kCycleEvent << 16);
  CHECK(stepped.read("PMCCNTR_CFG") == (kActiveEvent | kCycleEvent << 16));
  if (find_accelerator(name)->family == Family::kU85) {
    stepped.write("PMCLUT", 0xabcd0001);
    CHECK(stepped.read("PMCLUT") == 0xabcd0001);
  }
}

TEST_CASE("a counter counts where PMCR, its own bit and its event say so") {
  const char* name = any_monitor();
  SteppedDevice stepped(name, kStopAlone);
  const unsigned last = counters_of(name) - 1;
  stepped.write("PMEVTYPER", kCycleEvent, 0);
  stepped.write("PMEVTYPER", kCycleEvent, last);
  const auto counted = [&] {
    for (const unsigned i : {0u, last}) stepped.write("PMEVCNTR", 0, i);
    stepped.advance(1000);
    return std::pair{stepped.read("PMEVCNTR", 0) >= 1000, stepped.read("PMEVCNTR", last) >= 1000};
  };
  stepped.write("PMCNTENSET", 1u << last);
  CHECK(counted() == std::pair{false, false});
  stepped.write("PMCR", 1);
  CHECK(counted() == std::pair{false, true});
  stepped.write("PMCNTENSET", 1);
  CHECK(counted() == std::pair{true, true});
  stepped.write("PMCNTENCLR", 1u << last);
  CHECK(counted() == std::pair{true, false});
  stepped.write("PMEVTYPER", 0, 0);
  CHECK(counted() == std::pair{false, false});
  stepped.write("PMEVTYPER", kCycleEvent, 0);
  stepped.write("PMCR", 0);
  CHECK(counted() == std::pair{false, false});
}

TEST_CASE("a counter that is written goes on from there, in any of its words") {
  SteppedDevice stepped("ethos-u65-256", kStopAlone);
  stepped.write("PMEVTYPER", kCycleEvent);
  stepped.write("PMCNTENSET", 1 | kCycleBit);
  stepped.write("PMCR", 1);
  stepped.advance(500);
  stepped.write("PMEVCNTR", 7'000'000);
  stepped.advance(100);
  const std::uint32_t counted = stepped.read("PMEVCNTR");
  CHECK(counted >= 7'000'100);
  CHECK(counted <= 7'000'110);
  stepped.write("PMCCNTR", 3, 1);
  const std::uint32_t low = stepped.read("PMCCNTR");
  CHECK(low >= 600);
  CHECK(low <= 640);
  CHECK(stepped.read("PMCCNTR", 1) == 3);
}

TEST_CASE("a wrapped counter shows its overflow, and interrupts if it may and has not") {
  SteppedDevice stepped("ethos-u85-256", kStopAlone);
  stepped.write("PMEVTYPER", kCycleEvent, 7);
  stepped.write("PMCNTENSET", 1u << 7);
  stepped.write("PMEVCNTR", 0u - 100, 7);
  stepped.write("PMCR", 1);
  stepped.advance(1000);
  CHECK(stepped.read("PMOVSSET") == 1u << 7);
  CHECK_FALSE(stepped.device->interrupt());
  stepped.write("PMINTSET", 1u << 6);
  CHECK_FALSE(stepped.device->interrupt());
  stepped.write("PMINTSET", 1u << 7);
  stepped.advance(10);
  CHECK(stepped.device->interrupt());
  CHECK(stepped.read("STATUS") == 0x40);
  stepped.write("CMD", 0xe);
  CHECK(stepped.read("STATUS") == 0);
  CHECK_FALSE(stepped.device->interrupt());
  stepped.write("PMOVSCLR", 1u << 7);
  CHECK(stepped.read("PMOVSSET") == 0);
}

TEST_CASE("an overflow interrupts in the cycle that it comes in, when the counter shows 0") {
  const char* name = any_monitor();
  for (const std::uint32_t left : {100u, 101u, 5000u, 1000000u})
    for (const bool cycles : {false, true}) {
      SteppedDevice stepped(name, kStopAlone);
      stepped.write("PMEVTYPER", kCycleEvent);
      stepped.write("PMINTSET", cycles ? kCycleBit : 1);
      stepped.write("PMCNTENSET", cycles ? kCycleBit : 1);
      stepped.write("PMEVCNTR", 0u - left);
      stepped.write("PMCCNTR", 0u - left);
      stepped.write("PMCCNTR", 0xffff, 1);
      stepped.write("PMCR", 1);
      const auto before = stepped.device->time();
      stepped.advance(SteppedDevice::kLong);
      CAPTURE(name, left, cycles);
      CHECK(stepped.device->interrupt());
      CHECK((stepped.device->time() - before).count() == left - 1);  // the write of PMCR took one
      CHECK(stepped.read(cycles ? "PMCCNTR" : "PMEVCNTR") == 0);
    }
}
