#include "workflow/report/forms/align.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace macaw::report {
namespace {

using Names = std::vector<std::string>;

/// Lists longer than this together are only compared by their common start, end and names: the table is quadratic.
constexpr std::size_t kMostCells = 16'000'000;

/// For every name of `now` its partner in `then`: of the longest common subsequence of what lies between equal starts
/// and ends.
std::vector<std::optional<std::size_t>> common(const Names& then, const Names& now) {
  std::vector<std::optional<std::size_t>> partner(now.size());
  std::size_t start = 0, rows = then.size(), columns = now.size();
  for (; start < rows && start < columns && then[start] == now[start]; ++start) partner[start] = start;
  for (; rows > start && columns > start && then[rows - 1] == now[columns - 1]; --rows, --columns)
    partner[columns - 1] = rows - 1;
  const auto height = rows - start, width = columns - start;
  if (height == 0 || width == 0 || height > kMostCells / width) return partner;
  std::vector<std::uint32_t> longest((height + 1) * (width + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (width + 1) + j]; };
  for (std::size_t i = height; i-- > 0;)
    for (std::size_t j = width; j-- > 0;)
      at(i, j) = then[start + i] == now[start + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (std::size_t i = 0, j = 0; i < height && j < width;) {
    if (then[start + i] == now[start + j]) partner[start + j++] = start + i++;
    else if (at(i + 1, j) >= at(i, j + 1)) ++i;
    else ++j;
  }
  return partner;
}

}  // namespace

Aligned align(const Names& then, const Names& now) {
  auto partner = common(then, now);
  std::vector<bool> used(then.size());
  for (const auto& p : partner)
    if (p) used[*p] = true;
  std::map<std::string, std::deque<std::size_t>> free;
  for (std::size_t i = 0; i < then.size(); ++i)
    if (!used[i]) free[then[i]].push_back(i);
  for (std::size_t j = 0; j < now.size(); ++j) {
    if (partner[j]) continue;
    const auto found = free.find(now[j]);
    if (found == free.end() || found->second.empty()) continue;
    partner[j] = found->second.front();
    used[*partner[j]] = true;
    found->second.pop_front();
  }
  Aligned aligned;
  std::size_t next = 0;
  const auto skip_to = [&](std::size_t end) {
    for (; next < end; ++next)
      if (!used[next]) aligned.emplace_back(next, std::nullopt);
  };
  for (std::size_t j = 0; j < now.size(); ++j) {
    if (partner[j]) skip_to(*partner[j]);
    aligned.emplace_back(partner[j], j);
  }
  skip_to(then.size());
  return aligned;
}

}  // namespace macaw::report
