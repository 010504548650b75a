#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace macaw::tosa {

// Operators and data types have the same names in the schemas and here, so that the generated names are the tables.

/// Name of a number of a generated enumeration; empty: it has none.
template <class E>
std::string_view name_of(std::uint32_t number, const char* (*name)(E)) {
  return number > static_cast<std::uint32_t>(E::MAX) ? std::string_view()
                                                     : std::string_view(name(static_cast<E>(number)));
}

/// The number that has a name, of the values of a generated enumeration.
template <class E, class Values>
std::optional<std::uint32_t> number_of(std::string_view wanted, const Values& values, const char* (*name)(E)) {
  for (const E value : values)
    if (value != E::UNKNOWN && wanted == name(value)) return static_cast<std::uint32_t>(value);
  return std::nullopt;
}

}  // namespace macaw::tosa
