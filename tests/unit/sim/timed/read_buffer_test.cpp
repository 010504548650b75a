#include "sim/timed/u85/read_buffer.hpp"
#include "tests/unit/sim/timed/port_bench.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

/// Fetches four parts of 16 beats one after the other and keeps when each was asked for.
class Fetcher : public sc_core::sc_module {
 public:
  sc_core::sc_port<AxiMasterInterface> axi;
  std::vector<std::int64_t> asked, there;

  SC_HAS_PROCESS(Fetcher);
  Fetcher(const sc_core::sc_module_name& name, double words) : sc_core::sc_module(name), words_(words) {
    SC_THREAD(fetch);
  }

 private:
  void fetch() {
    const Transfer transfer = contiguous(Channel::kReadIfm, 0, 0, 4 * 16 * 8);
    BurstCursor cursor;
    cursor.start({&transfer, 1}, 0, 8, 128);
    u85::ReadBuffer buffer(Master::kIfm, words_);
    for (int part = 0; part < 4; ++part) {
      there.push_back(cycles(buffer.fetch(*axi.operator->(), cursor, Beats(16))));
      asked.push_back(cycles(now()));
    }
  }
  double words_;
};

}  // namespace

TEST_CASE("a read buffer asks for no more words than it has room for until earlier ones have arrived") {
  struct Row {
    double words;
    bool third, fourth;  // wait for the first, and for the second part
  };
  for (const Row& row : {Row{1000, false, false}, Row{64, false, false}, Row{63, false, true}, Row{48, false, true},
                         Row{47, true, true}, Row{32, true, true}}) {
    Context context;
    const auto entered = context.enter();
    Pmu pmu("pmu", *find_accelerator("ethos-u55-128"));
    AxiPort port("port", {.side = 0, .ports = 1, .max_reads = 32, .max_writes = 32, .beat_bytes = 8}, pmu);
    TimingAdapter adapter("timing_adapter", MemoryTiming{});
    macaw::npu::timed::Memory memory("memory", {ticks(100.0), ticks(100.0)});
    Fetcher fetcher("fetcher", row.words);
    port.sockets[0].bind(adapter.target);
    adapter.initiator.bind(memory.socket);
    fetcher.axi(port.master);
    REQUIRE(context.run(ticks(1e6)));
    INFO(row.words << " words");
    REQUIRE(fetcher.asked.size() == 4);
    CHECK(fetcher.there[0] == 116);
    CHECK(fetcher.asked[1] < 100);
    // A place is free when its part is there: the third part waits for the first, the fourth for the first or second.
    CHECK((fetcher.asked[2] >= fetcher.there[0]) == row.third);
    CHECK((fetcher.asked[3] >= fetcher.there[0]) == row.fourth);
    if (row.third) CHECK(fetcher.asked[3] >= fetcher.there[1]);
  }
}
