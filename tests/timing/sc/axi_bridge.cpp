#include "sim/sc/axi_bridge.hpp"
#include "tests/timing/sc/actor.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include <array>

// What memory of any make gets from the core: direct access, and transactions at their times.
using namespace macaw::npu;
using namespace macaw::npu::sc;

namespace {

constexpr std::uint64_t kFirstByte = 0x1000, kLastByte = 0x10ff;

/// Memory of 256 bytes that keeps when it was asked.
class Target : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Target> socket;
  std::array<unsigned char, kLastByte - kFirstByte + 1> bytes{};
  Ticks asked{};

  explicit Target(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Target::b_transport);
    socket.register_get_direct_mem_ptr(this, &Target::direct);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    asked = now() + ticks(delay);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(kFirstByte);
    dmi.set_end_address(kLastByte);
    dmi.allow_read_write();
    return true;
  }
};

/// What hands transactions to the bridge.
class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> socket;
  explicit Host(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
};

}  // namespace

TEST_CASE("direct access reaches to the last byte that memory grants, and transactions come when they are asked for") {
  Context context;
  const auto entered = context.enter();
  AxiBridge bridge("bridge");
  Target target("target");
  Host host("host");
  host.socket.bind(bridge.in);
  bridge.out.bind(target.socket);
  BurstList list;
  list.beat_bytes = 8;
  list.count = 1;
  list.bursts[0].address = kFirstByte;
  list.bursts[0].beats = Beats(2);
  list.bursts[0].request = ticks(50.0);
  Actor actor("actor", 10, [&] {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_extension(&list);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host.socket->b_transport(payload, delay);
    payload.clear_extension(&list);
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(target.asked == ticks(50.0));
  CHECK(list.bursts[0].accepted == ticks(50.0));

  CHECK(bridge.direct(kFirstByte).size() == 256);
  CHECK(bridge.direct(kFirstByte + 0x80).size() == 128);
  CHECK(bridge.direct(kFirstByte + 0x80).data() == target.bytes.data() + 0x80);
  CHECK(bridge.direct(kLastByte).size() == 1);
  CHECK(bridge.direct(kLastByte + 1).empty());
  CHECK(bridge.direct(kFirstByte - 1).empty());
}
