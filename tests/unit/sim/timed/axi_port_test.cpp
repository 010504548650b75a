#include "tests/unit/sim/timed/actor.hpp"
#include "tests/unit/sim/timed/port_bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;
using Done = std::vector<std::int64_t>;

TEST_CASE("a port moves one beat per cycle after the latency of the memory") {
  CHECK(run_port({{.bytes = 256}}, 32, {}).done == Done{32});
  CHECK(run_port({{.bytes = 256}}, 32, {}, 10).done == Done{42});
  CHECK(run_port({{.bytes = 256, .write = true}}, 32, {}, 10).done == Done{42});
}

TEST_CASE("a master that takes a beat every second cycle holds the data bus") {
  CHECK(run_port({{.bytes = 128, .pace = 2}}, 32, {}).done == Done{32});
  CHECK(run_port({{.bytes = 128, .pace = 1.5}, {.bytes = 8}}, 32, {}).done == Done{24, 25});
}

TEST_CASE("a response comes as long after late data as it does after data at the memory's pace") {
  CHECK(run_port({{.bytes = 128, .write = true}}, 32, {}, 10).done == Done{16 + 10});
  CHECK(run_port({{.bytes = 128, .write = true, .pace = 2}}, 32, {}, 10).done == Done{32 + 10});
}

TEST_CASE("an address waits while the limit of outstanding transactions is reached") {
  // Two outstanding, 10 cycles to the first of 8 beats: addresses at 0, 1, 18, 26.
  const auto result = run_port({{.bytes = 256}}, 2, {}, 10);
  CHECK(result.done == Done{44});
  CHECK(cycles(result.counters.rd_stall_limit) == (18 - 2) + (26 - 19));
  CHECK(cycles(result.counters.rd_request_stalled) == 0);
  CHECK(run_port({{.bytes = 256}}, 1, {}, 10).done == Done{4 * 18});
}

TEST_CASE("requests are served in the order of time, at the same time by the rank of the master") {
  const auto ranked =
      run_port({{.bytes = 64, .master = Master::kIfm}, {.bytes = 64, .master = Master::kCommand}}, 32, {});
  CHECK(ranked.done == Done{16, 8});
  const auto timed =
      run_port({{.bytes = 64, .master = Master::kIfm}, {.at = 1, .bytes = 64, .master = Master::kCommand}}, 32, {});
  CHECK(timed.done == Done{8, 16});
}

TEST_CASE("a long request yields after a turn") {
  // A turn is 8 transactions, 64 beats.
  const auto result = run_port({{.bytes = 1024}, {.bytes = 64}}, 32, {});
  CHECK(result.done == Done{136, 72});
}

TEST_CASE("reads and writes do not share a data bus") {
  CHECK(run_port({{.bytes = 256}, {.bytes = 256, .write = true}}, 32, {}).done == Done{32, 32});
}

TEST_CASE("a port counts what it moves") {
  const auto counters = run_port({{.bytes = 200}, {.bytes = 100, .write = true}}, 32, {}).counters;
  CHECK(counters.rd_accepted == 4);
  CHECK(counters.rd_completed == 4);
  CHECK(counters.rd_beats == Beats(25));
  CHECK(counters.wr_accepted == 2);
  CHECK(counters.wr_completed_m == 2);
  CHECK(counters.wr_beats == Beats(13));
}

TEST_CASE("several ports of a side share its addresses in stripes of 256 bytes") {
  // A turn of 8 transactions is 4 on each port.
  CHECK(run_port({{.bytes = 512}}, 32, {}, 0, 1).done == Done{64});
  const auto two = run_port({{.bytes = 512}}, 32, {}, 0, 2);
  CHECK(two.done == Done{32});
  CHECK(two.counters.rd_beats == Beats(64));
  CHECK(two.counters.rd_accepted == 8);
}

namespace {

/// Answers each transaction for itself, as if it had a data bus of its own.
class Unordered : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Unordered> socket;
  explicit Unordered(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Unordered::b_transport);
  }

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    auto* list = payload.get_extension<BurstList>();
    for (Burst& burst : list->used()) {
      burst.accepted = burst.request;
      burst.data_end = burst.request + ticks(10.0);
      burst.done = burst.request + ticks(25.0);
    }
    list->answered = true;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// A request at a port before such a memory, with limits of outstanding transactions if there are any.
PortResult run_unordered(const PortDriver::Order& order, const std::optional<std::array<AxiLimit, 4>>& limits = {}) {
  Context context;
  const auto entered = context.enter();
  Pmu pmu("pmu", *find_accelerator("ethos-u55-128"));
  AxiPort port("port", {.side = 0, .ports = 1, .max_reads = 32, .max_writes = 32, .beat_bytes = 8}, pmu);
  Unordered memory("memory");
  PortDriver driver("driver", order, 0, 64);
  driver.axi(port.master);
  port.sockets[0].bind(memory.socket);
  if (limits) port.restart(limits);
  if (const auto done = context.run(ticks(1e9)); !done) throw std::runtime_error(done.error().to_string());
  return {{driver.done}, pmu.port(0, 0)};
}

}  // namespace

TEST_CASE("a response comes as long after its data where these wait for the bus") {
  // Addresses at 0, 1, 2, data of 8 beats each until 10, 18 and 26; each response follows its data by 15 cycles.
  for (const bool write : {false, true}) {
    CHECK(run_unordered({.bytes = 64, .write = write}).done == Done{25});
    CHECK(run_unordered({.bytes = 192, .write = write}).done == Done{26 + 15});
  }
}

TEST_CASE("limits of reads and of writes hold back their own kind, and are counted as such") {
  const std::array<AxiLimit, 4> few_reads = {{{1, 8}, {1, 8}, {1, 8}, {1, 8}}},
                                few_writes = {{{8, 1}, {8, 1}, {8, 1}, {8, 1}}};
  for (const bool write : {false, true})
    for (const bool held : {false, true}) {
      const auto result = run_unordered({.bytes = 128, .write = write}, held == write ? few_writes : few_reads);
      CAPTURE(write, held);
      // One at a time: the second address waits from 1 until the first response, at 25.
      CHECK(result.done == Done{held ? 50 : 18 + 15});
      CHECK(cycles(result.counters.wr_stall_limit) == (held && write ? 24 : 0));
      CHECK(cycles(result.counters.rd_stall_limit) == (held && !write ? 24 : 0));
    }
}

TEST_CASE("a port that starts again serves the next request as it did the first, whatever was under way") {
  for (const bool write : {false, true}) {
    Context context;
    const auto entered = context.enter();
    Pmu pmu("pmu", *find_accelerator("ethos-u55-128"));
    AxiPort port("port", {.side = 0, .ports = 1, .max_reads = 2, .max_writes = 2, .beat_bytes = 8}, pmu);
    port.answered_at_once = true;
    Unordered memory("memory");
    port.sockets[0].bind(memory.socket);
    const Transfer many = contiguous(write ? Channel::kWriteOfm : Channel::kReadIfm, 0, 0, 4096),
                   one = {.channel = many.channel, .address = 1 << 20, .run = 64};
    BurstCursor cursors[2];
    AxiRequest requests[2];
    std::int64_t ended = 0;
    Actor master("master", 0, [&] {
      for (int i = 0; i < 2; ++i) {
        cursors[i].start({i == 0 ? &many : &one, 1}, 0, 8, 64);
        requests[i].write = write;
        requests[i].cursor = &cursors[i];
        requests[i].beats = Beats(i == 0 ? 512 : 8);
        requests[i].pace = pace(i == 0 ? 20.0 : 1.0);
        requests[i].last = true;
        port.post(requests[i]);
        if (i == 0) wait_for(ticks(100.0));
        if (i == 0) port.restart({});
      }
      requests[1].wait_done();
      ended = cycles(now());
    });
    REQUIRE(context.run(ticks(1e6)));
    CAPTURE(write);
    CHECK(ended == 125);  // the memory's 25 cycles
    CHECK(port.waiting() == 0);
  }
}
