#pragma once
#include <algorithm>
#include <type_traits>

#include "reference/tflite/quantization.hpp"
#include "reference/tosa/kernels/gemm/byte_gemm.hpp"
#include "reference/tosa/kernels/gemm/float_gemm.hpp"

namespace macaw::tflite {

/// Operands of an operator that are multiplied and summed, and the options for the output.
struct ProductOperands {
  std::size_t input = 0, filter = 1, bias = 2;
  std::int64_t channels = 0;  ///< of the output, one bias and multiplier each
  std::size_t axis = 0;       ///< of the filter, along which the channels lie
  schema::ActivationFunctionType activation = schema::ActivationFunctionType::NONE;
  schema::TensorType bias_type = schema::TensorType::FLOAT32;  ///< of a bias that is absent
  bool is_fully_connected = false;  ///< a single scale of the filter is multiplied in single precision
};

/// Sums of products of an input and a filter, and what makes an output of each: bias, scale, zero point, clamp.
/// Types: int8 or uint8 with sums of 32 bits, int16 by int8 with sums of 64 or, where the bias has them, 32 bits, and
/// float32, for which an int8 filter is dequantised.
class Products {
 public:
  /// Checks types, quantisation and bias; kUnsupported or kInvalidGraph.
  [[nodiscard]] static Result<Products> create(const Call& call, const ProductOperands& operands);

  /// Calls f with values of the C++ types of input, filter and sum.
  template <class F>
  void with_types(F&& f) const {
    switch (input_) {
      case DType::kFP32: return f(float{}, float{}, float{});
      case DType::kINT8: return f(std::int8_t{}, std::int8_t{}, std::int32_t{});
      case DType::kUINT8: return f(std::uint8_t{}, std::uint8_t{}, std::int32_t{});
      default:
        return is_wide_ ? f(std::int16_t{}, std::int8_t{}, std::int64_t{})
                        : f(std::int16_t{}, std::int8_t{}, std::int32_t{});
    }
  }

  /// sum + (a - zero point) * (b - zero point), modulo the width of the sum.
  template <class Sum, class A, class B>
  [[nodiscard]] Sum add(Sum sum, A a, B b) const {
    if constexpr (std::is_floating_point_v<Sum>) {
      return sum + a * b;
    } else {
      using U = std::make_unsigned_t<Sum>;
      return static_cast<Sum>(static_cast<U>(sum) + static_cast<U>((Sum{a} - input_zero_) * (Sum{b} - filter_zero_)));
    }
  }

  /// The elements of the filter as with_types() names their type.
  template <class W>
  [[nodiscard]] const W* filter(const Tensor& filter) const {
    if constexpr (std::is_floating_point_v<W>)
      if (float_filter_) return float_filter_->data<float>().data();
    return filter.data<W>().data();
  }

  [[nodiscard]] bool is_wide() const { return is_wide_; }  ///< sums of 64 bits
  [[nodiscard]] std::int32_t input_zero() const { return input_zero_; }
  [[nodiscard]] std::int32_t filter_zero() const { return filter_zero_; }
  [[nodiscard]] std::int32_t output_zero() const { return output_zero_; }
  [[nodiscard]] const std::vector<FixedMultiplier>& multipliers() const { return multipliers_; }
  [[nodiscard]] const std::vector<std::int64_t>& bias() const { return bias_; }  ///< empty: none
  [[nodiscard]] Range range() const { return range_; }
  /// For float32: the bias, empty without one; the filter of a hybrid network, else none; the range of the output.
  [[nodiscard]] const std::vector<float>& float_bias() const { return float_bias_; }
  [[nodiscard]] const std::optional<Tensor>& dequantised_filter() const { return float_filter_; }
  [[nodiscard]] FloatRange float_range() const { return float_range_; }

  /// The output of a channel's sum.
  template <class T, class Sum>
  [[nodiscard]] T finish(Sum sum, std::size_t channel) const {
    if constexpr (std::is_floating_point_v<Sum>) {
      return std::clamp(float_bias_.empty() ? sum : sum + float_bias_[channel], float_range_.min, float_range_.max);
    } else {
      const auto biased = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                                    static_cast<std::uint64_t>(bias_.empty() ? 0 : bias_[channel]));
      if (sums_) note(biased);
      std::int64_t scaled;
      if constexpr (sizeof(Sum) == 8) scaled = scale_wide(biased, multipliers_[channel]);
      else scaled = scale(static_cast<std::int32_t>(biased), multipliers_[channel]);
      return static_cast<T>(std::clamp<std::int64_t>(scaled + output_zero_, range_.min, range_.max));
    }
  }

  /// finish() of int8 for sums of channels from `first` on.
  void finish_all(const std::int32_t* sums, std::size_t first, std::size_t count, std::int8_t* out) const;
  void finish_all(const float* sums, std::size_t first, std::size_t count, float* out) const;

 private:
  [[nodiscard]] Result<void> check_types(const Tensor& input, const Tensor& filter, const Tensor* bias);
  [[nodiscard]] Result<void> read_bias(const Tensor& bias);
  [[nodiscard]] Result<void> read_scales(const Call& call, const ProductOperands& operands);
  [[nodiscard]] Result<void> dequantise(const Operand& filter, const ProductOperands& operands);
  void note(std::int64_t sum) const {
    sums_->least = std::min(sums_->least, sum);
    sums_->greatest = std::max(sums_->greatest, sum);
  }

  DType input_ = DType::kINT8;
  bool is_wide_ = false;
  std::int32_t input_zero_ = 0, filter_zero_ = 0, output_zero_ = 0;
  std::vector<FixedMultiplier> multipliers_;
  std::vector<std::int64_t> bias_;
  std::vector<std::int32_t> narrow_bias_, factors_, left_, right_;  // bias and multipliers of each channel, of int8
  std::vector<float> float_bias_;
  std::optional<Tensor> float_filter_;  ///< of a filter of integers
  SumRange* sums_ = nullptr;
  Range range_{};
  FloatRange float_range_{};
};

/// Sums of products of int8 rows, less a zero point, with the rows of an int8 filter, by the fast kernels: modulo 2^32,
/// as sums one by one are.
class ByteSums {
 public:
  /// `filter` has `channels` rows of `depth`.
  ByteSums(const std::int8_t* filter, std::size_t channels, std::size_t depth, std::int32_t input_zero);

  /// Rows that are computed together.
  static constexpr std::size_t kRows = tosa::kByteRows;

  /// Copies `count` values into row `row` from `at` on, or fills them with the zero point.
  void put(std::size_t row, std::size_t at, const std::int8_t* values, std::size_t count);
  void put_zeros(std::size_t row, std::size_t at, std::size_t count);

  /// The sums of the first rows: for each row as many as channels(), `pitch()` apart.
  [[nodiscard]] const std::int32_t* sums(std::size_t rows);
  [[nodiscard]] std::size_t pitch() const { return matrix_.panels() * tosa::kByteColumns; }

 private:
  std::uint8_t* row(std::size_t i) { return rows_.data() + i * 4 * matrix_.quads(); }

  tosa::ByteMatrix matrix_;
  std::int32_t zero_;                  // as the stored bytes have it, which are 128 more
  std::vector<std::int32_t> columns_;  // contribution of the zero point to every sum
  std::vector<std::uint8_t> rows_;
  std::vector<std::int32_t> sums_;
};

/// Sums of products of float rows with the rows of a float filter, by the fast kernels: each in the order of the depth,
/// product and sum rounded.
class FloatSums {
 public:
  /// `filter` has `channels` rows of `depth`.
  FloatSums(const float* filter, std::size_t channels, std::size_t depth);

  /// Rows that are computed together.
  static constexpr std::size_t kRows = 64;

  [[nodiscard]] float* row(std::size_t i) { return rows_.data() + i * panels_.k(); }
  /// The sums of the first rows: for each row as many as channels, `pitch()` apart.
  [[nodiscard]] const float* sums(std::size_t rows);
  [[nodiscard]] std::size_t pitch() const { return panels_.columns(); }

 private:
  tosa::FloatPanels<float> panels_;
  std::vector<float> rows_, sums_;
};

}  // namespace macaw::tflite
