#include "tests/unit/sim/timed/stepped_device.hpp"

#include <macaw/npu/timed_simulator.hpp>

// State after several interrupts, and a job's registers in its faults and its report (u55_u65 7.1).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

const char* any_family() { return GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-1024"); }

}  // namespace

TEST_CASE("the history of interrupts holds all masks that came, until CMD takes back those that it names") {
  std::string text = "NPU_OP_IRQ mask=0x5\nNPU_OP_IRQ mask=0x12\n";
  for (int i = 0; i < 400; ++i) text += "NPU_SET_IFM_REGION region=0\n";
  SteppedDevice stepped(any_family(), text + "NPU_OP_STOP mask=0x8001\n");
  stepped.start();
  stepped.advance(SteppedDevice::kLong);
  for (int i = 0; i < 100; ++i) stepped.read("ID");  // time for the second
  CHECK(stepped.read("STATUS") == 0x00170003);
  stepped.write("CMD", 0x0010000c);  // the history alone
  CHECK(stepped.read("STATUS") == 0x00070003);
  stepped.write("CMD", 0x0000000e);  // the interrupt alone
  CHECK(stepped.read("STATUS") == 0x00070001);
  stepped.advance(SteppedDevice::kLong);
  CHECK(stepped.read("STATUS") == 0x80070022);
  stepped.write("CMD", 0xffff000e);
  CHECK(stepped.read("STATUS") == 0x20);
}

TEST_CASE("a stream that cannot be fetched faults on the side of its selector") {
  for (const std::uint32_t selector : {0u, 1u, 2u, 3u}) {
    SteppedDevice stepped("ethos-u65-256", "NPU_OP_STOP mask=0x8\n");
    stepped.write("QCONFIG", selector);
    stepped.stream_bytes += 64;
    stepped.start();
    stepped.advance(SteppedDevice::kLong);
    INFO(selector);
    CHECK(stepped.read("STATUS") == (selector < 2 ? 0x006 : 0x806));
  }
}

TEST_CASE("a job's report has each region on the side of its selector") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-1024"}) {
    const bool u85 = std::string(name).find("u85") != std::string::npos;
    SteppedDevice stepped(name, "NPU_OP_STOP mask=0x8\n");
    // Regions 0 to 7 by the selectors 0, 1, 2, 3, 3, 2, 1, 0. On U85 rows 1 and 2 of MEM_ATTR are on the second side.
    stepped.write("REGIONCFG", 0x1be4);
    for (const unsigned row : {1u, 2u})
      if (u85) stepped.write("MEM_ATTR", 4, row);
    stepped.run();
    const auto job = stepped.device->last_job();
    INFO(name);
    CHECK(job.region_side == (u85 ? std::array{0, 1, 1, 0, 0, 1, 1, 0} : std::array{0, 0, 1, 1, 1, 1, 0, 0}));
    CHECK(job.cycles == job.pmu.counts.at("ETHOSU_PMU_NPU_ACTIVE"));
    CHECK(job.cycles > 0);
  }
}

TEST_CASE("QREAD is where the stream was read to, and the next job begins at QBASE") {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "NPU_SET_IFM_REGION region=0\n";
  SteppedDevice stepped(any_family(), text + "NPU_OP_STOP mask=0x8\n");
  for (int job = 0; job < 3; ++job) {
    stepped.run();
    CHECK(stepped.read("QREAD") == stepped.stream_bytes);
    CHECK(stepped.read("QBASE") == FlatMemory::kBase + SteppedDevice::kStream);
    CHECK((stepped.read("STATUS") & 0xffff) == 0x22);
    stepped.clear();
  }
}
