#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/tosa/arith/scale.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"

namespace macaw::tosa {

/// A scaling function of the specification: apply_scale_32, with double rounding or not, or apply_scale_16 of 32-bit or
/// of 48-bit values.
enum class ApplyScale : std::uint8_t { k32, k32Twice, k16, k48 };

/// The scales of consecutive elements, as vectors take them.
class ScaleRow {
 public:
  /// `scales` are valid, and those of the first elements; they repeat from there on. Values have `bits` bits at most.
  ScaleRow(std::span<const Scale> scales, ApplyScale scaling, int bits);

  /// Elements after which the scales repeat; an even number.
  [[nodiscard]] std::size_t period() const { return period_; }

  /// A REQUIRE that a value or a result can break.
  enum class Rule : std::uint8_t { kNone, kValue, kResult };
  /// Scales of the even or odd elements, in order; one if all scales are the same.
  struct Half {
    Half(std::size_t size, ApplyScale scaling)
        : multipliers(size), rounds(size), shifts(size), less(scaling == ApplyScale::k32Twice ? size : 0) {}
    Scratch<std::int64_t> multipliers, rounds, shifts;
    Scratch<std::int64_t> less;  ///< subtracted from the rounding constant of negative products; only used by k32Twice
  };

  [[nodiscard]] ApplyScale scaling() const { return scaling_; }
  [[nodiscard]] Rule rule() const { return rule_; }
  [[nodiscard]] bool is_uniform() const { return scales_.size() == 1; }
  [[nodiscard]] const Scale& scale(std::size_t i) const { return scales_[i % scales_.size()]; }
  [[nodiscard]] const Half& even() const { return halves_[0]; }
  [[nodiscard]] const Half& odd() const { return halves_[1]; }
  /// Scales of 48-bit values, whose elements are not halved.
  [[nodiscard]] const Half& all() const { return halves_[0]; }
  /// Whether no result exceeds 2^30 in magnitude, so that a zero point of 16 bits can be added.
  [[nodiscard]] bool results_are_small() const { return results_are_small_; }
  /// Bits of the magnitude that a value may have, one for each element; none but for Rule::kValue.
  [[nodiscard]] const std::int32_t* limits() const { return limits_.data(); }

 private:
  /// With every `step`th scale from the number `first` on.
  void fill(Half& half, std::size_t first, std::size_t step) const;

  std::vector<Scale> scales_;
  ApplyScale scaling_;
  Rule rule_ = Rule::kNone;
  bool results_are_small_;
  std::size_t period_;
  std::vector<Half> halves_;
  Scratch<std::int32_t> limits_{0};
};

/// Elements to scale, in rows that all have the same scales.
struct ScaleBlock {
  const ScaleRow& row;
  std::size_t first = 0;  ///< the place in the row of scales of a row's first element; even
  std::size_t size = 0;   ///< of a row; no more than the row's period has from there on
  const std::int32_t* values = nullptr;
  std::int32_t* out = nullptr;  ///< may be `values`
  /// Instead of `values`: bytes, and what to take off them.
  const std::int8_t* bytes = nullptr;
  std::int32_t zero_point = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0, out_pitch = 0;  ///< elements from a row to the next, of the input and of `out`
};

/// Scales values; false if a value is outside the range that its shift allows (apply_scale_32), or a result exceeds 32
/// bits (apply_scale_16).
[[nodiscard]] bool scale_block(const ScaleBlock& block);

/// The same in a plain loop over the functions of reference/tosa/arith.
[[nodiscard]] bool scale_block_scalar(const ScaleBlock& block);

/// The same for 48-bit values, sign-extended or not, in elements of 64 bits.
struct ScaleBlock48 {
  const ScaleRow& row;
  std::size_t first = 0, size = 0;
  const std::int64_t* values = nullptr;
  std::int32_t* out = nullptr;
};
[[nodiscard]] bool scale_block(const ScaleBlock48& block);
[[nodiscard]] bool scale_block_scalar(const ScaleBlock48& block);

}  // namespace macaw::tosa
