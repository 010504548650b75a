#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Values of the symbols in an operator's arguments ("[N,IH,IW,IC]", "shape1").
class ShapeSymbols {
 public:
  /// Gives the symbols of `pattern` values from `shape`, or compares with those they have. Returns what does not fit.
  [[nodiscard]] std::optional<std::string> bind(std::string_view pattern, const Shape& shape);

  /// The shape that `pattern` stands for, if all its symbols are known.
  [[nodiscard]] std::optional<Shape> evaluate(std::string_view pattern) const;

 private:
  [[nodiscard]] std::optional<std::int64_t> value(std::string_view dimension) const;

  // Few, so that searching a list takes the least time. Patterns are text of the program.
  std::vector<std::pair<std::string_view, std::int64_t>> dims_;
  std::vector<std::pair<std::string_view, Shape>> shapes_;
};

/// "[N,H,W/2 + 1]" -> {"N", "H", "W/2 + 1"}
[[nodiscard]] std::vector<std::string_view> split_dimensions(std::string_view pattern);

}  // namespace macaw::tosa
