#include "sim/functional/findings/byte_set.hpp"

#include <algorithm>
#include <bit>

namespace macaw::npu {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

void ByteSet::set(ByteRange range, bool in) {
  range.last = std::min(range.last, size_);
  if (range.first >= range.last) return;
  const auto change = [in](std::uint64_t& word, std::uint64_t bits) { word = in ? word | bits : word & ~bits; };
  const std::uint64_t first = range.first / kBits, last = (range.last - 1) / kBits;
  const std::uint64_t from = kAll << range.first % kBits, until = kAll >> (kBits - 1 - (range.last - 1) % kBits);
  if (first == last) return change(words_[first], from & until);
  change(words_[first], from);
  std::fill(&words_[first + 1], &words_[last], in ? kAll : 0);
  change(words_[last], until);
}

void ByteSet::copy(const ByteSet& source, std::uint64_t from, std::uint64_t to, std::uint64_t length) {
  set({to, to + length}, false);
  for (std::uint64_t at = from; at < from + length;) {
    const std::uint64_t first = source.first_in({at, from + length});
    if (first >= from + length) return;
    const std::uint64_t last = source.first_not_in({first, from + length});
    add({to + (first - from), to + (last - from)});
    at = last;
  }
}

std::uint64_t ByteSet::find(ByteRange range, std::uint64_t flip) const {
  const std::uint64_t last = std::min(range.last, size_);
  if (range.first < last) {
    std::uint64_t word = range.first / kBits;
    std::uint64_t hits = (words_[word] ^ flip) & kAll << range.first % kBits;
    for (const std::uint64_t end = (last - 1) / kBits; hits == 0 && word < end;) hits = words_[++word] ^ flip;
    const std::uint64_t hit = word * kBits + static_cast<std::uint64_t>(std::countr_zero(hits));
    if (hits != 0 && hit < last) return hit;
  }
  return flip != 0 ? std::max(range.first, last) : range.last;
}

}  // namespace macaw::npu
