#include "sim/timed/fifo.hpp"
#include "sim/timed/context.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace macaw::npu;
using namespace macaw::npu::timed;

namespace {

struct Parcel {
  int number = 0;
  Ticks ready{};
  friend std::ostream& operator<<(std::ostream& os, const Parcel& parcel) { return os << parcel.number; }
};

/// Takes items from a queue to the next one, with pauses of its own, and writes down when it did what.
template <class Item>
class Mover : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<Item>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> in;
  sc_core::sc_port<sc_core::sc_fifo_out_if<Item>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> out;
  std::string log;

  SC_HAS_PROCESS(Mover);
  Mover(const sc_core::sc_module_name& name, unsigned seed) : sc_core::sc_module(name), random_(seed) {
    SC_THREAD(run);
  }

 private:
  void run() {
    for (int i = 0; i < 300; ++i) {
      if (in.size() > 0) take(i);
      note('r', i);
      const auto pause = random_() % 4;
      if (pause > 1) wait_for(pause * kCycle);
      if (out.size() > 0) pass(i);
      note('w', i);
    }
  }
  void take(int i) {
    const Item item = in->read();
    if constexpr (Delayed<Item>) {
      CHECK(item.number == i);
      wait_until(item.ready);
    } else {
      CHECK(item == i);
    }
  }
  void pass(int i) {
    if constexpr (Delayed<Item>) out->write({i, now() + random_() % 4 * kCycle});
    else out->write(i);
  }
  void note(char what, int item) { log += std::to_string(now().count()) + what + std::to_string(item) + ' '; }

  std::mt19937 random_;
};

/// Actions of two rows of movers that share their times, with queues of `sizes` between them.
template <template <class> class Queue, class Item>
std::vector<std::string> logs_of(unsigned seed, const std::vector<int>& sizes) {
  Context context;
  const auto entered = context.enter();
  std::vector<std::unique_ptr<Mover<Item>>> movers;
  std::vector<std::unique_ptr<Queue<Item>>> queues;
  for (int row = 0; row < 2; ++row)
    for (std::size_t i = 0; i <= sizes.size(); ++i) {
      movers.push_back(std::make_unique<Mover<Item>>(("m" + std::to_string(movers.size())).c_str(), seed++));
      if (i > 0) movers.back()->in(*queues.back());
      if (i == sizes.size()) continue;
      queues.push_back(std::make_unique<Queue<Item>>(("q" + std::to_string(queues.size())).c_str(), sizes[i]));
      movers.back()->out(*queues.back());
    }
  REQUIRE(context.run(ticks(1e6)));
  std::vector<std::string> logs;
  for (const auto& mover : movers) logs.push_back(mover->log);
  return logs;
}

template <class Item>
void check_against_sc_fifo() {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const auto& sizes : {std::vector{1}, {2, 1}, {1, 3, 2}, {16, 1, 1, 4}}) {
      const auto logs = logs_of<Fifo, Item>(seed, sizes);
      CHECK(logs.back().size() > 5000);
      CHECK(logs == logs_of<sc_core::sc_fifo, Item>(seed, sizes));
    }
}

}  // namespace

TEST_CASE("processes with queues between them do the same at the same times as with sc_fifo") {
  check_against_sc_fifo<int>();
}

TEST_CASE("a queue keeps what is not ready as a reader does that waits for it after reading") {
  check_against_sc_fifo<Parcel>();
}
