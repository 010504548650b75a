#include "base/near_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace macaw::io {
namespace {

constexpr std::size_t kShown = 3, kAllShown = 12, kLongestCompared = 200;

/// Letters to insert, remove, replace or exchange with their neighbour; letters that differ in case only are alike.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> row(b.size() + 1), before, before_that;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_that = std::exchange(before, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({before[j] + (lower(a[i]) != lower(b[j])), row[j] + 1, before[j + 1] + 1});
      if (i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]))
        row[j + 1] = std::min(row[j + 1], before_that[j - 1] + 1);
    }
  }
  return row.back();
}

/// "'a', 'b' or 'c'".
std::string list(std::span<const std::string> names, std::string_view last_separator) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? last_separator : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

}  // namespace

std::string near_names(std::string_view name, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  if (!name.empty() && name.size() <= kLongestCompared) {
    for (const auto& candidate : known) {
      const std::size_t steps = distance(name, candidate);
      const bool contains = name.size() > 2 && candidate.find(name) != std::string::npos;
      if (steps <= 1 + name.size() / 4 || contains) near.emplace_back(steps, candidate);
    }
    std::ranges::stable_sort(near, {}, [](const auto& entry) { return entry.first; });
  }
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(near.size(), kShown); ++i) shown.push_back(near[i].second);
  if (!shown.empty()) return "; did you mean " + list(shown, " or ") + "?";
  return known.empty() || known.size() > kAllShown ? "" : "; available: " + list(known, ", ");
}

}  // namespace macaw::io
