#pragma once
#include <macaw/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/toml.hpp"

namespace macaw::run {

[[nodiscard]] tl::unexpected<Error> invalid_toml(const std::string& file, const std::string& text);

/// Members of a table that a user wrote; `where` names it in messages. Errors: kInvalidFile.
struct TomlReader {
  const toml::table& table;
  std::string file, where;

  [[nodiscard]] tl::unexpected<Error> error(std::string_view key, std::string_view text) const;
  /// An error names a key that is not one of those known.
  [[nodiscard]] Result<void> only(std::initializer_list<std::string_view> known) const;
  /// A text that is not empty.
  [[nodiscard]] Result<std::string> text(std::string_view key) const;
  /// A number greater than 0, or `otherwise` if there is none.
  [[nodiscard]] Result<double> positive(std::string_view key, double otherwise) const;
  /// A list of texts; empty if there is none.
  template <class T>
  [[nodiscard]] Result<std::vector<T>> texts(std::string_view key) const {
    std::vector<T> all;
    if (!table.contains(key)) return all;
    const auto* list = table.get_as<toml::array>(key);
    if (list == nullptr) return error(key, "must be a list of texts");
    for (const auto& node : *list) {
      const auto value = node.value_exact<std::string>();
      if (!value) return error(key, "must be a list of texts");
      all.emplace_back(*value);
    }
    return all;
  }
};

}  // namespace macaw::run
