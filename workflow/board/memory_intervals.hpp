#pragma once
#include "workflow/board/memory_descent.hpp"
#include "workflow/board/memory_fit.hpp"

namespace macaw::board {

/// The fields of `part` with intervals from the slopes around `best` and from other points that the runs allow as well:
/// with other limits, which are whole numbers, or with a field moved and all else found anew. If one of these points is
/// better, it takes the place of `best`.
///
/// Errors: those of the runs.
[[nodiscard]] Result<std::vector<FittedField>> judge(MemoryErrors& errors, const Part& part, Point& best,
                                                     const std::vector<calibrate::Cell>& cells);

}  // namespace macaw::board
