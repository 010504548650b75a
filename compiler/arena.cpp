#include "compiler/arena.hpp"

#include <algorithm>
#include <bit>

namespace macaw::npu {
Arena::Arena(std::size_t times, std::uint64_t max_work)
    : all_{0, times - 1}, nodes_(2 * std::bit_ceil(times)), max_work_(max_work) {}

std::optional<std::uint64_t> Arena::take(std::size_t first, std::size_t last, std::uint64_t size,
                                         std::uint64_t alignment, std::uint64_t limit) {
  std::vector<std::span<const Range>> taken;
  find(0, all_, {first, last}, taken);
  const auto begins_later = [](const auto& a, const auto& b) { return a.front().begin > b.front().begin; };
  std::ranges::make_heap(taken, begins_later);
  std::uint64_t address = 0;
  while (!taken.empty() && taken.front().front().begin < address + size) {
    if (++work_ > max_work_) return std::nullopt;
    address = std::max(address, taken.front().front().end);
    std::ranges::pop_heap(taken, begins_later);
    const auto next = std::ranges::upper_bound(taken.back(), address, {}, &Range::end);
    taken.back() = {next, taken.back().end()};
    if (next == taken.back().end()) taken.pop_back();
    else std::ranges::push_heap(taken, begins_later);
  }
  if (address > limit || size > limit - address) return std::nullopt;
  if (size > 0) add(0, all_, {first, last}, {address, (address + size + alignment - 1) / alignment * alignment});
  return address;
}

void Arena::find(std::size_t node, Times of_node, Times times, std::vector<std::span<const Range>>& taken) const {
  if (of_node.last < times.first || times.last < of_node.first) return;
  const bool within = times.first <= of_node.first && of_node.last <= times.last;
  const auto& ranges = within ? nodes_[node].ever : nodes_[node].always;
  if (!ranges.empty()) taken.emplace_back(ranges);
  if (within) return;
  const auto middle = of_node.first + (of_node.last - of_node.first) / 2;
  find(2 * node + 1, {of_node.first, middle}, times, taken);
  find(2 * node + 2, {middle + 1, of_node.last}, times, taken);
}

void Arena::add(std::size_t node, Times of_node, Times times, Range range) {
  if (of_node.last < times.first || times.last < of_node.first) return;
  add(nodes_[node].ever, range);
  if (times.first <= of_node.first && of_node.last <= times.last) {
    add(nodes_[node].always, range);
    return;
  }
  const auto middle = of_node.first + (of_node.last - of_node.first) / 2;
  add(2 * node + 1, {of_node.first, middle}, times, range);
  add(2 * node + 2, {middle + 1, of_node.last}, times, range);
}

void Arena::add(Ranges& ranges, Range range) {
  const auto begin = std::ranges::lower_bound(ranges, range.begin, {}, &Range::end);
  const auto end = std::ranges::upper_bound(begin, ranges.end(), range.end, {}, &Range::begin);
  if (begin == end) {
    work_ += static_cast<std::uint64_t>(ranges.end() - end) / 16;
    ranges.insert(begin, range);
    return;
  }
  begin->begin = std::min(begin->begin, range.begin);
  begin->end = std::max(std::prev(end)->end, range.end);
  work_ += static_cast<std::uint64_t>(ranges.end() - end) / 16;
  ranges.erase(std::next(begin), end);
}

}  // namespace macaw::npu
