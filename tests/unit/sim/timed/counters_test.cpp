#include "tests/unit/sim/timed/stepped_device.hpp"

// The performance monitor as its registers show it while a job runs (hal_ethos_u, src/ethosu_pmu.c).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr std::uint32_t kCycles = 17, kNpuIdle = 32, kNpuActive = 35, kReadBeats = 130, kWrittenBeats = 135;
constexpr std::uint64_t kSoon = 1000;

const std::string kCopy = copy(0, 0x4000, 0x4000) + "NPU_OP_DMA_WAIT k=0\nNPU_OP_STOP mask=0x8\n";

}  // namespace

TEST_CASE("the cycle counter counts from the start event to the stop event") {
  SteppedDevice stepped("ethos-u55-128", kCopy);
  stepped.write("PMCCNTR_CFG", kNpuActive | kNpuIdle << 16);
  stepped.count(0, kNpuActive);
  stepped.advance(kSoon);
  CHECK(stepped.read("PMCCNTR") == 0);
  const std::uint32_t active = stepped.run();
  stepped.advance(kSoon);
  CHECK(active > kSoon);
  CHECK(stepped.read("PMCCNTR") == active);
}

TEST_CASE("any event starts the cycle counter") {
  SteppedDevice stepped("ethos-u65-256", kCopy);
  stepped.write("PMCCNTR_CFG", kWrittenBeats | kNpuIdle << 16);
  stepped.count(0, kNpuActive);
  const std::uint32_t active = stepped.run(), between = stepped.read("PMCCNTR");
  CHECK(between < active - 32);
  CHECK(between > active / 2);
}

TEST_CASE("counters show what has passed while the job runs") {
  SteppedDevice stepped("ethos-u85-256", kCopy);
  stepped.count(0, kNpuActive);
  stepped.count(1, kCycles);
  stepped.count(2, kNpuIdle);
  stepped.advance(kSoon);
  const std::uint32_t cycles = stepped.read("PMEVCNTR", 1), idle = stepped.read("PMEVCNTR", 2);
  CHECK(cycles >= kSoon);
  CHECK(idle >= kSoon);
  CHECK(stepped.read("PMEVCNTR") == 0);
  stepped.start();
  stepped.advance(200);
  const std::uint32_t active = stepped.read("PMEVCNTR");
  CHECK(active == 201);  // with the cycle of the write of CMD
  CHECK(stepped.read("PMEVCNTR", 1) > cycles + active);
  CHECK(stepped.read("PMEVCNTR", 2) < idle + 40);  // and the accesses of start()
}

TEST_CASE("a counter interrupts when it wraps, and CMD takes the interrupt back") {
  SteppedDevice stepped("ethos-u55-128", kCopy);
  const unsigned counter = GENERATE(0u, 31u);
  stepped.count(0, kNpuActive);
  stepped.write("PMINTSET", 1u << counter);
  if (counter == 0) stepped.write("PMEVCNTR", 0u - 500);
  stepped.start();
  const Cycles started = stepped.device->time();
  if (counter == 31) {
    stepped.write("PMCCNTR", 0u - 500);
    stepped.write("PMCCNTR", 0xffff, 1);
  }
  stepped.advance(SteppedDevice::kLong);
  CHECK(stepped.device->interrupt());
  CHECK(stepped.device->time() >= started + Cycles(498));
  CHECK(stepped.device->time() <= started + Cycles(503));
  CHECK(stepped.read("STATUS") == 0x41);
  CHECK(stepped.read("PMOVSSET") == 1u << counter);
  stepped.clear();
  CHECK_FALSE(stepped.device->interrupt());
  CHECK(stepped.read("STATUS") == 1);
  CHECK(stepped.read("PMOVSSET") == 1u << counter);
  stepped.advance(SteppedDevice::kLong);
  CHECK(stepped.read("STATUS") == 0x00080022);
}

TEST_CASE("with PMCR.mask_en counters wait for the command stream") {
  const std::string moves = copy(0, 0x4000, 0x1000) + "NPU_OP_DMA_WAIT k=0\n", stop = "NPU_OP_STOP mask=0x8\n";
  SteppedDevice stepped("ethos-u55-128",
                        moves + "NPU_OP_PMU_MASK enable=1\n" + moves + "NPU_OP_PMU_MASK enable=0\n" + moves + stop);
  stepped.count(0, kReadBeats);
  const std::uint32_t all = stepped.run();
  stepped.clear();
  stepped.write("PMCR", 0xb);
  const std::uint32_t masked = stepped.run();
  CHECK(masked >= 0x1000 / 8);
  CHECK(masked < all / 2);
}
