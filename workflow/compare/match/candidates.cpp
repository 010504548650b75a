#include "workflow/compare/match/candidates.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "workflow/compare/judge/operator_name.hpp"

namespace macaw::compare {
namespace {

/// Equal elements of two runs of bytes.
std::size_t equal_elements(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t width) {
  std::size_t same = 0;
  for (std::size_t i = 0; i + width <= a.size(); i += width) same += std::memcmp(&a[i], &b[i], width) == 0;
  return same;
}

/// The rows of a tensor that agree best with a stripe of it.
std::size_t equal_in_rows(const Record& record, std::span<const std::byte> expected) {
  const auto width = static_cast<std::size_t>(record.bytes);
  const auto row = static_cast<std::size_t>(record.w) * static_cast<std::size_t>(record.c) * width;
  if (row == 0 || expected.size() % row != 0) return 0;
  std::size_t best = 0;
  for (std::size_t at = 0; at + record.contents.size() <= expected.size(); at += row)
    best = std::max(best, equal_elements(record.contents, expected.subspan(at, record.contents.size()), width));
  return best;
}

/// The channels of a tensor that agree best with a slice of it.
std::size_t equal_in_channels(const Record& record, std::span<const std::byte> expected, std::size_t depth) {
  constexpr std::size_t kStep = 8;
  const auto width = static_cast<std::size_t>(record.bytes);
  const auto own = static_cast<std::size_t>(record.c), pixels = record.contents.size() / width / own;
  if (own >= depth || pixels * depth * width != expected.size()) return 0;
  std::size_t best = 0;
  for (std::size_t first = 0; first + own <= depth; first += kStep) {
    std::size_t same = 0;
    for (std::size_t p = 0; p < pixels; ++p)
      same += equal_elements(std::span(record.contents).subspan(p * own * width, own * width),
                             expected.subspan((p * depth + first) * width, own * width), width);
    best = std::max(best, same);
  }
  return best;
}

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Height, width and depth, batches one below the other.
std::array<int, 3> extents_of(const Tensor& tensor) {
  const auto& shape = tensor.shape();
  const auto rank = shape.size();
  const auto depth = rank > 0 ? shape[rank - 1] : 1, width = rank > 1 ? shape[rank - 2] : 1;
  return {static_cast<int>(tensor.size() / std::max<std::int64_t>(1, depth * width)), static_cast<int>(width),
          static_cast<int>(depth)};
}

/// The share of equal elements where a map of other extents lies over the tensor; 0 if that is less than most of it.
double equal_in_common(const Record& record, std::span<const std::byte> expected, const std::array<int, 3>& extents) {
  const auto width = static_cast<std::size_t>(record.bytes);
  const int h = std::min(record.h, extents[0]), w = std::min(record.w, extents[1]), c = std::min(record.c, extents[2]);
  const auto run = static_cast<std::size_t>(c) * width;
  const auto all = static_cast<std::size_t>(h) * static_cast<std::size_t>(w) * run;
  if (all * 2 <= expected.size()) return 0;
  const auto at = [&](int y, int x, int columns, int depth) {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(depth) * width;
  };
  std::size_t same = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      same += equal_elements(std::span(record.contents).subspan(at(y, x, record.w, record.c), run),
                             expected.subspan(at(y, x, extents[1], extents[2]), run), width);
  return share(same * width, all);
}

double agreement(const std::set<TensorId>& a, const std::set<TensorId>& b) {
  std::size_t both = 0;
  for (const auto t : a) both += b.contains(t);
  const auto all = a.size() + b.size() - both;
  // A tensor of constants alone, and an operation that reads nothing else.
  return all == 0 ? 1 : static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace

const Cone& CandidateFinder::cone(TensorId tensor) {
  const auto found = cones_.find(tensor);
  return found != cones_.end() ? found->second : cones_.emplace(tensor, alignment_.cone(tensor)).first->second;
}

std::vector<Candidate> CandidateFinder::of(std::size_t index) {
  const auto& record = records_[index];
  const auto truths = truth(record.contents);
  std::vector<Candidate> all;
  if (record.contents.empty()) return all;
  const auto width = static_cast<std::size_t>(record.bytes);
  const auto filters = constants_.operators_of.find(index);
  for (TensorId t = 0; t < reference_.tensors.size(); ++t) {
    if (!reference_.is_computed(t) || alignment_.known(t)) continue;
    const auto& value = *reference_.tensors[t].value;
    if (size_of(value.dtype()) != width) continue;
    const auto expected = std::as_const(value).bytes();
    const auto extents = extents_of(value);
    Candidate place;
    place.tensor = t;
    place.whole = expected.size() == record.contents.size();
    if (!place.whole && alignment_.is_view(t)) continue;
    place.extents = extents == std::array{record.h, record.w, record.c};
    place.larger = record.h > extents[0] || record.w > extents[1] || record.c > extents[2];
    if (place.whole) {
      place.larger = false;
      place.contents = value.dtype() == DType::kBOOL ? truths : record.contents;
      place.similarity = share(equal_elements(place.contents, expected, width) * width, place.contents.size());
    } else if (place.larger) {
      place.similarity = equal_in_common(record, expected, extents);
    } else {
      const auto same = std::max(equal_in_rows(record, expected),
                                 equal_in_channels(record, expected, static_cast<std::size_t>(extents[2])));
      place.similarity = share(same * width, record.contents.size());
    }
    if (!place.whole && place.similarity == 0) continue;
    const auto& cone = this->cone(t);
    place.sources = agreement(cone.frontier, alignment_.sources(index));
    if (filters != constants_.operators_of.end()) {
      const auto& operators = filters->second;
      const auto inside = [&](std::size_t op) { return cone.operators.contains(op); };
      place.filters = inside(operators.front()) ? 1 : std::ranges::any_of(operators, inside) ? 0.5 : 0;
    }
    place.reads_all = !cone.frontier.empty() && std::ranges::includes(alignment_.sources(index), cone.frontier);
    place.operators = cone.operators.size();
    // Sums and products of more bits are scaled in other ways inside the NPU.
    place.only = place.reads_all && place.operators == 1 && width <= 2 && !record.operation.has_weights() &&
                 is_made_for(record.operation, reference_.operators[*cone.operators.begin()].kind);
    all.push_back(std::move(place));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Candidate::score);
  return all;
}

}  // namespace macaw::compare
