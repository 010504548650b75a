#pragma once
#include "tests/unit/sim/timed/bench.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace macaw::npu::timed {

/// Runs one function in a thread of the model from a time on.
class Actor : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Actor);
  Actor(const sc_core::sc_module_name& name, double at, std::function<void()> act)
      : sc_core::sc_module(name), at_(at), act_(std::move(act)) {
    SC_THREAD(run);
  }
  std::optional<std::int64_t> done;  ///< cycle at which the function returned

 private:
  void run() {
    wait_until(ticks(at_));
    act_();
    done = cycles(now());
  }
  double at_;
  std::function<void()> act_;
};

}  // namespace macaw::npu::timed
