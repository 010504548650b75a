#include "sim/sc/fifo.hpp"
#include "sim/sc/context.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace macaw::npu;
using namespace macaw::npu::sc;

namespace {

/// Takes items from a queue to the next one, with pauses of its own, and writes down when it did what.
class Mover : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<int>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> in;
  sc_core::sc_port<sc_core::sc_fifo_out_if<int>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> out;

  SC_HAS_PROCESS(Mover);
  Mover(const sc_core::sc_module_name& name, unsigned seed, std::string& log)
      : sc_core::sc_module(name), random_(seed), log_(log) {
    SC_THREAD(run);
  }

 private:
  void run() {
    for (int i = 0; i < 300; ++i) {
      if (in.size() > 0) i = in->read();
      note('r', i);
      const auto pause = random_() % 4;
      if (pause > 1) wait_for(pause * kCycle);
      if (out.size() > 0) out->write(i);
      note('w', i);
    }
  }
  void note(char what, int item) {
    log_ += std::to_string(now().count()) + basename() + what + std::to_string(item) + ' ';
  }

  std::mt19937 random_;
  std::string& log_;
};

/// What two rows of movers do that share their times, each with queues of `sizes` between them.
template <class Queue>
std::string log_of(unsigned seed, const std::vector<int>& sizes) {
  Context context;
  const auto entered = context.enter();
  std::string log;
  std::vector<std::unique_ptr<Mover>> movers;
  std::vector<std::unique_ptr<Queue>> queues;
  for (int row = 0; row < 2; ++row)
    for (std::size_t i = 0; i <= sizes.size(); ++i) {
      movers.push_back(std::make_unique<Mover>(("m" + std::to_string(movers.size())).c_str(), seed++, log));
      if (i > 0) movers.back()->in(*queues.back());
      if (i == sizes.size()) continue;
      queues.push_back(std::make_unique<Queue>(("q" + std::to_string(queues.size())).c_str(), sizes[i]));
      movers.back()->out(*queues.back());
    }
  REQUIRE(context.run(ticks(1e6)));
  return log;
}

}  // namespace

TEST_CASE("processes with queues between them do the same at the same times, in the same order, as with sc_fifo") {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const auto& sizes : {std::vector{1}, {2, 1}, {1, 3, 2}, {16, 1, 1, 4}}) {
      const std::string log = log_of<Fifo<int>>(seed, sizes);
      CHECK(log.size() > 5000);
      CHECK(log == log_of<sc_core::sc_fifo<int>>(seed, sizes));
    }
}
