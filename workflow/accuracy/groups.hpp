#pragma once
#include <functional>

#include "workflow/accuracy/set_run.hpp"

namespace macaw::accuracy {

/// Sets of inputs whose sums are added up by several threads.
struct SetLoop {
  std::size_t sets = 0;
  int threads = 1;
  std::function<Sums()> empty;                          ///< sums of no set
  std::function<Result<void>(std::size_t, Sums&)> run;  ///< adds one set; called by several threads
  std::function<void()> done = {};                      ///< called after each set by any thread
};

/// Adds the sums of all sets in their order, in groups of a fixed size, so that the result does not depend on the
/// number of threads. If sets fail, the error of the first one is returned.
[[nodiscard]] Result<Sums> sum_sets(const SetLoop& loop);

/// Adds the predicted classes of a set to the counts, from the scores of the reference and of the quantised network.
void count_classes(std::size_t set, std::span<const float> reference, std::span<const float> quantised,
                   std::optional<std::int64_t> label, ClassCounts& counts);

}  // namespace macaw::accuracy
