#pragma once
#include "workflow/compare/judge/constant_check.hpp"
#include "workflow/compare/match/alignment.hpp"

#include <vector>

namespace macaw::compare {

/// A tensor of the graph that an operation may have been meant to write, although the contents differ.
struct Candidate {
  TensorId tensor = 0;
  bool whole = true;      ///< the operation wrote as many elements as the tensor has
  double similarity = 0;  ///< share of the written elements that are right
  double sources = 0;     ///< to what extent the operation reads the tensors that it is computed from, 0 to 1
  /// 1 if the operation reads the filters of an operator that computes the tensor, less if another operator has the
  /// same filters.
  double filters = 0;
  std::vector<std::byte> contents{};  ///< the tensor with the written elements; empty unless `whole`

  bool reads_all = false;     ///< and reads all of them
  bool extents = false;       ///< the extents match height, width and depth of the tensor
  std::size_t operators = 0;  ///< operators that compute the tensor from recognised ones
  bool larger = false;        ///< the operation wrote the tensor and elements around it

  [[nodiscard]] double score() const {
    return 2 * filters + sources + similarity + (whole ? 0.5 : 0) + (extents ? 0.5 : 0) +
           4.0 / (4.0 + static_cast<double>(operators));
  }
  bool only = false;  ///< a single operator without filters computes it from what was recognised, which is what this
                      ///< kind of operation does
  /// Whether nothing else can be meant, whatever was written: by the operator's filters or because it is the only
  /// candidate, by what the operation reads and by its extents.
  [[nodiscard]] bool certain() const { return whole && extents && (filters == 1 || only) && sources == 1; }
  /// Whether the candidate is more than a guess.
  [[nodiscard]] bool likely() const {
    return filters > 0 || sources >= 0.5 || similarity >= 0.5 || (reads_all && whole && extents);
  }
};

/// Finds unrecognised tensors that an operation may have been meant to write.
class CandidateFinder {
 public:
  CandidateFinder(const Reference& reference, const Alignment& alignment, const ConstantCheck& constants,
                  const std::vector<Record>& records)
      : reference_(reference), alignment_(alignment), constants_(constants), records_(records) {}

  /// Best first.
  [[nodiscard]] std::vector<Candidate> of(std::size_t record);
  [[nodiscard]] const Cone& cone(TensorId tensor);

 private:
  const Reference& reference_;
  const Alignment& alignment_;
  const ConstantCheck& constants_;
  const std::vector<Record>& records_;
  std::map<TensorId, Cone> cones_;
};

}  // namespace macaw::compare
