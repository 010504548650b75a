#pragma once
#include <macaw/error.hpp>

#include <fmt/format.h>

#include <chrono>

namespace macaw::app::fvp {

/// A time limit that starts with this object.
class TimeLimit {
 public:
  /// 0: without a limit.
  explicit TimeLimit(double seconds) : seconds_(seconds) {}

  /// kUnsupported when the time has passed.
  [[nodiscard]] Result<void> check() const {
    if (seconds_ <= 0 || passed() <= seconds_) return {};
    return fail(ErrorCode::kUnsupported, fmt::format("the application did not end within {} seconds", seconds_));
  }
  [[nodiscard]] double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  double seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace macaw::app::fvp
