#include "workflow/compare/sightings.hpp"

#include <algorithm>
#include <functional>

#include "workflow/compare/compare.hpp"

namespace macaw::compare {
namespace {

/// Whether the value's low bits are those of the element, and the others its sign or zero.
bool same(std::int64_t element, std::int64_t value, std::size_t bytes) {
  if (element == value || bytes >= sizeof(std::int64_t)) return element == value;
  const auto range = std::int64_t{1} << (8 * bytes), low = element & (range - 1);
  return value == low || value == (low ^ range / 2) - range / 2;
}

bool equal(const Tensor& tensor, std::span<const std::int64_t> values) {
  const auto bytes = size_of(tensor.dtype());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!same(integer_at(tensor, static_cast<std::int64_t>(i)), values[i], bytes)) return false;
  return true;
}

/// Whether rows of the tensor from `top` on are the map with its padding, as far as the tensor goes.
bool equal_from(const Tensor& tensor, std::int64_t top, const PassingValues& map) {
  const auto& shape = tensor.shape();
  const auto bytes = size_of(tensor.dtype());
  const auto end = std::min<std::int64_t>(shape[1], top + map.pad_top + map.h + map.pad_bottom);
  for (std::int64_t y = std::max<std::int64_t>(top, 0), i = y * shape[2] * shape[3]; y < end; ++y)
    for (std::int64_t x = 0; x < shape[2]; ++x) {
      const auto iy = y - top - map.pad_top, ix = x - map.pad_left;
      const bool inside = iy >= 0 && iy < map.h && ix >= 0 && ix < map.w;
      for (std::int64_t c = 0; c < map.c; ++c, ++i) {
        const auto value = inside ? map.values[static_cast<std::size_t>((iy * map.w + ix) * map.c + c)] : map.padding;
        if (!same(integer_at(tensor, i), value, bytes)) return false;
      }
    }
  return true;
}

}  // namespace

Sightings::Sightings(const Reference& reference) : reference_(reference) {
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t)) continue;
    const auto& value = *reference.tensors[t].value;
    const auto& shape = value.shape();
    by_size_.emplace(static_cast<std::size_t>(value.size()), t);
    if (shape.size() == 4 && shape[0] == 1) by_depth_.emplace(shape[3], t);
  }
}

void Sightings::see(std::size_t record, const PassingValues& values) {
  const auto [first, last] = by_size_.equal_range(values.values.size());
  for (auto it = first; it != last; ++it)
    if (equal(*reference_.tensors[it->second].value, values.values)) add(it->second, record, values.kind);
  if (values.kind != PassingValues::Kind::kRead) return;
  const auto [begin, end] = by_depth_.equal_range(values.c);
  for (auto it = begin; it != end; ++it) see_rows(it->second, record, values);
}

void Sightings::see_rows(TensorId id, std::size_t record, const PassingValues& map) {
  const auto& tensor = *reference_.tensors[id].value;
  const auto rows = tensor.shape()[1], height = std::int64_t{map.pad_top} + map.h + map.pad_bottom;
  const auto most = std::int64_t{map.w} + 2 * map.pad_left + 2;  // columns on the right that no window reaches
  if (tensor.size() <= static_cast<std::int64_t>(map.values.size()) || tensor.shape()[2] < map.w + map.pad_left ||
      tensor.shape()[2] > most)
    return;
  auto& seen = rows_[id];
  seen.resize(static_cast<std::size_t>(rows));
  if (std::ranges::all_of(seen, std::identity{})) return;
  for (std::int64_t top = 0; top + map.pad_top + map.h <= rows; ++top) {
    if (!equal_from(tensor, top, map)) continue;
    for (auto y = top; y < std::min(rows, top + height); ++y) seen[static_cast<std::size_t>(y)] = true;
    // Rows at the end that no window reaches.
    const auto unseen = std::ranges::find(seen, false) - seen.begin();
    PassingValues rest = map;
    rest.h = rest.pad_top = 0;
    rest.pad_bottom = static_cast<int>(rows);
    if (unseen == rows || (unseen == top + height && rows - unseen <= 2 && equal_from(tensor, unseen, rest)))
      add(id, record, map.kind);
  }
}

void Sightings::add(TensorId tensor, std::size_t record, PassingValues::Kind kind) {
  if (known_.emplace(tensor, record, kind).second) all_.emplace(tensor, Sighting{kind, record});
}

}  // namespace macaw::compare
