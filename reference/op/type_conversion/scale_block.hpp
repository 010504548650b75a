#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// Operands of scale_block: `size` elements each.
struct ScaleBlock {
  const std::int32_t* values = nullptr;
  const std::int32_t* multipliers = nullptr;  ///< not negative
  const std::int32_t* shifts = nullptr;       ///< 2 to 62
  std::int32_t* out = nullptr;                ///< may be `values`
  std::size_t size = 0;
  bool double_round = false;
};

/// out[i] = apply_scale_32(values[i], ...) of reference/arith; false if a value is outside the range that its shift
/// allows.
[[nodiscard]] bool scale_block(const ScaleBlock& block);

/// The same in a plain loop.
[[nodiscard]] bool scale_block_scalar(const ScaleBlock& block);

/// Adds an output zero point and clips to [low, high]; all in 32 bits. low - zero_point and high - zero_point must fit.
class OutputClip {
 public:
  OutputClip(std::int64_t zero_point, std::int64_t low, std::int64_t high)
      : zero_point_(static_cast<std::int32_t>(zero_point)),
        low_(static_cast<std::int32_t>(low - zero_point)),
        high_(static_cast<std::int32_t>(high - zero_point)) {}

  /// Makes `mark` negative if the sum leaves 32 bits.
  [[nodiscard]] std::int32_t apply(std::int32_t value, std::int32_t& mark) const {
    const auto sum =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(zero_point_));
    mark |= (value ^ sum) & (zero_point_ ^ sum);
    const auto raised = value < low_ ? low_ : value;
    return (raised > high_ ? high_ : raised) + zero_point_;
  }

 private:
  std::int32_t zero_point_, low_, high_;
};

/// out[i] = clip.apply(values[i]) as an Out; false if some sum leaves 32 bits.
[[nodiscard]] bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int8_t* out);
[[nodiscard]] bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::uint8_t* out);
[[nodiscard]] bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int16_t* out);
[[nodiscard]] bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::uint16_t* out);
[[nodiscard]] bool clip_block(const std::int32_t* values, std::size_t size, const OutputClip& clip, std::int32_t* out);

}  // namespace macaw::tosa
