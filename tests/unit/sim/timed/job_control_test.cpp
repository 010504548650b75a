#include "tests/unit/sim/timed/stepped_device.hpp"

#include <algorithm>

// Behaviour of STATUS, CMD, RESET and the port limits: Arm's register headers (hal_ethos_u,
// src/ethosu*_interface.h).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr std::uint32_t kBytes = 0x2000, kFirst = 0x4000, kSecond = 0x8000;

/// Two copies of the first bytes, one after the other.
const std::string kTwoCopies =
    copy(0, kFirst, kBytes) + "NPU_OP_DMA_WAIT k=0\n" + copy(0, kSecond, kBytes) + "NPU_OP_STOP mask=0x8\n";

bool copied(const SteppedDevice& stepped, std::uint32_t to) {
  const auto* bytes = stepped.memory.bytes.data();
  return std::equal(bytes, bytes + kBytes, bytes + to);
}
bool untouched(const SteppedDevice& stepped, std::uint32_t at) {
  const auto* bytes = stepped.memory.bytes.data() + at;
  return std::all_of(bytes, bytes + kBytes, [](std::uint8_t byte) { return byte == 0; });
}
void fill(SteppedDevice& stepped) {
  for (std::uint32_t i = 0; i < kBytes; ++i) stepped.memory.bytes[i] = static_cast<std::uint8_t>(i % 251 + 1);
}

const char* any_npu() { return GENERATE("ethos-u55-128", "ethos-u65-256", "ethos-u85-256"); }

}  // namespace

TEST_CASE("a reset gives the job up, leaves what finished operations wrote, and the next job is as any other") {
  SteppedDevice stepped(any_npu(), kTwoCopies);
  fill(stepped);
  stepped.count(0, 35);
  const std::uint32_t alone = stepped.run();
  CHECK(copied(stepped, kSecond));
  std::fill(stepped.memory.bytes.begin() + kFirst, stepped.memory.bytes.begin() + SteppedDevice::kStream,
            std::uint8_t{0});

  stepped.reset();
  stepped.start();
  stepped.advance(alone * 3 / 4);
  CHECK(copied(stepped, kFirst));
  CHECK(untouched(stepped, kSecond));
  stepped.write("RESET", 0);
  CHECK((stepped.read("STATUS") & 0xffff) == 8);
  CHECK(stepped.read("CONFIG") == 0);
  stepped.write("QBASE", 0x1230);
  stepped.leave_reset();
  CHECK(stepped.read("QBASE") == 0);
  CHECK(stepped.read("STATUS") == 0);
  CHECK(stepped.read("CONFIG") != 0);
  stepped.advance(SteppedDevice::kLong);
  CHECK_FALSE(stepped.device->interrupt());
  CHECK(copied(stepped, kFirst));
  CHECK(untouched(stepped, kSecond));

  stepped.count(0, 35);
  CHECK(stepped.run() == alone);
  CHECK(copied(stepped, kSecond));
}

TEST_CASE("a stop request lets what was started complete, and no more") {
  SteppedDevice stepped(any_npu(), kTwoCopies);
  fill(stepped);
  stepped.start();
  stepped.advance(100);
  stepped.write("CMD", 0x1c);
  stepped.advance(100'000);
  CHECK_FALSE(stepped.device->interrupt());
  CHECK(stepped.read("STATUS") == 0);
  CHECK(copied(stepped, kFirst));
  CHECK(untouched(stepped, kSecond));
  stepped.run();
  CHECK(copied(stepped, kSecond));
}

TEST_CASE("a hundred jobs one after the other take the same time, bandwidth windows and all") {
  SteppedDevice stepped("ethos-u65-256", kTwoCopies,
                        {.max_reads = 24,
                         .max_writes = 24,
                         .read_latency = 57,
                         .write_latency = 31,
                         .pulse_on = 320,
                         .pulse_off = 80,
                         .bandwidth_cap = 50});
  stepped.count(0, 35);
  const std::uint32_t first = stepped.run();
  stepped.clear();
  for (int i = 1; i < 100; ++i) {
    stepped.advance(static_cast<std::uint64_t>(7 * i));
    stepped.write("PMCR", 3);
    if (stepped.run() != first) FAIL("job " << i << " takes another time");
    stepped.clear();
  }
}

TEST_CASE("the end is shown until QBASE or QSIZE is written") {
  SteppedDevice stepped("ethos-u55-128", "NPU_OP_STOP mask=0x8\n");
  stepped.run();
  stepped.clear();
  CHECK(stepped.read("STATUS") == 0x20);
  stepped.write(GENERATE("QBASE", "QSIZE"), 16);
  CHECK(stepped.read("STATUS") == 0);
}

TEST_CASE("a fault says on which side and channel, QREAD where, and only a reset clears it") {
  struct Case {
    std::string stream;
    std::uint32_t status;
  };
  const auto& [stream, status] = GENERATE(values<Case>({
      {copy(0x7f000000, 0, 16), 0x4004},  // a copy reads on side 0
      {copy(0, 0x7f000000, 16), 0x9004},  // a copy writes
  }));
  std::string text;
  for (int i = 0; i < 20; ++i) text += "NPU_SET_IFM_REGION region=0\n";
  const std::size_t before = 80;
  SteppedDevice stepped("ethos-u65-256",
                        text + stream + std::string("NPU_OP_DMA_WAIT k=0\n") + text + "NPU_OP_STOP mask=0x8\n");
  stepped.run();
  CHECK(stepped.read("STATUS") == (status | 2));
  CHECK(stepped.read("QREAD") > before);
  CHECK(stepped.read("QREAD") <= before + 40);
  REQUIRE(stepped.device->fault());
  stepped.clear();
  stepped.start();  // has no effect
  stepped.advance(10'000);
  CHECK(stepped.read("STATUS") == status);
  stepped.reset();
  CHECK(stepped.read("STATUS") == 0);
}

TEST_CASE("a word that is not a command is a parse error, and QREAD is its position") {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "NPU_SET_IFM_REGION region=0\n";
  SteppedDevice stepped("ethos-u55-128", text + "NPU_OP_STOP mask=0x8\n");
  stepped.memory.bytes[SteppedDevice::kStream + 40] = 0xff;
  stepped.memory.bytes[SteppedDevice::kStream + 41] = 0x03;
  stepped.run();
  CHECK(stepped.read("STATUS") == 0x12);
  CHECK(stepped.read("QREAD") == 40);
}

TEST_CASE("the limits of outstanding transactions are those of the registers") {
  const char* name = any_npu();
  SteppedDevice stepped(name, kTwoCopies, {.read_latency = 100});
  stepped.count(0, 35);
  const std::uint32_t open = stepped.run();
  stepped.reset();
  const bool u85 = std::string(name).find("u85") != std::string::npos;
  for (const char* limit : {"AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3"})
    if (!u85) stepped.write(limit, 0);
  for (const char* limit : {"AXI_SRAM", "AXI_EXT"})
    if (u85) stepped.write(limit, 0);
  stepped.count(0, 35);
  const std::uint32_t limited = stepped.run();
  // One transaction of 64 bytes at a time on each port, a latency each; U85-256 has two ports.
  CHECK(limited > 2 * kBytes / 64 * 100 / (u85 ? 2 : 1));
  CHECK(limited > 4 * open);
}
