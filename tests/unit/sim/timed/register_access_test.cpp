#include "sim/isa/mmio_registers.hpp"
#include "sim/timed/context.hpp"
#include "sim/timed/device/npu_device.hpp"
#include "tests/unit/sim/timed/bench.hpp"
#include "tests/unit/sim/timed/flat_memory.hpp"
#include "tests/unit/sim/timed/stepped_device.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <set>

// Permitted register accesses, and the bits that each register keeps (u55_u65 7.1, 7.2; register_block.hpp).
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

const char* any_device() { return GENERATE("ethos-u55-128", "ethos-u65-512", "ethos-u85-1024"); }
const std::string kOnlyStop = "NPU_OP_STOP mask=0x8\n";

std::uint32_t at(SteppedDevice& stepped, unsigned offset) { return stepped.device->read(offset).value(); }

/// Registers that do something, or that nothing can be written to.
bool is_plain(std::string_view name) {
  static const std::set<std::string_view> special{"ID", "STATUS", "CMD", "RESET", "QREAD", "PROT", "CONFIG"};
  return !special.contains(name) && !name.starts_with("PM");
}

/// The registers as a TLM target, out of their reset.
class RegisterProbe : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<RegisterProbe> socket{"socket"};

  explicit RegisterProbe(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address, unsigned length,
                                std::vector<std::uint8_t> enables = {}) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, length);
    if (!enables.empty()) {
      payload.set_byte_enable_ptr(enables.data());
      payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  unsigned look(tlm::tlm_command command, std::uint64_t address) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, 4);
    return socket->transport_dbg(payload);
  }
  std::array<std::uint32_t, 2> data{};

 private:
  void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
  }
};

struct Wired {
  explicit Wired(const Accelerator& accelerator) : device("npu", accelerator, default_params(accelerator), memory) {
    for (auto& socket : device.core.axi[0].sockets) socket.bind(memory0.socket);
    for (auto& socket : device.core.axi[1].sockets) socket.bind(memory1.socket);
    target.socket.bind(device.registers.socket);
    device.registers.irq(irq);
    if (const auto done = context.advance(ticks(100.0)); !done) FAIL(done.error().to_string());
  }
  ~Wired() { (void)context.end(); }
  Wired(const Wired&) = delete;
  Wired& operator=(const Wired&) = delete;

  Context context;
  Context::Entered entered = context.enter();
  FlatMemory memory;
  NpuDevice device;
  npu::timed::Memory memory0{"memory0", npu::timed::Memory::Timing{}}, memory1{"memory1", npu::timed::Memory::Timing{}};
  RegisterProbe target{"target"};
  sc_core::sc_signal<bool> irq{"irq"};
};

}  // namespace

TEST_CASE("an access is a whole word of the registers, and no part of one") {
  Wired wired(*find_accelerator("ethos-u65-256"));
  auto& target = wired.target;
  constexpr std::uint64_t kQsize = 0x20;
  const auto write = [&](std::uint64_t address, unsigned length, std::vector<std::uint8_t> enables = {}) {
    target.data = {0x12345678, 0x12345678};
    return target.send(tlm::TLM_WRITE_COMMAND, address, length, std::move(enables));
  };
  const auto stored = [&] {
    REQUIRE(target.send(tlm::TLM_READ_COMMAND, kQsize, 4) == tlm::TLM_OK_RESPONSE);
    return target.data[0];
  };
  for (const unsigned length : {0u, 1u, 2u, 3u, 5u, 8u}) {
    INFO(length);
    CHECK(write(kQsize, length) == tlm::TLM_BURST_ERROR_RESPONSE);
  }
  CHECK(write(kQsize, 4, {0xff, 0xff, 0, 0}) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(target.send(tlm::TLM_READ_COMMAND, kQsize, 4, {0xff, 0, 0, 0}) == tlm::TLM_BURST_ERROR_RESPONSE);
  for (const std::uint64_t address : {0x21u, 0x22u, 0x23u, 0x2000u, 0x2004u, 0x80000020u})
    CHECK(write(address, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(write(0x100000020, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(stored() == 0);
  CHECK(write(0x1ffc, 4) == tlm::TLM_OK_RESPONSE);  // of the space, and no register
  CHECK(write(kQsize, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(stored() == 0x12345678);
  target.data[0] = 0;
  CHECK(target.look(tlm::TLM_READ_COMMAND, kQsize) == 4);
  CHECK(target.data[0] == 0x12345678);
  CHECK(target.look(tlm::TLM_READ_COMMAND, 0x2000) == 0);
  target.data[0] = 7;
  CHECK(target.look(tlm::TLM_WRITE_COMMAND, kQsize) == 0);
  CHECK(stored() == 0x12345678);
}

TEST_CASE("a register keeps all of its words until a reset gives them their first values back") {
  const char* name = any_device();
  SteppedDevice stepped(name, kOnlyStop);
  const Family family = find_accelerator(name)->family;
  const auto words = [&](auto visit) {
    for (const auto& row : registers(family))
      for (unsigned word = 0; is_plain(row.name) && word < row.words * row.count; ++word) {
        INFO(row.name << " word " << word);
        visit(row, row.offset + 4 * word, word);
      }
  };
  words([&](const RegisterInfo&, unsigned offset, unsigned) { REQUIRE(stepped.device->write(offset, ~offset)); });
  words([&](const RegisterInfo&, unsigned offset, unsigned) { CHECK(at(stepped, offset) == ~offset); });
  stepped.write("RESET", 0);
  while (stepped.read("STATUS") & 8) continue;
  words([&](const RegisterInfo& row, unsigned offset, unsigned word) {
    CHECK(at(stepped, offset) == (word == 0 ? row.reset : 0));
  });
}

TEST_CASE("registers that tell what the NPU is and does take no writes") {
  const char* name = any_device();
  SteppedDevice stepped(name, kOnlyStop);
  const auto& accelerator = *find_accelerator(name);
  for (const char* fixed : {"ID", "STATUS", "QREAD", "PROT", "CONFIG", "RESET"}) {
    INFO(name << ' ' << fixed);
    const std::uint32_t before = stepped.read(fixed);
    if (std::string(fixed) != "RESET") stepped.write(fixed, ~before);
    CHECK(stepped.read(fixed) == before);
  }
  CHECK(stepped.read("CONFIG") == accelerator.config_word);
  // Architecture 1.1.0, 1.0.6 and 2.0.0, as the header of each family says.
  const std::uint32_t id = stepped.read("ID");
  const auto architecture = std::array{id >> 28, id >> 20 & 0xff, id >> 16 & 0xf};
  CHECK(architecture == (accelerator.family == Family::kU55   ? std::array{1u, 1u, 0u}
                         : accelerator.family == Family::kU65 ? std::array{1u, 0u, 6u}
                                                              : std::array{2u, 0u, 0u}));
}

TEST_CASE("CMD shows the requests for clock and power alone") {
  SteppedDevice stepped(any_device(), kOnlyStop);
  CHECK(stepped.read("CMD") == 0xc);
  for (const auto& [written, shown] : {std::pair{0x0u, 0x0u},
                                       {0x4u, 0x4u},
                                       {0x8u, 0x8u},
                                       {0xeu, 0xcu},
                                       {0xffff000eu, 0xcu},
                                       {0xffff0002u, 0x0u},
                                       {0x0000ffe0u, 0x0u}}) {
    stepped.write("CMD", written);
    CHECK(stepped.read("CMD") == shown);
  }
}

TEST_CASE("RESET hands its two bits to PROT, and nothing else is seen or taken until it is over") {
  SteppedDevice stepped(any_device(), kOnlyStop);
  for (std::uint32_t pending = 0; pending < 8; ++pending) {
    stepped.write("QSIZE", 0x40);
    stepped.write("RESET", pending);
    CHECK(stepped.read("STATUS") == 8);
    for (const char* name : {"ID", "PROT", "CONFIG", "CMD", "QSIZE", "PMCR"}) CHECK(stepped.read(name) == 0);
    stepped.write("QSIZE", 0x80);
    stepped.write("PMCNTENSET", 1);
    stepped.write("RESET", 7 - pending);
    while (stepped.read("STATUS") & 8) continue;
    CHECK(stepped.read("PROT") == (pending & 3));
    CHECK(stepped.read("QSIZE") == 0);
    CHECK(stepped.read("PMCNTENSET") == 0);
    CHECK(stepped.read("CMD") == 0xc);
  }
}
