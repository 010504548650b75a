#include "sim/timed/device/held_writes.hpp"

#include <algorithm>
#include <ranges>

namespace macaw::npu::timed {
namespace {

constexpr std::size_t kJoined = 64;  // minimum number of equal bytes that separates two changes

}  // namespace

void HeldWrites::Change::swap() { std::ranges::swap_ranges(place, bytes); }

Result<void> HeldWrites::add(std::span<std::uint8_t> bytes, std::uint64_t address,
                             const std::function<Result<void>()>& execute, std::function<bool()> finished) {
  const std::vector<std::uint8_t> before(bytes.begin(), bytes.end());
  const Result<void> done = execute();
  Operation operation{{}, std::move(finished)};
  for (std::size_t at = 0; at < before.size();) {
    const auto differs = std::mismatch(before.begin() + static_cast<std::ptrdiff_t>(at), before.end(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(at));
    const auto first = static_cast<std::size_t>(differs.first - before.begin());
    std::size_t last = first, equal = 0;
    for (at = first; at < before.size() && equal < kJoined; ++at) {
      equal = before[at] == bytes[at] ? equal + 1 : 0;
      if (equal == 0) last = at + 1;
    }
    if (last == first) break;
    operation.changes.push_back(
        {bytes.subspan(first, last - first),
         address + first,
         {before.begin() + static_cast<std::ptrdiff_t>(first), before.begin() + static_cast<std::ptrdiff_t>(last)}});
  }
  operations_.push_back(std::move(operation));
  return done;
}

void HeldWrites::hold_back() {
  for (Operation& operation : std::views::reverse(operations_))
    for (Change& change : operation.changes) change.swap();
}

void HeldWrites::release(const std::function<void(std::uint64_t, std::uint64_t)>& written) {
  for (; released_ < operations_.size() && operations_[released_].finished(); ++released_) {
    for (Change& change : operations_[released_].changes) {
      change.swap();
      written(change.address, change.place.size());
    }
    operations_[released_] = {};
  }
}

void HeldWrites::drop() {
  operations_.clear();
  released_ = 0;
}

}  // namespace macaw::npu::timed
