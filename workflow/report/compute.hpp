#pragma once
#include <optional>
#include <string>
#include <vector>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// How a layer uses the MAC array and the output unit, from the registers of its longest operation and the costs of
/// the timing model.
struct ComputeNotes {
  std::optional<double> lanes;  ///< share of the multipliers at work while the MAC array is active; absent without MACs
  std::vector<std::string> why;     ///< where the others are lost, in words: padding, kernel, width
  std::string output;               ///< cost of an element in the output unit and its reason; empty: not known
  std::vector<std::string> change;  ///< changes of the network that lift them, in words
};
[[nodiscard]] ComputeNotes compute_notes(const npu::RunRecord& run, const Layer& layer);

/// A sentence for each of the layers with most exclusive cycles that has something to say, at most `most`.
[[nodiscard]] std::vector<std::string> compute_sentences(const npu::RunRecord& run, const Summary& summary,
                                                         std::size_t most = 5);

/// Whether a memory can make the run faster, by the changes that were simulated again; empty: none were.
[[nodiscard]] std::string memory_verdict(const npu::RunRecord& run);

/// Weights of a byte each over the bytes of their encoded streams; 0: there are none.
[[nodiscard]] double weight_ratio(const npu::WeightFigures& weights);

/// Weights decoded per cycle that the weight decoder is busy; 0: it never is.
[[nodiscard]] double decode_rate(const Layer& layer);

}  // namespace macaw::report
