#pragma once
#include "sim/timed/burst.hpp"

#include <algorithm>
#include <vector>

namespace macaw::npu::timed {

/// Completion times of recent transactions, in order: under a limit, a transaction has to wait for the one `limit`
/// positions before it.
class Outstanding {
 public:
  /// `limit`: maximum of outstanding transactions; 0: no limit.
  explicit Outstanding(std::size_t limit = 0) : limit_(limit), at_once_(limit == 0 ? SIZE_MAX : limit) { restart(); }

  /// Resets to the state without any transaction.
  void restart() {
    done_.assign(limit_ == 0 ? 0 : limit_ + std::max(limit_, kRow), Ticks());
    next_ = limit_;
    last_ = done_.size() - std::min<std::size_t>(done_.size(), BurstList::kCapacity);
  }
  /// Number of next transactions that do not wait for each other.
  [[nodiscard]] std::size_t at_once() const { return at_once_; }
  /// Storage for the times of the next transactions, at most as many as BurstList holds; null if there is no limit.
  [[nodiscard]] Ticks* next() {
    if (limit_ == 0) return nullptr;
    if (next_ > last_) move_to_front();
    return &done_[next_];
  }
  /// The times that the next transactions, stored at `next`, have to wait for; null if there is no limit.
  [[nodiscard]] const Ticks* room(const Ticks* next) const { return limit_ == 0 ? nullptr : next - limit_; }
  void pass(std::size_t transactions) { next_ += limit_ == 0 ? 0 : transactions; }

 private:
  void move_to_front() {
    std::copy(done_.begin() + static_cast<std::ptrdiff_t>(next_ - limit_),
              done_.begin() + static_cast<std::ptrdiff_t>(next_), done_.begin());
    next_ = limit_;
  }

  static constexpr std::size_t kRow = 1024;  ///< minimum number of transactions before those that count are moved to
                                             ///< the front

  std::size_t limit_, at_once_;
  std::vector<Ticks> done_;
  std::size_t next_ = 0;
  std::size_t last_ = 0;  ///< last position with room for the next transactions
};

}  // namespace macaw::npu::timed
