#include "workflow/prove/pieces.hpp"

#include <algorithm>

namespace macaw::prove {

Pieces pieces_of(const Reference& reference, const std::vector<Record>& records) {
  Pieces pieces;
  for (const auto& match : compare::match_by_contents(reference, records)) {
    const auto& value = *reference.tensors[match.tensor].value;
    const auto depth = value.rank() == 0 ? 1 : static_cast<std::size_t>(value.shape().back());
    std::size_t first = 0;
    for (const auto r : match.records) {
      const auto& record = records[r];
      const auto channels = static_cast<std::size_t>(record.c);
      const bool slice = match.method == compare::MatchMethod::kSlices;
      pieces.emplace(r, Piece{match.tensor, first, channels, slice ? depth : channels});
      first += slice ? channels : record.contents.size() / static_cast<std::size_t>(record.bytes);
    }
  }
  // A tensor that a second operation writes with the same contents is in no match of its own.
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (pieces.contains(r) || records[r].contents.empty()) continue;
    for (TensorId t = 0; t < reference.tensors.size(); ++t) {
      if (!reference.is_computed(t)) continue;
      const auto& value = *reference.tensors[t].value;
      if (size_of(value.dtype()) != static_cast<std::size_t>(records[r].bytes)) continue;
      const auto channels = static_cast<std::size_t>(records[r].c);
      if (std::ranges::equal(value.bytes(), records[r].contents)) pieces.emplace(r, Piece{t, 0, channels, channels});
    }
  }
  return pieces;
}

}  // namespace macaw::prove
