#include "sim/isa/pmu_events.hpp"
#include "sim/timed/device/faulting_access.hpp"
#include "tests/unit/sim/timed/stepped_device.hpp"

#include <macaw/npu/timed_simulator.hpp>

// Limits of register fields (hal_ethos_u, src/ethosu*_interface.h).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr std::uint32_t kMoved = 0x2000;
const std::string kPairOfCopies =
    copy(0, 0x4000, kMoved) + "NPU_OP_DMA_WAIT k=0\n" + copy(0, 0x8000, kMoved) + "NPU_OP_STOP mask=0x8\n";

bool is_u85(const char* name) { return find_accelerator(name)->family == Family::kU85; }

/// Cycles of the copies with so many reads and writes outstanding on each side, less one, and a code of bursts.
std::uint32_t limited(const char* name, std::uint32_t outstanding_m1, std::uint32_t burst) {
  SteppedDevice stepped(name, kPairOfCopies, {.read_latency = 100});
  if (is_u85(name))
    for (const char* limit : {"AXI_SRAM", "AXI_EXT"})
      stepped.write(limit, outstanding_m1 | outstanding_m1 << 8 | burst << 16);
  else
    for (const char* limit : {"AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3"})
      stepped.write(limit, burst | outstanding_m1 << 16 | outstanding_m1 << 24);
  stepped.count(0, 35);
  return stepped.run();
}

}  // namespace

TEST_CASE("outstanding transactions stand in their registers less one, and the reserved burst is the longest") {
  const char* name = GENERATE("ethos-u65-256", "ethos-u85-256");
  const std::uint32_t one = limited(name, 0, 0), two = limited(name, 1, 0), four = limited(name, 3, 0);
  CHECK(one > two * 1.6);
  CHECK(two > four * 1.5);
  CHECK(limited(name, 0, 2) < limited(name, 0, 1));
  CHECK(limited(name, 0, 1) < one);
  CHECK(limited(name, 0, 3) == limited(name, 0, 2));
}

TEST_CASE("a region's selector has two bits, the upper of which or an attribute's side choose the port") {
  const char* name = GENERATE("ethos-u65-256", "ethos-u85-256");
  const auto& accelerator = *find_accelerator(name);
  const auto beats = kMoved / static_cast<unsigned>(accelerator.beat_bytes);
  const auto* far =
      find_pmu_event(accelerator.family, is_u85(name) ? "EXT_RD_DATA_BEAT_RECEIVED" : "AXI1_RD_DATA_BEAT_RECEIVED");
  REQUIRE(far);
  for (std::uint32_t selector = 0; selector < 4; ++selector) {
    SteppedDevice stepped(name, kPairOfCopies);
    if (is_u85(name))
      for (const unsigned row : {2u, 3u}) stepped.write("MEM_ATTR", 4, row);
    // The other regions have the opposite, and are not used.
    stepped.write("REGIONCFG", selector | (selector < 2 ? 0xfffcu : 0u));
    stepped.count(0, far->number);
    INFO(name << ", selector " << selector);
    CHECK(stepped.run() == (selector < 2 ? 0 : 2 * beats));
  }
}

TEST_CASE("the upper word of a region's base is its own") {
  SteppedDevice stepped("ethos-u85-256", kPairOfCopies);
  for (unsigned region = 1; region < 8; ++region) stepped.write("BASEP", 5, 2 * region + 1);
  stepped.run();
  CHECK_FALSE(stepped.device->fault());
  stepped.clear();
  stepped.write("BASEP", 5, 1);
  stepped.run();
  CHECK(stepped.device->fault());
}

TEST_CASE("CMD takes back the interrupt and those bits of its history that it names") {
  std::string text = "NPU_OP_IRQ mask=0x5\n";
  for (int i = 0; i < 400; ++i) text += "NPU_SET_IFM_REGION region=0\n";
  SteppedDevice stepped("ethos-u55-128", text + "NPU_OP_STOP mask=0x8\n");
  stepped.start();
  stepped.advance(SteppedDevice::kLong);
  CHECK(stepped.read("STATUS") == 0x00050003);
  stepped.write("CMD", 0x0001000e);
  CHECK(stepped.read("STATUS") == 0x00040001);
}

TEST_CASE("PMCR says how many counters there are") {
  for (const auto& accelerator : accelerators()) {
    INFO(accelerator.name);
    SteppedDevice stepped(accelerator.name.data(), "NPU_OP_STOP mask=0x8\n");
    CHECK((stepped.read("PMCR") >> 11 & 0x1f) == static_cast<unsigned>(accelerator.pmu_counters));
  }
}

TEST_CASE("a counter holds its greatest value, and overflows by the next") {
  SteppedDevice stepped("ethos-u55-128", kPairOfCopies);
  stepped.count(0, 130);  // AXI0_RD_DATA_BEAT_RECEIVED
  const std::uint32_t beats = stepped.run();
  for (const std::uint32_t more : {0u, 1u}) {
    stepped.clear();
    stepped.write("PMOVSCLR", ~0u);
    stepped.write("PMEVCNTR", UINT32_MAX - beats + more);
    CHECK(stepped.run() == UINT32_MAX + more);
    CHECK((stepped.read("PMOVSSET") & 1) == more);
  }
}

TEST_CASE("the report of a job counts that job alone") {
  SteppedDevice stepped("ethos-u65-256", kPairOfCopies);
  stepped.run();
  const auto first = stepped.device->last_job().pmu.counts;
  stepped.clear();
  stepped.advance(1000);
  stepped.run();
  CHECK(first.at("ETHOSU_PMU_AXI0_RD_DATA_BEAT_RECEIVED") > 0);
  CHECK(stepped.device->last_job().pmu.counts == first);
}

TEST_CASE("a fault names the channel and the region of the access that left its memory") {
  std::vector<std::uint8_t> bytes(64), lut(2048);
  MemoryMap memory;
  memory.internal = lut;
  memory.regions[2] = {bytes, true, true};
  const DmaOperation copies{.family = Family::kU65, .src_region = 1, .dst_region = 2, .len = 16};
  CHECK(faulting_access(copies, memory).channel == Channel::kReadMem2Mem);
  CHECK(faulting_access(copies, memory).region == 1);
  const DmaOperation back{.family = Family::kU65, .src_region = 2, .dst_region = 1, .len = 16};
  CHECK(faulting_access(back, memory).channel == Channel::kWriteMem2Mem);
  CHECK(faulting_access(back, memory).region == 1);

  // The operands of an elementwise operation stream past the IFM's RAM on U85.
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto& accelerator = *find_accelerator(name);
    BlockOperation op;
    op.family = accelerator.family;
    op.kind = OpKind::kElementwise;
    op.elementwise = ElementwiseMode::kAdd;
    op.ifm = {.region = 2, .h = 1, .w = 1, .c = 16};
    op.ifm.stride_x = op.ifm.stride_y = 16;
    op.ifm.width0 = op.ifm.height0 = op.ifm.height1 = 1;
    op.ifm2 = op.ofm = op.ifm;
    op.ifm2.region = 5;
    const auto access = faulting_access(op, accelerator, memory);
    REQUIRE(access);
    CHECK(access->channel == (is_u85(name) ? Channel::kReadIfmStream : Channel::kReadIfm));
    CHECK(access->region == 5);
  }
}
