#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "reference/tflite/call.hpp"
#include "reference/tflite/quantization.hpp"

// Arguments of ExecuTorch's kernels: each is an input, in the order of the kernel's schema; numbers are tensors of one
// element, lists of numbers tensors of rank 1, and an argument None is absent (sim/artifact/executorch_program.cpp).

namespace macaw::executorch {

using namespace tflite;  // its calls, and helpers of its operators

[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::int64_t> integer_argument(const Call& call, std::size_t index, std::int64_t if_none);
/// Accepts any numeric type.
[[nodiscard]] Result<double> real_argument(const Call& call, std::size_t index);
[[nodiscard]] Result<std::vector<std::int64_t>> list_argument(const Call& call, std::size_t index);
/// Axes that an operator works on, in ascending order, each once: of a list, or of one number; all of them where the
/// argument is None or an empty list.
[[nodiscard]] Result<std::vector<std::size_t>> axes_argument(const Call& call, std::size_t index, std::size_t rank);
/// The bytes of a text.
[[nodiscard]] Result<std::string> text_argument(const Call& call, std::size_t index);
/// An error unless the argument is false, or absent.
[[nodiscard]] Result<void> expect_false(const Call& call, std::size_t index, std::string_view what);
/// An error unless the memory format is None, contiguous, or, if `or_preserve`, that of the input.
[[nodiscard]] Result<void> expect_contiguous_format(const Call& call, std::size_t index, bool or_preserve = false);

/// A number among the arguments, with the kind that the program states (the runtime's Scalar). Conversions are those of
/// pytorch/executorch kernels/portable/cpu/scalar_utils.h.
struct Number {
  enum class Kind : std::uint8_t { kBoolean, kInteger, kReal };
  Kind kind = Kind::kInteger;
  std::int64_t whole = 0;  ///< of a boolean or an integer
  double real = 0;         ///< of a real number
  std::size_t index = 0;   ///< of the argument

  /// The type in which elements of type `dtype` are computed with the number (promote_type_with_scalar).
  [[nodiscard]] DType promoted(DType dtype) const {
    if (kind == Kind::kReal) return DType::kFP32;
    return kind == Kind::kInteger && dtype == DType::kBOOL ? DType::kINT64 : dtype;
  }

  /// Converts to an element (scalar_to): integers wrap, real numbers are truncated. An error where that is undefined in
  /// C++.
  template <class T>
  [[nodiscard]] Result<T> as() const {
    if constexpr (std::is_same_v<T, bool>) return kind == Kind::kReal ? real != 0 : whole != 0;
    else if constexpr (std::is_same_v<T, float>)
      return kind == Kind::kReal ? static_cast<float>(real) : static_cast<float>(whole);
    else {
      if (kind != Kind::kReal) return static_cast<T>(whole);
      const double cut = std::trunc(real), end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (!(cut < end && cut >= (std::is_signed_v<T> ? -end : 0.0))) return misfit();
      return static_cast<T>(cut);
    }
  }

  /// Converts to an element whose type must hold the value (check_overflow_scalar_cast): the fraction of a real number
  /// is truncated, and negative integers wrap in unsigned types.
  template <class T>
  [[nodiscard]] Result<T> fitting() const {
    if constexpr (!std::is_same_v<T, bool>) {
      using Limits = std::numeric_limits<T>;
      if (kind == Kind::kReal && !(std::is_same_v<T, float> && !std::isfinite(real)) &&
          !(real >= static_cast<double>(Limits::lowest()) && real <= static_cast<double>(Limits::max())))
        return misfit();
      if constexpr (std::is_integral_v<T>)
        if (kind == Kind::kInteger && !std::in_range<T>(whole) &&
            (std::is_signed_v<T> || whole >= 0 || whole < -static_cast<std::int64_t>(Limits::max())))
          return misfit();
    }
    return as<T>();
  }

  /// Converts to a factor of elements (extract_scalar): real numbers only to float, and booleans only to bool.
  template <class T>
  [[nodiscard]] Result<T> extracted() const {
    const bool is_float = std::is_same_v<T, float>, is_bool = std::is_same_v<T, bool>;
    if ((kind == Kind::kReal && !is_float) || (kind == Kind::kBoolean && !is_bool)) return misfit();
    if constexpr (!std::is_same_v<T, bool> && std::is_integral_v<T>)
      if (!std::in_range<T>(whole)) return misfit();
    return fitting<T>();
  }

 private:
  [[nodiscard]] tl::unexpected<Error> misfit() const;
};

[[nodiscard]] Result<Number> number_argument(const Call& call, std::size_t index);

/// Calls f(In{}, T{}) with the type of elements and the type in which they are computed with numbers.
template <class F>
[[nodiscard]] Result<void> with_promoted(DType in, DType promoted, F&& f) {
  return with_number(in, [&]<class In>(In) -> Result<void> {
    if (promoted == in) return f(In{}, In{});
    if (promoted == DType::kFP32) return f(In{}, float{});
    return f(In{}, std::int64_t{});
  });
}

/// Functions of the C library of a float, rounded from double precision: within one unit in the last place of a library
/// that is exact to that in single precision. Libraries that differ in double precision may differ in the last place.
[[nodiscard]] inline float exponential(float value) { return static_cast<float>(std::exp(double{value})); }
[[nodiscard]] inline float hyperbolic_tangent(float value) { return static_cast<float>(std::tanh(double{value})); }

}  // namespace macaw::executorch
