#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace macaw::npu::weight_stream {

/// Reads bits of a byte string, least significant first. Reading past the end returns zeros and is recorded.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes), size_(bytes.size() * 8) {}

  unsigned read(int bits) {  // bits <= 16
    const std::uint64_t window = peek();
    position_ += static_cast<std::size_t>(bits);
    return static_cast<unsigned>(window & ((1u << bits) - 1));
  }

  /// Calls `sink` for each quotient with a field of `bits` (at most 12 fields of 9 bits) added to quotient << bits.
  template <class Quotient, class Sink>
  void read_remainders(std::span<const Quotient> quotients, int bits, Sink&& sink) {
    const unsigned mask = (1u << bits) - 1;
    const std::size_t fields = kFieldsPerWindow[static_cast<std::size_t>(bits)];
    for (std::size_t i = 0; i < quotients.size();) {
      std::uint64_t window = peek();
      const std::size_t last = std::min(quotients.size(), i + fields);
      position_ += (last - i) * static_cast<std::size_t>(bits);
      for (; i < last; ++i, window >>= bits)
        sink((unsigned{quotients[i]} << bits) + (static_cast<unsigned>(window) & mask));
    }
  }

  /// The next bits, at least 57.
  [[nodiscard]] std::uint64_t peek() const {
    const std::size_t at = position_ >> 3;
    std::uint64_t window = 0;
    if (at + 8 <= bytes_.size()) return peek_inside();
    for (std::size_t i = at; i < bytes_.size(); ++i) window |= std::uint64_t{bytes_[i]} << (8 * (i - at));
    return window >> (position_ & 7);
  }
  /// The same, if more than 64 bits are left.
  [[nodiscard]] std::uint64_t peek_inside() const {
    std::uint64_t window;
    std::memcpy(&window, bytes_.data() + (position_ >> 3), 8);
    if constexpr (std::endian::native == std::endian::big) window = __builtin_bswap64(window);
    return window >> (position_ & 7);
  }
  void skip(int bits) { position_ += static_cast<std::size_t>(bits); }
  void align() { position_ = (position_ + 7) & ~std::size_t{7}; }
  [[nodiscard]] std::size_t left() const { return position_ < size_ ? size_ - position_ : 0; }
  [[nodiscard]] bool overrun() const { return position_ > size_; }
  [[nodiscard]] std::size_t byte() const { return position_ >> 3; }

 private:
  /// Indexed by the width of a field; a window has at least 57 bits.
  static constexpr std::array<std::uint8_t, 10> kFieldsPerWindow = {57, 57, 28, 19, 14, 11, 9, 8, 7, 6};

  std::span<const std::uint8_t> bytes_;
  std::size_t size_, position_ = 0;
};

}  // namespace macaw::npu::weight_stream
