#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"
#include "reference/tosa/op/def.hpp"

// Floating-point arithmetic of operators: every value is widened to float, in a precise run to double, and the result
// is rounded once to the type of the output. Sums and products of 16- and 8-bit types are therefore at least as exact
// as the accumulator types of the specification.

namespace macaw::tosa {

/// The type of a tensor that holds T, float or double.
template <class T>
inline constexpr DType kFloatType = std::is_same_v<T, float> ? DType::kFP32 : DType::kFP64;

/// Transformations that FloatInput applies to the elements: none, their magnitudes, or the greatest of these for every
/// element.
enum class Magnitudes : std::uint8_t { kNo, kEach, kGreatest };

/// Elements of an input as T, float or double; a view where the tensor holds T.
template <class T>
class FloatInput {
 public:
  explicit FloatInput(const Tensor& tensor, Magnitudes magnitudes = Magnitudes::kNo) {
    if (magnitudes == Magnitudes::kNo && tensor.dtype() == kFloatType<T>) {
      values_ = tensor.data<T>();
      return;
    }
    const auto widened = widened_.emplace(static_cast<std::size_t>(tensor.size())).span();
    load_floats<T>(tensor, widened);
    if (magnitudes != Magnitudes::kNo)
      for (auto& value : widened) value = std::fabs(value);
    if (magnitudes == Magnitudes::kGreatest) {
      T greatest = 0;  // of the numbers: NaNs compare false
      for (const auto value : widened) greatest = value > greatest ? value : greatest;
      std::ranges::fill(widened, greatest);
    }
    values_ = widened;
  }
  FloatInput(const FloatInput&) = delete;
  FloatInput& operator=(const FloatInput&) = delete;

  [[nodiscard]] const T* data() const { return values_.data(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] T operator[](std::size_t i) const { return values_[i]; }
  [[nodiscard]] std::span<const T> span() const { return values_; }

 private:
  std::optional<Scratch<T>> widened_;
  std::span<const T> values_;
};

/// Kernel that runs Kernels::run<double> in a precise run and Kernels::run<float> otherwise.
template <class Kernels>
Result<void> float_kernel(Call& call) {
  return call.precise ? Kernels::template run<double>(call) : Kernels::template run<float>(call);
}

[[nodiscard]] inline bool ignores_nan(const Call& call) {
  return call.attr(Attr::k_nan_mode) == static_cast<std::int64_t>(NanMode::kIgnore);
}

/// apply_max_s and apply_min_s of the specification (pseudocode/library/arithmetic_helpers.tosac). Every comparison is
/// made, so that loops vectorise.
template <bool kIgnoreNan, class T>
[[nodiscard]] T float_max(T a, T b) {
  const bool a_is_nan = a != a, b_is_nan = b != b;
  const T greatest = a >= b ? a : b, second = b_is_nan ? (kIgnoreNan ? a : b) : greatest;
  return a_is_nan ? (kIgnoreNan ? b : a) : second;
}
template <bool kIgnoreNan, class T>
[[nodiscard]] T float_min(T a, T b) {
  const bool a_is_nan = a != a, b_is_nan = b != b;
  const T least = a < b ? a : b, second = b_is_nan ? (kIgnoreNan ? a : b) : least;
  return a_is_nan ? (kIgnoreNan ? b : a) : second;
}

}  // namespace macaw::tosa
