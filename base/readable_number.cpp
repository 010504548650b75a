#include "base/readable_number.hpp"

#include <fmt/format.h>
#include <cmath>

namespace macaw::io {

std::string with_thousands(std::uint64_t number) {
  auto digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kUnit = 1024;
  constexpr const char* kNames[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes) / kUnit;
  std::size_t name = 0;
  while (value >= kUnit && name + 1 < std::size(kNames)) {
    value /= kUnit;
    ++name;
  }
  // Halves are rounded up, as scripts of the pages round them.
  const int digits = value < 10 ? 2 : value < 1000 ? 1 : 0;
  const double steps = digits == 2 ? 100 : digits == 1 ? 10 : 1;
  return fmt::format("{:.{}f} {}", std::floor(value * steps + 0.5) / steps, digits, kNames[name]);
}

}  // namespace macaw::io
