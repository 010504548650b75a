#pragma once
#include "workflow/board/memory_descent.hpp"
#include "workflow/board/memory_fit.hpp"

namespace macaw::board {

/// The fields of `part` with intervals, from the slopes around `best` and from other points that fit the runs as well:
/// with other integer limits, or with one field moved and the rest fitted again. A better point replaces `best`.
///
/// Errors: those of the runs.
[[nodiscard]] Result<std::vector<FittedField>> judge(MemoryErrors& errors, const Part& part, Point& best,
                                                     const std::vector<calibrate::Cell>& cells);

}  // namespace macaw::board
