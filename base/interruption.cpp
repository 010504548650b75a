#include <macaw/interruption.hpp>

#include <utility>

namespace macaw {
namespace {

constexpr std::chrono::milliseconds kPause{20};  // from one question to the next

thread_local Interruption* innermost = nullptr;

}  // namespace

Interruption::Interruption(std::function<bool()> wanted)
    : wanted_(std::move(wanted)), outer_(std::exchange(innermost, this)) {}

Interruption::~Interruption() { innermost = outer_; }

bool Interruption::is_possible() { return innermost != nullptr; }

Result<void> Interruption::check() {
  if (innermost && innermost->is_wanted()) return fail(ErrorCode::kUnsupported, "interrupted");
  return {};
}

bool Interruption::is_wanted() {
  if (const auto now = std::chrono::steady_clock::now(); !is_wanted_ && now >= next_) {
    next_ = now + kPause;
    is_wanted_ = wanted_();
  }
  return is_wanted_;
}

}  // namespace macaw
