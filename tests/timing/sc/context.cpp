#include "sim/sc/context.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <systemc>

using namespace macaw::npu::sc;

namespace {

/// A process that waits for ever and holds something on its stack.
class Waiting : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Waiting);
  Waiting(const sc_core::sc_module_name& name, const std::shared_ptr<int>& held)
      : sc_core::sc_module(name), held_(held) {
    SC_THREAD(run);
  }

 private:
  void run() {
    const std::shared_ptr<int> mine = held_;
    for (;;) sc_core::wait(never_);
  }

  const std::shared_ptr<int>& held_;
  sc_core::sc_event never_;
};

}  // namespace

TEST_CASE("the end of a simulation destroys what is on the stacks of its processes") {
  const auto held = std::make_shared<int>(0);
  Context context;
  std::unique_ptr<Waiting> module;
  {
    const auto entered = context.enter();
    module = std::make_unique<Waiting>("waiting", held);
  }
  REQUIRE(context.advance(kCycle));
  CHECK(held.use_count() == 2);
  REQUIRE(context.end());
  CHECK(held.use_count() == 1);
  const auto entered = context.enter();
  module.reset();
}
