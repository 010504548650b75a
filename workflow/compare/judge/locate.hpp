#pragma once
#include <macaw/npu/artifact.hpp>

#include "workflow/compare/judge/constant_check.hpp"
#include "workflow/compare/judge/wrong_operator.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/match/match.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace macaw::compare {

struct Location {
  std::optional<WrongOperator> wrong;
  std::vector<MatchedTensor> matched;
  std::vector<UnmatchedTensor> unmatched;  ///< computed by the graph, not found in what the commands wrote
};

/// Lays what the operations of a run wrote beside the tensors of the graph and looks for the first operator, in the
/// order of the commands, whose result differs although what it reads is right. With equal outputs, or where
/// they are not known, that takes a tensor or constant that is recognised; else the commands that lead to no right
/// tensor are suspected.
[[nodiscard]] Location locate(const Reference& reference, const npu::Artifact& artifact,
                              const npu::Accelerator& accelerator, const Observed& observed,
                              const ConstantCheck& constants);

}  // namespace macaw::compare
