#include "sim/isa/disasm.hpp"
#include "sim/isa/pmu_events.hpp"
#include "sim/timed/context.hpp"
#include "sim/timed/device/npu_device.hpp"
#include "tests/unit/sim/timed/bench.hpp"
#include "tests/unit/sim/timed/flat_memory.hpp"

#include <macaw/npu/registers.hpp>
#include <macaw/npu/timed_simulator.hpp>
#include <macaw/npy.hpp>

#include <tlm_utils/simple_initiator_socket.h>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

// A job through the registers, in the order in which Arm's core driver accesses them (hal_ethos_u,
// src/ethosu_device_u55_u65.c, ethosu_device_u85.c, ethosu_pmu.c), against the same network run directly.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

struct DriverJob {
  std::uint64_t queue = 0;
  std::uint32_t queue_bytes = 0;
  std::array<std::uint64_t, 8> bases{};
  MemoryMode mode;
  std::vector<std::uint32_t> events;
};

/// Driver code: a process that accesses registers and waits for the interrupt.
class DriverCode : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<DriverCode> socket;
  sc_core::sc_in<bool> irq;
  bool finished = false;

  SC_HAS_PROCESS(DriverCode);
  DriverCode(const sc_core::sc_module_name& name, const Accelerator& accelerator, DriverJob job)
      : sc_core::sc_module(name), socket("socket"), irq("irq"), job_(std::move(job)), family_(accelerator.family) {
    SC_THREAD(run);
  }

 protected:
  std::uint32_t transport(tlm::tlm_command command, std::uint64_t address, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) throw std::runtime_error("register access failed");
    sc_core::wait(delay);
    return value;
  }
  unsigned offset(const char* name, unsigned word) const { return register_offset(family_, name).value() + 4 * word; }
  void write(const char* name, std::uint32_t value, unsigned word = 0) {
    transport(tlm::TLM_WRITE_COMMAND, offset(name, word), value);
  }
  std::uint32_t read(const char* name, unsigned word = 0) {
    return transport(tlm::TLM_READ_COMMAND, offset(name, word), 0);
  }

  unsigned soft_reset() {
    write("RESET", 0);
    unsigned polls = 0;
    for (; read("STATUS") & 8; ++polls) {
    }
    write_limits();
    return polls;
  }
  /// All that the hardware can do, as ml-embedded-evaluation-kit sets it.
  void write_limits() {
    if (family_ == Family::kU85) {  // attributes 0 and 1 on the SRAM side, 2 and 3 on the external one
      for (unsigned i = 0; i < 4; ++i) write("MEM_ATTR", i >= 2 ? 4 : 0, i);
      for (const char* name : {"AXI_SRAM", "AXI_EXT"}) write(name, 0x00021f3f);
    } else {
      for (const char* name : {"AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3"})
        write(name, family_ == Family::kU55 ? 0x0f1f0000 : 0x1f3f0001);
    }
  }
  void run_stream() {
    write("QBASE", static_cast<std::uint32_t>(job_.queue));
    write("QBASE", static_cast<std::uint32_t>(job_.queue >> 32), 1);
    write("QSIZE", job_.queue_bytes);
    write("QCONFIG", static_cast<std::uint32_t>(job_.mode.qconfig));
    std::uint32_t regions = 0;
    for (unsigned i = 0; i < 8; ++i) {
      write("BASEP", static_cast<std::uint32_t>(job_.bases[i]), 2 * i);
      write("BASEP", static_cast<std::uint32_t>(job_.bases[i] >> 32), 2 * i + 1);
      regions |= static_cast<std::uint32_t>(job_.mode.regioncfg[i]) << (2 * i);
    }
    write("REGIONCFG", regions);
    write("CMD", (read("CMD") & 0xc) | 1);
  }
  std::uint32_t wait_and_read_status() {
    if (!irq.read()) sc_core::wait(irq.posedge_event());
    return read("STATUS");
  }
  /// Clears the interrupt, and the bits of the history.
  void clear(std::uint32_t history = 0) { write("CMD", (read("CMD") & 0xc) | 2 | history << 16); }

  DriverJob job_;

 private:
  virtual void run() = 0;

  Family family_;
};

/// Actions of the core driver for a job.
class Driver : public DriverCode {
 public:
  using DriverCode::DriverCode;
  std::vector<std::uint32_t> counters;
  std::uint64_t cycles = 0;
  std::uint32_t status_before = 0, status_after = 0, status_cleared = 0, qread = 0, overflow = 0;
  unsigned reset_polls = 0;

 private:
  void enable_counters() {
    write("PMCR", 1);
    for (unsigned i = 0; i < job_.events.size(); ++i) write("PMEVTYPER", job_.events[i], i);
    write("PMCR", read("PMCR") | 4);
    write("PMCR", read("PMCR") | 2);
    write("PMCNTENSET", 1u << 31 | ((1u << job_.events.size()) - 1));
  }
  void run() override {
    reset_polls = soft_reset();
    enable_counters();
    status_before = read("STATUS");
    run_stream();
    status_after = wait_and_read_status();
    qread = read("QREAD");
    clear();
    status_cleared = read("STATUS");
    write("PMCNTENCLR", 1u << 31);
    cycles = read("PMCCNTR") | std::uint64_t{read("PMCCNTR", 1)} << 32;
    for (unsigned i = 0; i < job_.events.size(); ++i) counters.push_back(read("PMEVCNTR", i));
    overflow = read("PMOVSSET");
    sc_core::wait(sc_core::SC_ZERO_TIME);
    finished = !irq.read();
  }
};

/// Takes every interrupt until the stream has ended, and notes STATUS when it comes and after it is cleared.
class Listener : public DriverCode {
 public:
  using DriverCode::DriverCode;
  std::vector<std::uint32_t> status, cleared;

 private:
  void run() override {
    static_cast<void>(soft_reset());
    run_stream();
    do {
      status.push_back(wait_and_read_status());
      clear(0xffff);
      cleared.push_back(read("STATUS"));
      sc_core::wait(sc_core::SC_ZERO_TIME);
    } while (cleared.back() & 1);
    finished = !irq.read();
  }
};

/// An NPU with its memory and what drives it.
template <class D>
struct Board {
  Board(const Accelerator& accelerator, SystemMemory& memory, DriverJob job)
      : device("npu", accelerator, default_params(accelerator), memory), driver("driver", accelerator, std::move(job)) {
    for (auto& socket : device.core.axi[0].sockets) socket.bind(memory0.socket);
    for (auto& socket : device.core.axi[1].sockets) socket.bind(memory1.socket);
    driver.socket.bind(device.registers.socket);
    driver.irq(irq);
    device.registers.irq(irq);
  }

  Context context;
  Context::Entered entered = context.enter();
  NpuDevice device;
  npu::timed::Memory memory0{"memory0", npu::timed::Memory::Timing{}}, memory1{"memory1", npu::timed::Memory::Timing{}};
  D driver;
  sc_core::sc_signal<bool> irq{"irq"};
};

struct Network {
  Artifact artifact;
  std::vector<NamedTensor> inputs;
};

Network measured_network(const char* folder) {
  const char* corpus = std::getenv("MACAW_CORPUS");
  const auto root = std::filesystem::path(corpus ? corpus : "build/corpus") / "measured";
  const auto file = root / "artifacts" / folder / "kws_micronet_m_vela.tflite";
  if (!std::filesystem::exists(file)) {
    std::cout << "skipped: no " << file << " (set MACAW_CORPUS)\n";
    return {};
  }
  auto artifact = load_artifact(file);
  REQUIRE(artifact);
  auto input = read_tensor(root / "io/kws_in0.npy");
  REQUIRE(input);
  Network network;
  network.artifact = *artifact;
  network.inputs.push_back({"", *input});
  return network;
}

/// Lays the network's memories out one behind the other, 4 KiB aligned, the stream last.
DriverJob lay_out(const Network& network, const CommandStream& stream, FlatMemory& memory,
                  std::vector<std::uint64_t>& places) {
  const auto up = [](std::uint64_t n) { return (n + 4095) / 4096 * 4096; };
  std::uint64_t end = 0;
  for (const auto& one : network.artifact.memories) {
    places.push_back(end);
    end += up(one.size);
  }
  memory.bytes.resize(end + up(stream.words.size() * 4));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& initial = network.artifact.memories[i].initial;
    std::copy(initial.begin(), initial.end(), memory.bytes.begin() + static_cast<std::ptrdiff_t>(places[i]));
  }
  std::memcpy(memory.bytes.data() + end, stream.words.data(), stream.words.size() * 4);
  const auto& binding = network.artifact.inputs.at(0);
  const auto input = network.inputs.at(0).tensor.bytes();
  std::memcpy(memory.bytes.data() + places[static_cast<std::size_t>(binding.memory)] + binding.offset, input.data(),
              input.size());
  DriverJob job;
  job.queue = FlatMemory::kBase + end;
  job.queue_bytes = static_cast<std::uint32_t>(stream.words.size() * 4);
  for (std::size_t r = 0; r < 8; ++r)
    if (stream.regions[r].memory >= 0)
      job.bases[r] =
          FlatMemory::kBase + places[static_cast<std::size_t>(stream.regions[r].memory)] + stream.regions[r].offset;
  return job;
}

void run_by_registers(const char* folder, const char* mode_name, const std::vector<std::string>& events) {
  const Network network = measured_network(folder);
  if (network.inputs.empty()) return;
  const Accelerator& accelerator = *network.artifact.accelerator;
  REQUIRE(network.artifact.steps.size() == 1);
  const auto& stream = std::get<CommandStream>(network.artifact.steps[0]);
  const auto plain =
      run_timed(network.artifact, accelerator, network.inputs, {.system = "ideal", .memory_mode = mode_name});
  if (!plain) FAIL(plain.error().to_string());
  const auto system = load_system_config("ideal");
  REQUIRE(system);

  FlatMemory memory;
  std::vector<std::uint64_t> places;
  DriverJob job = lay_out(network, stream, memory, places);
  job.mode = *system->find_mode(mode_name);
  for (const auto& event : events) job.events.push_back(find_pmu_event(accelerator.family, event)->number);

  Board<Driver> bench(accelerator, memory, std::move(job));
  const auto& device = bench.device;
  const auto& driver = bench.driver;
  const auto ended = bench.context.run(ticks(1e9));
  if (!ended) FAIL(ended.error().to_string());
  if (device.fault()) FAIL(device.fault()->to_string());

  REQUIRE(driver.finished);
  CHECK(driver.reset_polls > 0);
  CHECK((driver.status_before & 0x2b) == 0);
  CHECK((driver.status_after & 0x3f) == 0x22);  // stopped, interrupt, end reached, no fault
  CHECK((driver.status_cleared & 2) == 0);
  CHECK(driver.qread == stream.words.size() * 4);
  CHECK(driver.overflow == 0);
  for (std::size_t i = 0; i < events.size(); ++i) {
    INFO(events[i]);
    CHECK(driver.counters[i] == plain->pmu.counts.at("ETHOSU_PMU_" + events[i]));
  }
  CHECK(driver.cycles >= plain->cycles);
  CHECK(driver.cycles < plain->cycles + 100);  // and the register accesses
  const auto& output = network.artifact.outputs.at(0);
  const auto expected = plain->values.outputs.at(0).bytes();
  const auto* actual = memory.bytes.data() + places[static_cast<std::size_t>(output.memory)] + output.offset;
  CHECK(std::memcmp(actual, expected.data(), expected.size()) == 0);
}

}  // namespace

TEST_CASE("a network runs by the register sequence of the driver, U55") {
  run_by_registers("u55_128_Shared_Sram", "Shared_Sram",
                   {"NPU_ACTIVE", "MAC_ACTIVE", "AXI0_RD_DATA_BEAT_RECEIVED", "AXI1_RD_DATA_BEAT_RECEIVED"});
}

TEST_CASE("a network runs by the register sequence of the driver, U85") {
  run_by_registers("u85_256_Dedicated_Sram_SYS_DRAM_Low", "Dedicated_Sram",
                   {"NPU_ACTIVE", "MAC_ACTIVE", "SRAM_RD_DATA_BEAT_RECEIVED", "SRAM_WR_DATA_BEAT_WRITTEN",
                    "EXT_RD_DATA_BEAT_RECEIVED", "EXT_WR_DATA_BEAT_WRITTEN", "EXT_RD_TRANS_ACCEPTED", "WD_ACTIVE"});
}

namespace {

/// A stream alone in memory, at an offset.
DriverJob lay_out(const Accelerator& accelerator, const std::string& text, std::uint64_t offset, FlatMemory& memory) {
  const auto assembly = assemble(".accelerator " + std::string(accelerator.name) + "\n.stream test\n" + text, "test");
  if (!assembly) FAIL(assembly.error().to_string());
  const auto& words = assembly->streams[0].words;
  memory.bytes.resize(offset + words.size() * 4);
  std::memcpy(memory.bytes.data() + offset, words.data(), words.size() * 4);
  DriverJob job;
  job.queue = FlatMemory::kBase + offset;
  job.queue_bytes = static_cast<std::uint32_t>(words.size() * 4);
  return job;
}

}  // namespace

TEST_CASE("NPU_OP_IRQ interrupts the host and the stream goes on") {
  const auto& accelerator = *find_accelerator(GENERATE("ethos-u55-128", "ethos-u65-256", "ethos-u85-256"));
  CAPTURE(accelerator.name);
  std::string text = "NPU_OP_IRQ mask=0x5\n";
  for (int i = 0; i < 400; ++i) text += "NPU_SET_IFM_REGION region=0\n";  // until the host has cleared it
  text += "NPU_OP_STOP mask=0x8\n";
  FlatMemory memory;
  Board<Listener> bench(accelerator, memory, lay_out(accelerator, text, 0, memory));
  const auto ended = bench.context.run(ticks(1e6));
  if (!ended) FAIL(ended.error().to_string());
  CHECK(bench.driver.finished);
  // Running with an interrupt and its mask; then stopped, with an interrupt, the end reached and the mask of the end.
  CHECK(bench.driver.status == std::vector<std::uint32_t>{0x00050003, 0x00080022});
  CHECK(bench.driver.cleared == std::vector<std::uint32_t>{0x1, 0x20});
}

TEST_CASE("a job at addresses that are not multiples of 16 faults and says which") {
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  const auto& [queue, base, message] = GENERATE(table<std::uint64_t, std::uint64_t, const char*>(
      {{8, 0, "QBASE 0x20000008 is not a multiple of 16"}, {16, 12, "BASEP3 0xc is not a multiple of 16"}}));
  FlatMemory memory;
  auto job = lay_out(accelerator, "NPU_OP_STOP mask=0x8\n", queue, memory);
  job.bases[3] = base;
  Board<Listener> bench(accelerator, memory, std::move(job));
  REQUIRE(bench.context.run(ticks(1e6)));
  CHECK(bench.driver.status == std::vector<std::uint32_t>{0x6});  // stopped, interrupt, bus fault of the stream
  REQUIRE(bench.device.fault());
  CHECK(bench.device.fault()->message == message);
}
