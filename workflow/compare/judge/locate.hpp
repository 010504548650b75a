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
  std::vector<std::string> notes = {};  ///< what is unusual, but is not a difference
  bool doubtful = false;                ///< a tensor or step is not known to be equal
  std::vector<MatchedTensor> matched;
  std::vector<UnmatchedTensor> unmatched;  ///< computed by the graph, not found in what the commands wrote
};

/// Lays what the operations of a run wrote beside the tensors of the graph and looks for the first operator, in the
/// order of the commands, whose result differs although what it reads is right. With equal outputs that takes a tensor
/// that is recognised, and where they are not known, a tensor or constant; else the commands that lead to no right
/// tensor are suspected. `skip`: tensors that are written rightly, or as something else.
[[nodiscard]] Location locate(const Reference& reference, const npu::Artifact& artifact,
                              const npu::Accelerator& accelerator, const Observed& observed,
                              const ConstantCheck& constants, const std::set<TensorId>& skip = {});

}  // namespace macaw::compare
