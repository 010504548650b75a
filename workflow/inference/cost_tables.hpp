#pragma once
#include <macaw/error.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::inference {

/// A figure or factor with its range.
struct Range {
  double low = 1, typical = 1, high = 1;
  friend Range operator*(Range a, Range b) { return {a.low * b.low, a.typical * b.typical, a.high * b.high}; }
  friend Range operator+(Range a, Range b) { return {a.low + b.low, a.typical + b.typical, a.high + b.high}; }
};

/// The cost of a class: cycles = (fixed + element * elements + mac * multiply-accumulates), times the factors low to
/// high.
struct CostRow {
  std::string cls, type, core, compiler;
  double fixed = 0, element = 0, mac = 0, low = 1, high = 1;
  std::string source;
};

/// An entry of platform.toml: a range, or that of the entry `as` if it is not empty.
struct PlatformEntry {
  std::string as;
  Range range;
  std::string source;
};

/// A file of configs/cpu for a library of kernels (docs/FORMATS.md).
struct LibraryTable {
  std::string name, description;
  std::vector<std::string> otherwise;  ///< tables for operators that this library lacks
  std::vector<CostRow> costs;
  std::map<std::string, PlatformEntry, std::less<>> borrowed;  ///< by class
};

using PlatformSection = std::map<std::string, PlatformEntry, std::less<>>;

/// The costs of kernels and of the platform around them.
struct CostTables {
  std::map<std::string, LibraryTable, std::less<>> libraries;
  std::map<std::string, PlatformSection, std::less<>> platform;

  /// Null: not there.
  [[nodiscard]] const PlatformEntry* find(std::string_view section, std::string_view name) const;
  /// The entry, which must exist in platform.toml.
  [[nodiscard]] const PlatformEntry& at(std::string_view section, std::string_view name) const;
};

/// configs/cpu, which is built into the program.
[[nodiscard]] Result<CostTables> built_in_tables();
/// Errors: kInvalidFile with file and key.
[[nodiscard]] Result<LibraryTable> parse_library(std::string_view toml, const std::string& name);
[[nodiscard]] Result<LibraryTable> load_library(const std::string& path);
[[nodiscard]] Result<std::map<std::string, PlatformSection, std::less<>>> parse_platform(std::string_view toml,
                                                                                         const std::string& name);

}  // namespace macaw::inference
