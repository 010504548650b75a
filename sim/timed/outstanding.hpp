#pragma once
#include "sim/timed/burst.hpp"

#include <algorithm>
#include <vector>

namespace macaw::npu::timed {

/// Completion times of the last transactions, in a row: where there is a limit, a transaction has to wait for the one
/// `limit` places before it.
class Outstanding {
 public:
  /// `limit`: transactions outstanding; 0: there is no limit.
  explicit Outstanding(std::size_t limit = 0) : limit_(limit), at_once_(limit == 0 ? SIZE_MAX : limit) { restart(); }

  /// As if there had been no transaction.
  void restart() {
    done_.assign(limit_ == 0 ? 0 : limit_ + std::max(limit_, kRow), Ticks());
    next_ = limit_;
    last_ = done_.size() - std::min<std::size_t>(done_.size(), BurstList::kCapacity);
  }
  /// How many of the next transactions wait for none of each other.
  [[nodiscard]] std::size_t at_once() const { return at_once_; }
  /// Places for the times of the next transactions, at most as many as BurstList holds; null: there is no limit.
  [[nodiscard]] Ticks* next() {
    if (limit_ == 0) return nullptr;
    if (next_ > last_) move_to_front();
    return &done_[next_];
  }
  /// The times that the next transactions, whose places are `next`, have to wait for; null: for none.
  [[nodiscard]] const Ticks* room(const Ticks* next) const { return limit_ == 0 ? nullptr : next - limit_; }
  void pass(std::size_t transactions) { next_ += limit_ == 0 ? 0 : transactions; }

 private:
  void move_to_front() {
    std::copy(done_.begin() + static_cast<std::ptrdiff_t>(next_ - limit_),
              done_.begin() + static_cast<std::ptrdiff_t>(next_), done_.begin());
    next_ = limit_;
  }

  static constexpr std::size_t kRow = 1024;  ///< transactions at least until those that count are moved to the front

  std::size_t limit_, at_once_;
  std::vector<Ticks> done_;
  std::size_t next_ = 0;
  std::size_t last_ = 0;  ///< the last place from which the next transactions have room
};

}  // namespace macaw::npu::timed
