#pragma once
#include <macaw/error.hpp>

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace macaw::tosa {

/// Narrows the 64-bit integers of a graph to the integers of its files. A value that does not fit is remembered, so
/// that a writer can fill its tables first and check once.
class Narrow {
 public:
  template <std::signed_integral T = std::int32_t>
  [[nodiscard]] T one(std::int64_t value) {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      if (!misfit_) misfit_ = Misfit{value, 8 * sizeof(T)};
    return static_cast<T>(value);
  }
  template <std::signed_integral T = std::int32_t>
  [[nodiscard]] std::vector<T> list(const std::vector<std::int64_t>& values) {
    std::vector<T> out;
    out.reserve(values.size());
    for (const auto value : values) out.push_back(one<T>(value));
    return out;
  }

  /// kUnsupported if some value did not fit.
  [[nodiscard]] Result<void> check() const {
    if (!misfit_) return {};
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} does not fit the {} bits that the file has for it", misfit_->value, misfit_->bits));
  }

 private:
  struct Misfit {
    std::int64_t value;
    std::size_t bits;
  };
  std::optional<Misfit> misfit_;
};

}  // namespace macaw::tosa
