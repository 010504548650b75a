#include "workflow/compare/tensor_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

namespace macaw::compare {
namespace {

std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

}  // namespace

std::int64_t integer_at(const Tensor& tensor, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  switch (tensor.dtype()) {
    // Any byte, so that two that differ are shown as different.
    case DType::kBOOL: return std::to_integer<std::int64_t>(tensor.bytes()[i]);
    case DType::kUINT8: return tensor.data<std::uint8_t>()[i];
    case DType::kUINT16: return tensor.data<std::uint16_t>()[i];
    default: break;
  }
  switch (size_of(tensor.dtype())) {
    case 1: return tensor.data<std::int8_t>()[i];
    case 2: return tensor.data<std::int16_t>()[i];
    case 4: return tensor.data<std::int32_t>()[i];
    default: return tensor.data<std::int64_t>()[i];
  }
}

OutputComparison compare_tensors(const std::string& name, const Tensor& expected, const Tensor& actual) {
  OutputComparison result{.name = name, .elements = expected.size(), .index = {}};
  const auto width = size_of(expected.dtype());
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<std::size_t>(i) * width;
    if (std::memcmp(expected.bytes().data() + at, actual.bytes().data() + at, width) == 0) continue;
    if (result.different++ > 0) continue;
    result.index = unravel(i, expected.shape());
    result.expected = integer_at(expected, i);
    result.actual = integer_at(actual, i);
  }
  return result;
}

namespace {

struct Difference {
  std::int64_t at = 0, expected = 0, actual = 0;
  [[nodiscard]] std::int64_t size() const { return actual - expected; }
};

std::int64_t extent_behind(const Shape& shape, std::size_t axis) {
  std::int64_t product = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) product *= shape[i];
  return product;
}

/// "only channel 3", if the differences lie in few of the positions of an axis.
std::string confined(const std::vector<Difference>& differences, const Shape& shape, std::size_t axis, const char* one,
                     const char* several) {
  constexpr std::size_t kFew = 4;
  const auto behind = extent_behind(shape, axis);
  std::set<std::int64_t> positions;
  for (const auto& d : differences) positions.insert(d.at / behind % shape[axis]);
  const auto extent = static_cast<std::size_t>(shape[axis]);
  if (extent < 2 || positions.size() * 2 > extent) return "";
  if (positions.size() == 1) return fmt::format("only {} {}", one, *positions.begin());
  if (positions.size() <= kFew) return fmt::format("only {} {}", several, fmt::join(positions, ", "));
  const auto first = *positions.begin(), last = *positions.rbegin();
  if (static_cast<std::size_t>(last - first) + 1 == positions.size())
    return fmt::format("only {} {} to {}", several, first, last);
  return "";
}

/// Whether what was written is the expected image, moved by (y, x).
bool is_shifted(const Tensor& expected, const Tensor& actual, std::int64_t dy, std::int64_t dx) {
  const auto& shape = expected.shape();
  const auto rank = shape.size();
  const auto h = shape[rank - 3], w = shape[rank - 2], c = shape[rank - 1];
  const auto images = expected.size() / (h * w * c);
  std::int64_t inside = 0, same = 0;
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t y = std::max<std::int64_t>(0, -dy); y < std::min(h, h - dy); ++y)
      for (std::int64_t x = std::max<std::int64_t>(0, -dx); x < std::min(w, w - dx); ++x)
        for (std::int64_t i = 0; i < c; ++i) {
          const auto to = ((n * h + y) * w + x) * c + i, from = ((n * h + y + dy) * w + x + dx) * c + i;
          ++inside;
          same += integer_at(actual, to) == integer_at(expected, from);
        }
  return inside * 2 >= expected.size() && same * 10 >= inside * 9;
}

std::string shift(const Tensor& expected, const Tensor& actual) {
  const auto rank = expected.rank();
  if (rank < 3 || expected.shape()[rank - 3] < 4 || expected.shape()[rank - 2] < 4) return "";
  for (const std::int64_t dy : {-1, 0, 1, -2, 2})
    for (const std::int64_t dx : {-1, 0, 1, -2, 2})
      if ((dy != 0 || dx != 0) && is_shifted(expected, actual, dy, dx))
        return fmt::format("the output is shifted by [{}, {}] (row, column)", -dy, -dx);
  return "";
}

/// Properties shared by the differing values.
std::string values(const std::vector<Difference>& differences, const Tensor& actual) {
  const auto all = [&](const auto& holds) { return std::ranges::all_of(differences, holds); };
  const auto bits = 8 * size_of(actual.dtype());
  const bool is_signed = actual.dtype() != DType::kUINT8 && actual.dtype() != DType::kUINT16;
  if (bits <= 32) {
    const auto highest = (std::int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
    const auto lowest = is_signed ? -highest - 1 : 0;
    if (all([&](const auto& d) { return d.actual == highest || d.actual == lowest; }))
      return "saturated where it differs";
  }
  const auto first = differences.front();
  if (differences.size() > 1) {
    if (all([&](const auto& d) { return d.actual == first.actual; })) return fmt::format("always {}", first.actual);
    if (all([&](const auto& d) { return d.size() == first.size(); }))
      return fmt::format("always {} too {}", std::abs(first.size()), first.size() > 0 ? "high" : "low");
    if (all([](const auto& d) { return std::abs(d.size()) == 1; })) return "off by one (rounding)";
    if (all([](const auto& d) { return d.actual == -d.expected; })) return "of the other sign";
  }
  return "";
}

}  // namespace

std::string pattern_of(const Tensor& expected, const Tensor& actual) {
  std::vector<Difference> differences;
  for (std::int64_t i = 0; i < expected.size(); ++i)
    if (const auto e = integer_at(expected, i), a = integer_at(actual, i); e != a) differences.push_back({i, e, a});
  if (differences.empty()) return "";
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  const auto& shape = expected.shape();
  if (differences.size() > 1) {
    if (!shape.empty()) add(confined(differences, shape, shape.size() - 1, "channel", "channels"));
    if (shape.size() >= 3) add(confined(differences, shape, shape.size() - 3, "row", "rows"));
    if (shape.size() >= 3) add(confined(differences, shape, shape.size() - 2, "column", "columns"));
  }
  if (auto common = values(differences, actual); !common.empty()) add(std::move(common));
  else add(shift(expected, actual));
  const auto largest = std::ranges::max(differences, {}, [](const auto& d) { return std::abs(d.size()); });
  add(fmt::format("the largest difference is {}", std::abs(largest.size())));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace macaw::compare
