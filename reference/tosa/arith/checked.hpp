#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include <macaw/dtype.hpp>

namespace macaw::tosa {

/// Wide enough for sums and products of attributes and extents.
__extension__ using Wide = __int128;

/// The result, or nothing if it does not fit T.
template <class T>
[[nodiscard]] constexpr std::optional<T> checked_add(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}
template <class T>
[[nodiscard]] constexpr std::optional<T> checked_sub(T a, T b) {
  T result{};
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}
template <class T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// Range of an integer type as the specification sees it: that of its bits, not of its storage (minimum_s, maximum_s).
template <DType D>
inline constexpr std::int64_t kMinimum = [] {
  if constexpr (D == DType::kINT4) return std::int64_t{-8};
  if constexpr (D == DType::kINT48) return -(std::int64_t{1} << 47);
  return std::int64_t{std::numeric_limits<Storage<D>>::min()};
}();
template <DType D>
inline constexpr std::int64_t kMaximum = [] {
  if constexpr (D == DType::kINT4) return std::int64_t{7};
  if constexpr (D == DType::kINT48) return (std::int64_t{1} << 47) - 1;
  return std::int64_t{std::numeric_limits<Storage<D>>::max()};
}();

}  // namespace macaw::tosa
