// npu_in_systemc ARTIFACT INPUT.npy OUTPUT.npy...: one NPU per output in one SystemC platform. All NPUs are bound to
// one memory and each to its own driver; memory and driver are defined here. Each NPU runs the network, of one command
// stream and one input, at its own addresses; the program prints its cycles and memory traffic and writes the outputs.
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/registers.hpp>
#include <macaw/npy.hpp>
#include <macaw/sc/npu_device.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace {

using namespace macaw;

/// Memory at 0x20000000 with a latency of 50 ns and direct access. Accesses are served one after another at 4 bytes per
/// ns, shared by all initiators.
class Ram : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kBase = 0x20000000;

  tlm_utils::multi_passthrough_target_socket<Ram> socket{"socket"};
  std::vector<std::uint8_t> bytes;
  std::uint64_t read_bytes = 0, written_bytes = 0;

  explicit Ram(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_b_transport(this, &Ram::b_transport);
    socket.register_get_direct_mem_ptr(this, &Ram::get_direct_mem_ptr);
  }

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address() - kBase, length = payload.get_data_length();
    if (at > bytes.size() || length > bytes.size() - at) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write()) std::memcpy(bytes.data() + at, payload.get_data_ptr(), length);
    else std::memcpy(payload.get_data_ptr(), bytes.data() + at, length);
    (payload.is_write() ? written_bytes : read_bytes) += length;
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    free_ = std::max(free_, now + delay) + sc_core::sc_time(static_cast<double>(length) / 4, sc_core::SC_NS);
    delay = free_ - now + sc_core::sc_time(50, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(kBase);
    dmi.set_end_address(kBase + bytes.size() - 1);
    dmi.allow_read_write();
    return true;
  }

  sc_core::sc_time free_;
};

/// The register accesses of a driver for one job.
class Driver : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Driver> socket{"socket"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  npu::Family family{};
  std::uint64_t queue = 0, bases[8] = {}, cycles = 0;
  std::uint32_t queue_bytes = 0, status = 0;

  SC_HAS_PROCESS(Driver);
  explicit Driver(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { SC_THREAD(run); }

 private:
  std::uint32_t access(tlm::tlm_command command, const char* name, unsigned word, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(npu::register_offset(family, name).value() + 4 * word);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) throw std::runtime_error(std::string("no access to ") + name);
    wait(delay);
    return value;
  }
  void write(const char* name, std::uint32_t value, unsigned word = 0) {
    access(tlm::TLM_WRITE_COMMAND, name, word, value);
  }
  void write_address(const char* name, std::uint64_t address, unsigned index = 0) {
    write(name, static_cast<std::uint32_t>(address), 2 * index);
    write(name, static_cast<std::uint32_t>(address >> 32), 2 * index + 1);
  }
  std::uint32_t read(const char* name, unsigned word = 0) { return access(tlm::TLM_READ_COMMAND, name, word, 0); }

  /// Sets as many outstanding transactions as the hardware allows, with the burst length that Arm's evaluation kit
  /// sets.
  void write_limits() {
    for (const char* name : {"AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3"})
      // The family is tested because U65 has the registers of U55, but allows more outstanding transactions.
      if (npu::register_offset(family, name)) write(name, family == npu::Family::kU65 ? 0x1f3f0001 : 0x0f1f0000);
    for (const char* name : {"AXI_SRAM", "AXI_EXT"})
      if (npu::register_offset(family, name)) write(name, 0x00021f3f);
  }
  void run() {
    write("RESET", 0);
    while (read("STATUS") & 8) {
    }
    write_limits();
    write("PMCR", 1);                 // counters on,
    write("PMCR", read("PMCR") | 4);  // the cycle counter from 0
    write("PMCNTENSET", 1u << 31);
    write_address("QBASE", queue);
    write("QSIZE", queue_bytes);
    for (unsigned region = 0; region < 8; ++region) write_address("BASEP", bases[region], region);
    write("CMD", (read("CMD") & 0xc) | 1);
    if (!interrupt.read()) wait(interrupt.posedge_event());
    status = read("STATUS");
    write("PMCNTENCLR", 1u << 31);
    cycles = read("PMCCNTR") | std::uint64_t{read("PMCCNTR", 1)} << 32;
  }
};

/// Places the network's memories, the input and the stream in `ram` and passes them to the driver; returns their
/// addresses.
Result<std::vector<std::uint64_t>> load(const npu::Artifact& artifact, const Tensor& input, Ram& ram, Driver& driver) {
  const auto* stream = artifact.steps.size() == 1 ? std::get_if<npu::CommandStream>(&artifact.steps[0]) : nullptr;
  if (!stream || artifact.inputs.size() != 1 || artifact.outputs.empty())
    return fail(ErrorCode::kUsage, "expected a network of one command stream and one input", {.file = artifact.file});
  std::vector<std::uint64_t> places;
  const auto place = [&ram](std::uint64_t size) {
    const std::uint64_t at = (ram.bytes.size() + 4095) / 4096 * 4096;
    ram.bytes.resize(at + size);
    return at;
  };
  for (const auto& memory : artifact.memories) {
    places.push_back(place(memory.size));
    std::copy(memory.initial.begin(), memory.initial.end(),
              ram.bytes.begin() + static_cast<std::ptrdiff_t>(places.back()));
  }
  const std::uint64_t queue = place(stream->words.size() * 4);
  std::memcpy(ram.bytes.data() + queue, stream->words.data(), stream->words.size() * 4);
  const auto& binding = artifact.inputs[0];
  if (binding.memory >= 0)
    std::memcpy(ram.bytes.data() + places[static_cast<std::size_t>(binding.memory)] + binding.offset,
                input.bytes().data(), input.bytes().size());
  driver.family = artifact.accelerator->family;
  driver.queue = Ram::kBase + queue;
  driver.queue_bytes = static_cast<std::uint32_t>(stream->words.size() * 4);
  for (std::size_t region = 0; region < 8; ++region)
    if (const auto& range = stream->regions[region]; range.memory >= 0)
      driver.bases[region] = Ram::kBase + places[static_cast<std::size_t>(range.memory)] + range.offset;
  return places;
}

/// An NPU connected to the memory, and the driver of its job.
struct Npu {
  Npu(const std::string& name, const npu::Accelerator& accelerator, Ram& ram)
      : device(name.c_str(), accelerator),
        driver((name + "_driver").c_str()),
        interrupt((name + "_interrupt").c_str()) {
    driver.socket.bind(device.registers());
    driver.interrupt(interrupt);
    device.interrupt()(interrupt);
    for (int side = 0; side < 2; ++side)
      for (std::size_t port = 0; port < device.ports(side); ++port) device.axi(side, port).bind(ram.socket);
  }

  sc::NpuDevice device;
  Driver driver;
  sc_core::sc_signal<bool> interrupt;
  std::vector<std::uint64_t> places;
};

Result<void> run(const char* artifact_file, const char* input_file, const std::vector<const char*>& output_files) {
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(artifact_file));
  MACAW_ASSIGN(const auto input, read_tensor(input_file));
  if (!artifact.accelerator)
    return fail(ErrorCode::kUsage, "the artifact does not say its accelerator", {.file = artifact_file});

  Ram ram("ram");
  std::vector<std::unique_ptr<Npu>> npus;
  for (std::size_t i = 0; i < output_files.size(); ++i) {
    npus.push_back(std::make_unique<Npu>("npu" + std::to_string(i), *artifact.accelerator, ram));
    MACAW_ASSIGN(npus.back()->places, load(artifact, input, ram, npus.back()->driver));
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < npus.size(); ++i) {
    const auto& npu = *npus[i];
    if (const auto fault = npu.device.fault()) return tl::unexpected(*fault);
    if (!(npu.driver.status & 0x20))
      return fail(ErrorCode::kHardwareFault, "the command stream did not get to its end");
    std::cout << artifact.accelerator->name << ": " << npu.driver.cycles << " cycles, " << ram.read_bytes
              << " bytes read, " << ram.written_bytes << " written\n";
    const auto& binding = artifact.outputs[0];
    Tensor output(binding.dtype.value_or(DType::kINT8), binding.shape);
    std::memcpy(output.bytes().data(),
                ram.bytes.data() + npu.places[static_cast<std::size_t>(binding.memory)] + binding.offset,
                output.bytes().size());
    MACAW_CHECK(write_tensor(output_files[i], output));
  }
  return {};
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc < 4) return std::cerr << "usage: npu_in_systemc ARTIFACT INPUT.npy OUTPUT.npy...\n", 2;
  if (const auto done = run(argv[1], argv[2], {argv + 3, argv + argc}); !done)
    return std::cerr << "npu_in_systemc: " << done.error().to_string() << "\n", 1;
  return 0;
}
