#include "sim/timed/memory.hpp"
#include "tests/unit/sim/timed/actor.hpp"
#include "tests/unit/sim/timed/initiator.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

// Time of a memory without adapter and port: times in ticks, of which a cycle has 1000.
using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

using Times = std::pair<std::uint64_t, std::uint64_t>;

/// Asks a memory of 8-byte beats for one access after the other.
struct Asker {
  explicit Asker(const macaw::npu::timed::Memory::Timing& timing) : memory("memory", timing) {
    initiator.socket.bind(memory.socket);
  }
  /// When the last beat is moved and the access complete.
  Times ask(bool write, std::uint64_t address, std::uint64_t beats, double pace_of_port = 1) {
    BurstList list;
    list.count = 1;
    list.pace = pace(pace_of_port);
    list.bursts[0].address = address;
    list.bursts[0].beats = Beats(beats);
    list.bursts[0].partial = partial;
    initiator.pass(list, write);
    return {list.bursts[0].data_end.count(), list.bursts[0].done.count()};
  }
  bool partial = false;  ///< what is asked for has parts of words
  macaw::npu::timed::Memory memory;
  Initiator initiator{"initiator"};
};

/// Runs `act` with a memory in a simulation of their own.
template <class Act>
void with_memory(const macaw::npu::timed::Memory::Timing& timing, Act act) {
  Context context;
  const auto entered = context.enter();
  Asker asker(timing);
  Actor actor("actor", 0, [&] { act(asker); });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(actor.done);
}

}  // namespace

TEST_CASE("a memory's latency comes before the data of a read and behind those of a write, at any rate") {
  constexpr Pace kHalf(2000), kQuarter(4000);
  for (const Pace beat : {Pace(), kBeatEachCycle, kHalf, kQuarter}) {
    const std::uint64_t data = 8 * std::max(beat, kBeatEachCycle).count();
    CAPTURE(beat.count());
    with_memory({.read_latency = ticks(10.0), .write_latency = ticks(30.0), .beat = beat}, [&](Asker& asker) {
      CHECK(asker.ask(false, 0, 8) == Times{10'000 + data, 10'000 + data});
    });
    with_memory({.read_latency = ticks(10.0), .write_latency = ticks(30.0), .beat = beat}, [&](Asker& asker) {
      CHECK(asker.ask(true, 0, 8) == Times{data, data + 30'000});
    });
  }
}

TEST_CASE("the slower one of port and memory says how long data take") {
  for (const auto& [port, end] : {std::pair(1.0, 16'000), std::pair(2.0, 16'000), std::pair(3.0, 24'000)})
    with_memory({.beat = Pace(2000)}, [&, pace = port, last = static_cast<std::uint64_t>(end)](Asker& asker) {
      CHECK(asker.ask(false, 0, 8, pace).first == last);
    });
}

TEST_CASE("the least size of an access takes its time at the memory's rate, up to a whole tick") {
  // 33 bytes at 1001 ticks for 8 of them: 4129.125 ticks, in which the next access has to wait.
  for (const auto& [least, free] : {std::pair(33, 4130), std::pair(32, 4004), std::pair(8, 1001), std::pair(0, 1001)})
    with_memory({.beat = Pace(1001), .least_bytes = static_cast<std::uint64_t>(least)},
                [from = static_cast<std::uint64_t>(free)](Asker& asker) {
                  CHECK(asker.ask(false, 0, 1).first == 1001);
                  CHECK(asker.ask(false, 4096, 1).first == from + 1001);
                });
}

TEST_CASE("a write to part of the word that the last write ended in takes longer") {
  for (const bool write : {false, true})
    for (const bool partial : {false, true})
      with_memory({.beat = kBeatEachCycle, .partial_write = ticks(4.0)}, [=](Asker& asker) {
        const std::uint64_t again = write && partial ? 4000 : 1000;
        CAPTURE(write, partial);
        asker.partial = partial;
        CHECK(asker.ask(write, 64, 2).first == 2000);
        CHECK(asker.ask(write, 72, 1).first == 2000 + again);
        // Another word, and as long by its data alone.
        CHECK(asker.ask(write, 64, 1).first == 3000 + again);
        CHECK(asker.ask(write, 64, 9).first == 12'000 + again);
      });
}

TEST_CASE("a memory that starts again has had no access") {
  for (const bool write : {false, true})
    with_memory({.read_latency = ticks(5.0), .write_latency = ticks(5.0), .beat = kBeatEachCycle, .least_bytes = 64},
                [write](Asker& asker) {
                  const Times first = asker.ask(write, 64, 1);
                  CHECK(asker.ask(write, 72, 1).first == first.first + 1000);
                  asker.memory.restart();
                  // It continues the bytes of an access that there has not been, so that the next one has to wait.
                  CHECK(asker.ask(write, 80, 1) == first);
                  CHECK(asker.ask(write, 4096, 1).first == first.first + 8000);
                });
}

TEST_CASE("what follows an access takes part in the time that it pays for, and others wait for all of that") {
  with_memory({.beat = kBeatEachCycle, .least_bytes = 64}, [](Asker& asker) {
    CHECK(asker.ask(false, 0, 1).first == 1000);
    CHECK(asker.ask(false, 8, 1).first == 2000);
    CHECK(asker.ask(false, 4096, 1).first == 9000);
    // An access that lasts beyond the time paid for is waited for as well.
    CHECK(asker.ask(false, 4104, 11).first == 20'000);
    CHECK(asker.ask(false, 0, 1).first == 21'000);
  });
}

TEST_CASE("other masters take their share of the time whenever the NPU asks") {
  // On average 4 cycles are left of an access of theirs, then half of the time is the NPU's.
  with_memory({.traffic = 0.5}, [](Asker& asker) {
    CHECK(asker.ask(false, 0, 8).first == 4'000 + 16'000);
    wait_until(ticks(400.0));
    CHECK(asker.ask(false, 0, 8).first == 404'000 + 16'000);
    wait_until(ticks(1111.0));
    CHECK(asker.ask(false, 0, 8).first == 1'115'000 + 16'000);
  });
}

TEST_CASE("more traffic of other masters never lets the NPU's accesses end earlier") {
  for (const Pace beat : {Pace(), kBeatEachCycle, Pace(1700)}) {
    std::vector<std::uint64_t> before(12, 0);
    for (int percent = 0; percent <= 95; ++percent)
      with_memory({.read_latency = ticks(7.0), .beat = beat, .least_bytes = 32, .traffic = percent / 100.0},
                  [&](Asker& asker) {
                    CAPTURE(beat.count(), percent);
                    for (std::uint64_t i = 0; i < before.size(); ++i) {
                      const auto end = asker.ask(i % 3 == 0, i * i * 40, 1 + i % 5).first;
                      CHECK(end >= before[i]);
                      before[i] = end;
                    }
                  });
  }
}

TEST_CASE("an access goes on where the last one of its own kind ended, and pays for the least size otherwise") {
  struct Access {
    bool write;
    std::uint64_t address, beats;
  };
  using Ends = std::vector<std::uint64_t>;
  const auto ends_of = [](const std::vector<Access>& accesses, std::uint64_t least_bytes) {
    Ends ends;
    with_memory({.beat = kBeatEachCycle, .least_bytes = least_bytes}, [&](Asker& memory) {
      for (const auto& [write, address, beats] : accesses) ends.push_back(memory.ask(write, address, beats).first);
    });
    return ends;
  };
  for (const bool write : {false, true}) {
    CAPTURE(write);
    // 64 bytes are 8 beats, of which the first access uses one: what follows it begins with the second.
    CHECK(ends_of({{write, 0, 1}, {write, 8, 1}}, 64) == Ends{1000, 2000});
    CHECK(ends_of({{write, 0, 1}, {write, 16, 1}}, 64) == Ends{1000, 9000});
    CHECK(ends_of({{write, 0, 1}, {!write, 8, 1}}, 64) == Ends{1000, 9000});
    // It still has the time that the first one pays for, whatever comes between.
    CHECK(ends_of({{write, 0, 1}, {!write, 80, 1}, {write, 8, 1}}, 64) == Ends{1000, 9000, 2000});
    CHECK(ends_of({{write, 0, 16}, {!write, 0, 1}}, 64) == Ends{16000, 17000});
  }
  // A part of a beat takes its share of one, up to a whole tick.
  CHECK(ends_of({{false, 0, 1}, {false, 64, 1}}, 9) == Ends{1000, 2125});
  CHECK(ends_of({{false, 0, 1}, {false, 64, 1}}, 0) == Ends{1000, 2000});
}
