#pragma once
#include <macaw/error.hpp>

#include <chrono>
#include <functional>

namespace macaw {

/// While it lives, runs in this thread ask before each operation or operator, and in timed runs every 100,000 cycles,
/// whether they shall end early, as an error.
class Interruption {
 public:
  /// `wanted` is called in this thread, at most every 20 ms, and no more once it has said yes.
  explicit Interruption(std::function<bool()> wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether one lives in this thread.
  [[nodiscard]] static bool is_possible();
  /// kUnsupported: this thread's latest one wants it.
  [[nodiscard]] static Result<void> check();

 private:
  [[nodiscard]] bool is_wanted();

  std::function<bool()> wanted_;
  Interruption* outer_;
  std::chrono::steady_clock::time_point next_{};
  bool is_wanted_ = false;
};

}  // namespace macaw
