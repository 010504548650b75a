#pragma once
#include <macaw/error.hpp>

#include <chrono>
#include <functional>

namespace macaw {

/// While an object lives, runs in this thread check before each operation or operator, and in timed runs every 100,000
/// cycles, whether to end early with an error.
class Interruption {
 public:
  /// `wanted` is called in this thread, at most every 20 ms, and not again after it has returned true.
  explicit Interruption(std::function<bool()> wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether an object lives in this thread.
  [[nodiscard]] static bool is_possible();
  /// kUnsupported if this thread's latest object wants the run to end.
  [[nodiscard]] static Result<void> check();

 private:
  [[nodiscard]] bool is_wanted();

  std::function<bool()> wanted_;
  Interruption* outer_;
  std::chrono::steady_clock::time_point next_{};
  bool is_wanted_ = false;
};

}  // namespace macaw
