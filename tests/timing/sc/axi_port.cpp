#include "tests/timing/sc/port_bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::sc;
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
