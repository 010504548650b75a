#pragma once
#include "workflow/compare/match/alignment.hpp"

#include <vector>

namespace macaw::compare {

/// Operations that may be at fault if one does not read the tensors that its result is computed from: those that wrote
/// them elsewhere, those that overwrote them, and the reader itself, in the order of the commands. Empty if it reads
/// all of them where they were written; a single one if the others are known to be right.
[[nodiscard]] std::vector<std::size_t> find_misread_operations(const Alignment& alignment,
                                                               const std::vector<Record>& records, std::size_t reader,
                                                               const Cone& cone);

/// Whether a record reads the elements of another in the order in which they were written; true if it reads none of
/// them.
[[nodiscard]] bool reads_in_order(const Record& writer, const Record& reader);

}  // namespace macaw::compare
