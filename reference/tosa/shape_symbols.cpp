#include "reference/tosa/shape_symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace macaw::tosa {
namespace {

bool is_symbol(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Finds the entry of a name in a list; null if absent.
template <class T>
const T* find(const std::vector<std::pair<std::string_view, T>>& list, std::string_view name) {
  for (const auto& [known, value] : list)
    if (known == name) return &value;
  return nullptr;
}

}  // namespace

std::vector<std::string_view> split_dimensions(std::string_view pattern) {
  pattern.remove_prefix(1);
  pattern.remove_suffix(1);
  std::vector<std::string_view> parts;
  parts.reserve(8);
  while (!pattern.empty()) {
    const auto comma = pattern.find(',');
    parts.push_back(trim(pattern.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    pattern.remove_prefix(comma + 1);
  }
  return parts;
}

std::optional<std::int64_t> ShapeSymbols::value(std::string_view dimension) const {
  if (const auto literal = number(dimension)) return literal;
  std::int64_t factor = 1;
  if (dimension.starts_with("2*")) {
    factor = 2;
    dimension.remove_prefix(2);
  }
  if (dimension.starts_with("rank(") && dimension.ends_with(")")) {
    const auto* shape = find(shapes_, dimension.substr(5, dimension.size() - 6));
    if (!shape) return std::nullopt;
    return factor * static_cast<std::int64_t>(shape->size());
  }
  const auto* extent = find(dims_, dimension);
  if (factor != 1 || !extent) return std::nullopt;
  return *extent;
}

std::optional<std::string> ShapeSymbols::bind(std::string_view pattern, const Shape& shape) {
  if (pattern.empty()) return std::nullopt;
  if (pattern.front() != '[') {
    const auto* known = find(shapes_, pattern);
    if (!known) shapes_.emplace_back(pattern, shape);
    if (!known || *known == shape) return std::nullopt;
    return fmt::format("shape {} must equal {}", macaw::to_string(shape), macaw::to_string(*known));
  }
  const auto dimensions = split_dimensions(pattern);
  if (dimensions.size() != shape.size())
    return fmt::format("shape {} must have the form {}", macaw::to_string(shape), pattern);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (const auto expected = value(dimensions[i])) {
      if (*expected != shape[i])
        return fmt::format("{} of shape {} must be {}, from {}", shape[i], macaw::to_string(shape), *expected, pattern);
    } else if (is_symbol(dimensions[i])) {
      if (!find(dims_, dimensions[i])) dims_.emplace_back(dimensions[i], shape[i]);
    }
  }
  return std::nullopt;
}

std::optional<Shape> ShapeSymbols::evaluate(std::string_view pattern) const {
  if (pattern.empty()) return std::nullopt;
  if (pattern.front() != '[') {
    const auto* shape = find(shapes_, pattern);
    return shape ? std::optional(*shape) : std::nullopt;
  }
  Shape shape;
  for (const auto dimension : split_dimensions(pattern)) {
    const auto extent = value(dimension);
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

}  // namespace macaw::tosa
