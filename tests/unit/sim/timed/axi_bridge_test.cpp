#include "sim/timed/axi_bridge.hpp"
#include "tests/unit/sim/timed/actor.hpp"
#include "tests/unit/sim/timed/initiator.hpp"

#include <tlm_utils/simple_target_socket.h>

#include <catch2/catch.hpp>

#include <array>
#include <numeric>
#include <vector>

// Accesses of the core to any kind of memory: direct, and transactions at their times.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

constexpr std::uint64_t kFirstByte = 0x1000, kLastByte = 0x10ff;

/// Memory of 256 bytes that keeps when it was asked.
class Target : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Target> socket;
  std::array<unsigned char, kLastByte - kFirstByte + 1> bytes{};
  Ticks asked{}, latency{};
  std::vector<unsigned char> written;  ///< of the last transaction
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;

  explicit Target(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Target::b_transport);
    socket.register_get_direct_mem_ptr(this, &Target::direct);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    asked = now() + ticks(delay);
    written.assign(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
    delay += to_time(latency);
    payload.set_response_status(answer);
  }
  bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(kFirstByte);
    dmi.set_end_address(kLastByte);
    dmi.allow_read_write();
    return true;
  }
};

/// A bridge between a host and a memory.
struct Bridged {
  explicit Bridged(AxiBridge::Values values = AxiBridge::Values::kDirect) : bridge("bridge", values) {
    host.socket.bind(bridge.in);
    bridge.out.bind(target.socket);
    list.beat_bytes = 8;
    list.count = 1;
  }
  AxiBridge bridge;
  Target target{"target"};
  Initiator host{"host"};
  BurstList list;
};

}  // namespace

TEST_CASE("direct access reaches to the last byte that memory grants, and transactions come when they are asked for") {
  Context context;
  const auto entered = context.enter();
  AxiBridge bridge("bridge");
  Target target("target");
  Initiator host("host");
  host.socket.bind(bridge.in);
  bridge.out.bind(target.socket);
  BurstList list;
  list.beat_bytes = 8;
  list.count = 1;
  list.bursts[0].address = kFirstByte;
  list.bursts[0].beats = Beats(2);
  list.bursts[0].request = ticks(50.0);
  Actor actor("actor", 10, [&] { host.pass(list, false); });
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

TEST_CASE("an answer comes its delay after the request, whichever of that and the call is later") {
  for (const double request : {5.0, 10.0, 50.0}) {
    Context context;
    const auto entered = context.enter();
    Bridged bridged;
    bridged.target.latency = ticks(30.0);
    Burst& burst = bridged.list.bursts[0];
    burst.address = kFirstByte;
    burst.beats = Beats(1);
    burst.request = ticks(request);
    Actor actor("actor", 10, [&] { CHECK(bridged.host.pass(bridged.list, false)); });
    REQUIRE(context.run(ticks(1e6)));
    INFO("asked for at " << request);
    const Ticks accepted = ticks(std::max(request, 10.0));
    CHECK(burst.accepted == accepted);
    CHECK(burst.done == accepted + ticks(30.0));
    CHECK(burst.data_end == burst.done);
    CHECK(bridged.list.answered);
    CHECK_FALSE(bridged.bridge.complaint());
  }
}

TEST_CASE("writes carry the values of memory up to its last byte, and none of what lies beyond") {
  for (const std::uint64_t beats : {1U, 2U, 3U}) {
    Context context;
    const auto entered = context.enter();
    Bridged bridged;
    std::iota(bridged.target.bytes.begin(), bridged.target.bytes.end(), static_cast<unsigned char>(1));
    Burst& burst = bridged.list.bursts[0];
    burst.address = kLastByte + 1 - 16;
    burst.beats = Beats(beats);
    bool passed = false;
    Actor actor("actor", 0, [&] { passed = bridged.host.pass(bridged.list, true); });
    REQUIRE(context.run(ticks(1e6)));
    INFO(beats << " beats of 8 bytes, 16 bytes before the end");
    CHECK(passed == (beats <= 2));
    if (beats > 2) continue;
    REQUIRE(bridged.target.written.size() == beats * 8);
    CHECK(bridged.target.written.front() == 0xf1);
    CHECK(bridged.target.written.back() == static_cast<unsigned char>(0xf0 + 8 * beats));
  }
}

TEST_CASE("one transaction that memory refuses makes the answer an error and is told") {
  Context context;
  const auto entered = context.enter();
  Bridged bridged;
  bridged.target.answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  bridged.list.bursts[0].address = 0x1008;
  bridged.list.bursts[0].beats = Beats(3);
  bool passed = true;
  Actor actor("actor", 0, [&] { passed = bridged.host.pass(bridged.list, false); });
  REQUIRE(context.run(ticks(1e6)));
  CHECK_FALSE(passed);
  REQUIRE(bridged.bridge.complaint());
  CHECK(bridged.bridge.complaint()->find("the read of 24 bytes at 0x1008") != std::string::npos);
}
