#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// Adds an output zero point and clips to the range of an output type, all in 32 bits.
class OutputClip {
 public:
  /// low - zero_point and high - zero_point must fit.
  OutputClip(std::int64_t zero_point, std::int64_t low, std::int64_t high)
      : zero_point_(static_cast<std::int32_t>(zero_point)),
        low_(static_cast<std::int32_t>(low - zero_point)),
        high_(static_cast<std::int32_t>(high - zero_point)) {}

  [[nodiscard]] std::int32_t zero_point() const { return zero_point_; }
  [[nodiscard]] std::int32_t apply(std::int32_t value) const {
    const auto raised = value < low_ ? low_ : value;
    return (raised > high_ ? high_ : raised) + zero_point_;
  }
  /// Negative if value + zero_point leaves 32 bits.
  [[nodiscard]] std::int32_t overflows(std::int32_t value) const {
    const auto sum =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(zero_point_));
    return (value ^ sum) & (zero_point_ ^ sum);
  }

 private:
  std::int32_t zero_point_, low_, high_;
};

/// out[i] = clip.apply(values[i]), where the limits are those of the output's type, and values and zero point add up
/// within 32 bits.
void clip_block(const std::int32_t* values, const OutputClip& clip, std::int8_t* out, std::size_t size);
void clip_block(const std::int32_t* values, const OutputClip& clip, std::uint8_t* out, std::size_t size);
void clip_block(const std::int32_t* values, const OutputClip& clip, std::int16_t* out, std::size_t size);
void clip_block(const std::int32_t* values, const OutputClip& clip, std::uint16_t* out, std::size_t size);

/// The same in a plain loop.
template <class Out>
void clip_block_scalar(const std::int32_t* values, const OutputClip& clip, Out* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<Out>(clip.apply(values[i]));
}

}  // namespace macaw::tosa
