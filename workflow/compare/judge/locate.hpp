#pragma once
#include <macaw/npu/artifact.hpp>

#include "workflow/compare/judge/constant_check.hpp"
#include "workflow/compare/judge/wrong_operator.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/match/match.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace macaw::compare {

struct Location {
  std::optional<WrongOperator> wrong;
  std::vector<std::string> notes = {};  ///< observations that are unusual but not differences
  bool doubtful = false;                ///< a tensor or step could not be shown to be equal
  std::vector<MatchedTensor> matched;
  std::vector<UnmatchedTensor> unmatched;  ///< computed by the graph, but not found in the commands' results
};

/// Compares the results of a run's operations with the tensors of the graph and finds the first operator, in the order
/// of the commands, whose result differs although its inputs are right. With equal outputs this requires a recognised
/// tensor, with unknown outputs a recognised tensor or constant; otherwise the commands that lead to no right tensor
/// are suspected. `skip`: tensors that are known to be written correctly.
[[nodiscard]] Location locate(const Reference& reference, const npu::Artifact& artifact,
                              const npu::Accelerator& accelerator, const Observed& observed,
                              const ConstantCheck& constants, const std::set<TensorId>& skip = {});

}  // namespace macaw::compare
