#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace macaw::io {

/// The number that all of `text` is: no blanks, no sign but '-', no base's prefix.
template <class T>
[[nodiscard]] std::optional<T> number_of(std::string_view text, [[maybe_unused]] int base = 10) {
  T value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::floating_point<T>) read = std::from_chars(text.data(), end, value);
  else read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

/// The same in decimal, or after 0x in hexadecimal digits.
template <std::integral T>
[[nodiscard]] std::optional<T> decimal_or_hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return number_of<T>(text);
  text.remove_prefix(2);
  if (text.starts_with('-')) return std::nullopt;
  return number_of<T>(text, 16);
}

}  // namespace macaw::io
