#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "python/native.hpp"
#include "workflow/sequence/engine.hpp"

namespace macaw::python {

/// A network that keeps its state from run to run, on any engine. Only one thread at a time may use it: the
/// interpreter's lock is released during a run. Functions that a sequence calls may use it as well, as they run in the
/// same thread.
class Session : public Object {
 public:
  explicit Session(std::unique_ptr<sequence::Engine> engine) : engine_(std::move(engine)) {}
  /// Keeps other threads from the session. kUsage if one of them uses it.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> begin_use();
  [[nodiscard]] sequence::Engine& engine() { return *engine_; }

 private:
  std::unique_ptr<sequence::Engine> engine_;
  std::recursive_mutex mutex_;
};

[[nodiscard]] std::vector<InputPort> tensor_ports(const std::vector<sequence::Port>& ports);

/// A number of steps. "given" has [name, whether the array has the steps along its first axis, arrays] for each input,
/// "first" the arrays of the first step, "classes" the right ones of the output "scored". Callbacks are asked
/// {"ask": "between" or "stop", "step": N, "outputs": [...]}.
[[nodiscard]] json run_sequence(const Arguments& arguments, Call& call);

}  // namespace macaw::python
