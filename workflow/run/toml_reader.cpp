#include "workflow/run/toml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace macaw::run {

tl::unexpected<Error> invalid_toml(const std::string& file, const std::string& text) {
  return fail(ErrorCode::kInvalidFile, text, {.file = file});
}

tl::unexpected<Error> TomlReader::error(std::string_view key, std::string_view text) const {
  return invalid_toml(file, fmt::format("{}: key '{}' {}", where, key, text));
}

Result<void> TomlReader::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, node] : table)
    if (std::ranges::find(known, key.str()) == known.end())
      return error(key.str(), fmt::format("is not known; expected one of {}", fmt::join(known, ", ")));
  return {};
}

Result<std::string> TomlReader::text(std::string_view key) const {
  const auto value = table[key].value_exact<std::string>();
  if (!value || value->empty()) return error(key, "must be a text");
  return *value;
}

Result<double> TomlReader::positive(std::string_view key, double otherwise) const {
  if (!table.contains(key)) return otherwise;
  const auto value = table[key].value<double>();
  if (!table[key].is_number() || !value || !std::isfinite(*value) || *value <= 0)
    return error(key, "must be a number greater than 0");
  return *value;
}

}  // namespace macaw::run
