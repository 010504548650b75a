#include "sim/machine/findings/byte_set.hpp"

#include <algorithm>
#include <bit>

namespace macaw::npu {
namespace {

/// Bits [first, last) of a word, 0 <= first < last <= 64.
std::uint64_t bits(std::uint64_t first, std::uint64_t last) {
  return (~std::uint64_t{0} << first) & (~std::uint64_t{0} >> (64 - last));
}

}  // namespace

void ByteSet::add(ByteRange range) {
  range.last = std::min(range.last, size_);
  while (range.first < range.last) {
    const std::uint64_t end = std::min((range.first / kBits + 1) * kBits, range.last);
    words_[range.first / kBits] |= bits(range.first % kBits, end - range.first / kBits * kBits);
    range.first = end;
  }
}

void ByteSet::remove(ByteRange range) {
  range.last = std::min(range.last, size_);
  while (range.first < range.last) {
    const std::uint64_t end = std::min((range.first / kBits + 1) * kBits, range.last);
    words_[range.first / kBits] &= ~bits(range.first % kBits, end - range.first / kBits * kBits);
    range.first = end;
  }
}

void ByteSet::copy(const ByteSet& source, std::uint64_t from, std::uint64_t to, std::uint64_t length) {
  remove({to, to + length});
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
  for (std::uint64_t at = range.first; at < last;) {
    const std::uint64_t start = at / kBits * kBits, end = std::min(start + kBits, last);
    if (const std::uint64_t hit = (words_[at / kBits] ^ flip) & bits(at - start, end - start); hit != 0)
      return start + static_cast<std::uint64_t>(std::countr_zero(hit));
    at = end;
  }
  return flip != 0 ? std::max(range.first, last) : range.last;
}

}  // namespace macaw::npu
