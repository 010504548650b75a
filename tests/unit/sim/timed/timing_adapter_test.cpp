#include "tests/unit/sim/timed/port_bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;
using Done = std::vector<std::int64_t>;

TEST_CASE("adapter latency counts from the address, beside the memory's own") {
  CHECK(run_port({{.bytes = 64}}, 32, {.read_latency = 50}).done == Done{58});
  CHECK(run_port({{.bytes = 64}}, 32, {.read_latency = 50}, 20).done == Done{58});
  CHECK(run_port({{.bytes = 64}}, 32, {.read_latency = 50}, 70).done == Done{78});
  CHECK(run_port({{.bytes = 64, .write = true}}, 32, {.write_latency = 50}).done == Done{58});
}

TEST_CASE("adapter limits transactions in flight") {
  // Addresses at 0, 1, 58 (first complete), 66 (second complete).
  CHECK(run_port({{.bytes = 256}}, 32, {.max_reads = 2, .read_latency = 50}).done == Done{58 + 50 + 8 + 8});
  // A limit of both kinds makes a write wait for a read.
  const auto both =
      run_port({{.bytes = 64}, {.at = 2, .bytes = 64, .write = true}}, 32, {.max_reads_writes = 1, .read_latency = 50});
  CHECK(both.done == Done{58, 66});
}

TEST_CASE("reads and writes have limits of their own") {
  const MemoryTiming limits{.max_reads = 2, .max_writes = 1, .read_latency = 50, .write_latency = 50};
  // Both reads are under way at once; the second write waits for the response of the first, at 58.
  CHECK(run_port({{.bytes = 128}}, 32, limits).done == Done{50 + 8 + 8});
  CHECK(run_port({{.bytes = 128, .write = true}}, 32, limits).done == Done{58 + 8 + 50});
}

TEST_CASE("all ports of a side share its windows, which have a budget of each") {
  // 32 beats on each of two ports in transactions of 8: two pass in a window of 8 cycles out of 16, whichever port is
  // theirs.
  const MemoryTiming window{.pulse_on = 8, .pulse_off = 8, .bandwidth_cap = 8};
  CHECK(run_port({{.bytes = 512}}, 32, window, 0, 2).done == Done{64});
  // Alone, the port of the first 256 bytes has both windows' budget; one port has half of it.
  CHECK(run_port({{.bytes = 256}}, 32, window, 0, 2).done == Done{32});
  CHECK(run_port({{.bytes = 256}}, 32, window, 0, 1).done == Done{56});
}

TEST_CASE("no address passes while the window is closed") {
  const MemoryTiming window{.pulse_on = 20, .pulse_off = 10};
  CHECK(run_port({{.at = 19, .bytes = 64}}, 32, window).done == Done{27});
  CHECK(run_port({{.at = 20, .bytes = 64}}, 32, window).done == Done{38});
  CHECK(run_port({{.at = 29, .bytes = 64}}, 32, window).done == Done{38});
}

TEST_CASE("a cap holds beats back, the last transaction may overshoot it") {
  const MemoryTiming cap{.pulse_on = 20, .pulse_off = 10, .bandwidth_cap = 20};
  // 8, 16 and 24 beats in the first window; the fourth transaction waits for the second window.
  CHECK(run_port({{.bytes = 4 * 64}}, 32, cap).done == Done{38});
  CHECK(run_port({{.bytes = 3 * 64}}, 32, cap).done == Done{24});
}

TEST_CASE("a window without a cap passes every address, reads and writes at a beat per cycle each") {
  for (const std::uint32_t cap : {0u, 100u}) {
    const MemoryTiming window{.pulse_on = 20, .pulse_off = 10, .bandwidth_cap = cap};
    CHECK(run_port({{.bytes = 4 * 64}}, 32, window).done == Done{32});
    CHECK(run_port({{.bytes = 2 * 64}, {.bytes = 2 * 64, .write = true}}, 32, window).done == Done{16, 16});
  }
}

TEST_CASE("the bandwidth cap counts reads and writes of a window together") {
  const MemoryTiming cap{.pulse_on = 20, .pulse_off = 10, .bandwidth_cap = 10};
  // Two transactions per window of 30 cycles.
  CHECK(run_port({{.bytes = 5 * 64}}, 32, cap).done == Done{68});
  CHECK(run_port({{.bytes = 64}, {.at = 1, .bytes = 2 * 64, .write = true}}, 32, cap).done == Done{8, 38});
}

TEST_CASE("the first window may have begun before the NPU") {
  const MemoryTiming window{.pulse_on = 20, .pulse_off = 10, .pulse_phase = 15};
  CHECK(run_port({{.at = 4, .bytes = 64}}, 32, window).done == Done{12});
  CHECK(run_port({{.at = 5, .bytes = 64}}, 32, window).done == Done{23});
  CHECK(run_port({{.at = 34, .bytes = 64}}, 32, window).done == Done{42});
}

TEST_CASE("a limit holds however many transactions there were") {
  constexpr std::int64_t kMany = 3000;
  for (const auto& limit :
       {MemoryTiming{.max_reads = 1, .read_latency = 50}, MemoryTiming{.max_reads_writes = 1, .read_latency = 50}})
    CHECK(run_port({{.bytes = kMany * 64}}, 32, limit).done == Done{kMany * 58});
}

TEST_CASE("other masters take their share of a bandwidth cap") {
  const MemoryTiming half{.pulse_on = 20, .pulse_off = 10, .bandwidth_cap = 20, .traffic = 0.5};
  CHECK(run_port({{.bytes = 5 * 64}}, 32, half).done == Done{68});
}

TEST_CASE("accesses of other masters take their share of the time evenly") {
  // 4 cycles are left of an access of theirs, then half of the time is for the NPU.
  const auto done = [](double at, std::uint64_t bytes) {
    return run_port({{.at = at, .bytes = bytes}}, 32, {}, 0, 1, 0.5).done.at(0);
  };
  CHECK(done(0, 64) == 4 + 16);
  CHECK(done(0, 128) == 4 + 32);
  CHECK(done(0, 192) == 4 + 48);
  CHECK(done(20, 64) == 20 + 4 + 16);
  CHECK(done(30, 64) == 30 + 4 + 16);
  CHECK(done(40, 64) == 40 + 4 + 16);
}
