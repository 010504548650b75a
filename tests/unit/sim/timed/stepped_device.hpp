#pragma once
#include "sim/isa/disasm.hpp"
#include "sim/timed/device/device_simulation.hpp"
#include "tests/unit/sim/timed/flat_memory.hpp"

#include <macaw/npu/registers.hpp>

#include <catch2/catch.hpp>
#include <cstring>

namespace macaw::npu::timed {

/// A device in front of a flat memory that runs assembled streams, out of reset and with all limits open.
class SteppedDevice {
 public:
  static constexpr std::uint64_t kStream = 0x10000;  // behind what the streams move

  SteppedDevice(const char* name, const std::string& text, const MemoryTiming& timing = {})
      : accelerator_(*find_accelerator(name)) {
    memory.bytes.resize(kStream);
    load(text);
    auto created = DeviceSimulation::create(accelerator_, default_params(accelerator_), {timing, timing}, memory);
    if (!created) FAIL(created.error().to_string());
    device = std::move(*created);
    leave_reset();
  }

  void load(const std::string& text) {
    const auto assembly =
        assemble(".accelerator " + std::string(accelerator_.name) + "\n.stream test\n" + text, "test");
    if (!assembly) FAIL(assembly.error().to_string());
    const auto& words = assembly->streams[0].words;
    stream_bytes = static_cast<std::uint32_t>(words.size() * 4);
    memory.bytes.resize(kStream + stream_bytes);
    std::memcpy(memory.bytes.data() + kStream, words.data(), stream_bytes);
  }

  void write(const char* name, std::uint32_t value, unsigned word = 0) {
    if (const auto done = device->write(offset(name) + 4 * word, value); !done) FAIL(done.error().to_string());
  }
  std::uint32_t read(const char* name, unsigned word = 0) { return device->read(offset(name) + 4 * word).value(); }
  void advance(std::uint64_t most) {
    if (const auto done = device->advance(Cycles(most)); !done) FAIL(done.error().to_string());
  }

  void leave_reset() {
    while (read("STATUS") & 8) continue;
    if (accelerator_.family == Family::kU85) {
      for (const char* name : {"AXI_SRAM", "AXI_EXT"}) write(name, 0x00021f3f);
    } else {
      for (const char* name : {"AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3"}) write(name, 0x1f3f0001);
    }
  }
  void reset() {
    write("RESET", 0);
    leave_reset();
  }
  /// All regions are the memory from its start on.
  void start() {
    write("QBASE", static_cast<std::uint32_t>(FlatMemory::kBase + kStream));
    write("QSIZE", stream_bytes);
    for (unsigned r = 0; r < 8; ++r) write("BASEP", static_cast<std::uint32_t>(FlatMemory::kBase), 2 * r);
    write("CMD", 0xd);
  }
  void clear() { write("CMD", 0xffff000e); }
  /// Runs the job up to the interrupt at its end; how many cycles it was active by NPU_ACTIVE in counter 0.
  std::uint32_t run() {
    start();
    advance(kLong);
    if (!device->interrupt()) FAIL("the job does not end");
    return read("PMEVCNTR");
  }
  void count(unsigned counter, std::uint32_t event) {
    write("PMEVTYPER", event, counter);
    write("PMCNTENSET", 1u << counter | 1u << 31);
    write("PMCR", 1);
  }

  static constexpr std::uint64_t kLong = 10'000'000;

  FlatMemory memory;
  std::unique_ptr<DeviceSimulation> device;
  std::uint32_t stream_bytes = 0;

 private:
  unsigned offset(const char* name) const { return register_offset(accelerator_.family, name).value(); }

  const Accelerator& accelerator_;
};

/// A copy of `bytes` from region 0 at `from` to `to`, without a wait for it.
inline std::string copy(std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  return "NPU_SET_DMA0_SRC_REGION region=0\nNPU_SET_DMA0_DST_REGION region=0\nNPU_SET_DMA0_SRC addr=" +
         std::to_string(from) + "\nNPU_SET_DMA0_DST addr=" + std::to_string(to) +
         "\nNPU_SET_DMA0_LEN addr=" + std::to_string(bytes) + "\nNPU_OP_DMA_START\n";
}

}  // namespace macaw::npu::timed
