#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace macaw::npu::weight_stream {

/// Bits of a byte string, least significant first. Reading past the end gives zeros and is remembered.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes), size_(bytes.size() * 8) {}

  unsigned read(int bits) {  // bits <= 16
    const std::uint64_t window = peek();
    position_ += static_cast<std::size_t>(bits);
    return static_cast<unsigned>(window & ((1u << bits) - 1));
  }

  /// Hands on a field of `bits` (at most 12 fields of 9 bits) for each quotient, added to quotient << bits.
  template <class Sink>
  void read_remainders(std::span<const unsigned> quotients, int bits, Sink&& sink) {
    const unsigned mask = (1u << bits) - 1;
    const std::size_t fields = bits <= kShortField ? kShortFieldsPerWindow : kFieldsPerWindow;
    for (std::size_t i = 0; i < quotients.size();) {
      std::uint64_t window = peek();
      const std::size_t last = std::min(quotients.size(), i + fields);
      position_ += (last - i) * static_cast<std::size_t>(bits);
      for (; i < last; ++i, window >>= bits) sink((quotients[i] << bits) + (static_cast<unsigned>(window) & mask));
    }
  }

  /// The next bits, at least 57.
  [[nodiscard]] std::uint64_t peek() const {
    const std::size_t at = position_ >> 3;
    std::uint64_t window = 0;
    if (at + 8 <= bytes_.size()) {
      std::memcpy(&window, bytes_.data() + at, 8);
      if constexpr (std::endian::native == std::endian::big) window = __builtin_bswap64(window);
    } else {
      for (std::size_t i = at; i < bytes_.size(); ++i) window |= std::uint64_t{bytes_[i]} << (8 * (i - at));
    }
    return window >> (position_ & 7);
  }
  void skip(int bits) { position_ += static_cast<std::size_t>(bits); }
  void align() { position_ = (position_ + 7) & ~std::size_t{7}; }
  [[nodiscard]] std::size_t left() const { return position_ < size_ ? size_ - position_ : 0; }
  [[nodiscard]] bool overrun() const { return position_ > size_; }
  [[nodiscard]] std::size_t byte() const { return position_ >> 3; }

 private:
  static constexpr std::size_t kFieldsPerWindow = 6;  ///< of 9 bits; a window has at least 57
  static constexpr int kShortField = 4;
  static constexpr std::size_t kShortFieldsPerWindow = 12;

  std::span<const std::uint8_t> bytes_;
  std::size_t size_, position_ = 0;
};

}  // namespace macaw::npu::weight_stream
