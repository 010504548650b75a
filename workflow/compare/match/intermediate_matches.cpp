#include "workflow/compare/match/intermediate_matches.hpp"

#include <algorithm>
#include <functional>

#include "workflow/compare/tensor_difference.hpp"

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
bool equal_from(const Tensor& tensor, std::int64_t top, const IntermediateValues& map) {
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

IntermediateMatches::IntermediateMatches(const Reference& reference) : reference_(reference) {
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t)) continue;
    const auto& value = *reference.tensors[t].value;
    const auto& shape = value.shape();
    by_size_.emplace(static_cast<std::size_t>(value.size()), t);
    if (shape.size() == 4 && shape[0] == 1) by_depth_.emplace(shape[3], t);
  }
}

void IntermediateMatches::record(std::size_t record, const IntermediateValues& values) {
  const auto [first, last] = by_size_.equal_range(values.values.size());
  for (auto it = first; it != last; ++it)
    if (equal(*reference_.tensors[it->second].value, values.values)) add(it->second, record, values.kind);
  if (values.kind != IntermediateValues::Kind::kRead) return;
  const auto [begin, end] = by_depth_.equal_range(values.c);
  for (auto it = begin; it != end; ++it) record_rows(it->second, record, values);
}

void IntermediateMatches::record_rows(TensorId id, std::size_t record, const IntermediateValues& map) {
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
    IntermediateValues rest = map;
    rest.h = rest.pad_top = 0;
    rest.pad_bottom = static_cast<int>(rows);
    if (unseen == rows || (unseen == top + height && rows - unseen <= 2 && equal_from(tensor, unseen, rest)))
      add(id, record, map.kind);
  }
}

void IntermediateMatches::add(TensorId tensor, std::size_t record, IntermediateValues::Kind kind) {
  if (known_.emplace(tensor, record, kind).second) all_.emplace(tensor, IntermediateMatch{kind, record});
}

namespace {

class Search {
 public:
  Search(const Reference& reference, const Alignment& alignment, const Observed& observed,
         const std::set<TensorId>& listed)
      : reference_(reference), alignment_(alignment), observed_(observed), listed_(listed) {}

  std::vector<MatchedTensor> run() {
    for (std::size_t i = 0; i < observed_.outputs.size(); ++i)
      add(reference_.outputs[i], MatchMethod::kOutput, 0, observed_.outputs[i].different);
    for (const auto& [tensor, match] : observed_.intermediate.all()) {
      const bool read = match.kind == IntermediateValues::Kind::kRead;
      if (!is_made_from_sources(tensor, match.record, read)) continue;
      add(tensor, read ? MatchMethod::kRead : MatchMethod::kComputed, 1, 0);
    }
    for (const auto& op : reference_.operators) add_views(op);
    return std::move(found_);
  }

 private:
  void add(TensorId tensor, MatchMethod method, std::size_t commands, std::int64_t different) {
    if (!reference_.is_computed(tensor) || !listed_.insert(tensor).second) return;
    const auto& t = reference_.tensors[tensor];
    found_.push_back({tensor, t.name, method, commands, t.value->size(), different});
  }

  /// Whether the tensor is computed from what the operation reads, so that the same elements are not a coincidence.
  /// Where that is not known, the CPU wrote what is `read`.
  [[nodiscard]] bool is_made_from_sources(TensorId tensor, std::size_t record, bool read) const {
    if (alignment_.known(tensor) || (read && alignment_.sources(record).empty())) return true;
    const auto cone = alignment_.cone(tensor);
    return !cone.frontier.empty() && std::ranges::includes(alignment_.sources(record), cone.frontier);
  }

  /// Operators come before those that use their results.
  void add_views(const ReferenceOperator& op) {
    for (const auto output : op.outputs) {
      if (!reference_.is_computed(output)) continue;
      const auto bytes = std::as_const(*reference_.tensors[output].value).bytes();
      for (const auto input : op.inputs) {
        const auto& source = reference_.tensors[input];
        const bool given = std::ranges::find(reference_.inputs, input) != reference_.inputs.end();
        if (source.value && (given || listed_.contains(input)) &&
            std::ranges::equal(bytes, std::as_const(*source.value).bytes()))
          add(output, MatchMethod::kView, 0, 0);
      }
    }
  }

  const Reference& reference_;
  const Alignment& alignment_;
  const Observed& observed_;
  std::set<TensorId> listed_;
  std::vector<MatchedTensor> found_;
};

}  // namespace

std::vector<MatchedTensor> indirect_matches(const Reference& reference, const Alignment& alignment,
                                            const Observed& observed, const std::set<TensorId>& listed) {
  return Search(reference, alignment, observed, listed).run();
}

}  // namespace macaw::compare
