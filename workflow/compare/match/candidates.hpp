#pragma once
#include "workflow/compare/judge/constant_check.hpp"
#include "workflow/compare/match/alignment.hpp"

#include <vector>

namespace macaw::compare {

/// A tensor of the graph that an operation may have been meant to write, though it wrote other contents.
struct Candidate {
  TensorId tensor = 0;
  bool whole = true;      ///< the operation wrote as many elements as the tensor has
  double similarity = 0;  ///< share of the elements written that are right
  double sources = 0;     ///< how far the operation read what the tensor is computed from, 0 to 1
  /// 1 if it reads the filters of an operator that computes the tensor, less if another operator with the same is
  /// meant.
  double filters = 0;
  std::vector<std::byte> contents{};  ///< the tensor with what the operation wrote in its place; empty unless `whole`

  bool reads_all = false;     ///< and read nothing less
  bool extents = false;       ///< it has the tensor's height, width and depth
  std::size_t operators = 0;  ///< that compute the tensor from what was recognised
  bool larger = false;        ///< it wrote the tensor and more around it

  [[nodiscard]] double score() const {
    return 2 * filters + sources + similarity + (whole ? 0.5 : 0) + (extents ? 0.5 : 0) +
           4.0 / (4.0 + static_cast<double>(operators));
  }
  bool only = false;  ///< one operator computes it from that, and has no filters: what such an operation is for
  /// Whether nothing else can be meant, whatever was written: the operator's filters, or that it is the only one; what
  /// it reads, and its extents.
  [[nodiscard]] bool certain() const { return whole && extents && (filters == 1 || only) && sources == 1; }
  /// Whether it is more than a guess.
  [[nodiscard]] bool likely() const {
    return filters > 0 || sources >= 0.5 || similarity >= 0.5 || (reads_all && whole && extents);
  }
};

/// Finds tensors that were not recognised and may be what an operation should have written.
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
