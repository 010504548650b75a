#include <macaw/shape_fit.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace macaw {
namespace {

/// Elements of the last 1, 2, ... dimensions: the lengths of rows, planes and so on, each once.
std::vector<std::int64_t> row_ends(const Shape& shape) {
  std::vector<std::int64_t> ends(shape.size());
  std::partial_sum(shape.rbegin(), shape.rend(), ends.begin(), std::multiplies<>());
  ends.insert(ends.begin(), 1);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace

bool same_arrangement(const Shape& a, const Shape& b) {
  const auto count = element_count(a), other = element_count(b);
  if (!count || !other || *count != *other) return false;
  if (*count == 0) return true;
  const auto ends = row_ends(a), others = row_ends(b);
  return std::ranges::includes(ends, others) || std::ranges::includes(others, ends);
}

}  // namespace macaw
