#pragma once
#include "workflow/compare/judge/graph_constants.hpp"
#include "workflow/compare/trace/trace.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace macaw::compare {

/// A constant whose value in an NPU operation differs from the graph's.
struct ConstantDifference {
  enum class What : std::uint8_t { kWeight, kBias, kScale, kTable };
  What what{};
  std::size_t record = 0;  ///< that reads it
  std::size_t step = 0;    ///< its stream and command
  std::uint32_t command = 0, offset = 0;
  std::size_t op = 0;                     ///< in Reference::operators
  int channel = 0;                        ///< output channel of the operator; entry of a table
  std::array<int, 3> tap{};               ///< of a weight: y, x, input channel
  std::int64_t expected = 0, actual = 0;  ///< of a scale: the multipliers
  int expected_shift = 0, actual_shift = 0;
  std::size_t different = 1,
              channels = 1;  ///< number of differing values of this kind in the operation, and their channels
};

/// Number of operators of the graph that have constants of a kind, and of those whose constants were found in the
/// commands.
struct ConstantCoverage {
  std::size_t operators = 0, compared = 0;
};

struct ConstantCheck {
  std::vector<ConstantDifference> differences;  ///< in the order of the commands; the first of its kind per operation
  /// By record: the operators whose filters it reads, likeliest first; several if their filters are equal.
  std::map<std::size_t, std::vector<std::size_t>> operators_of;
  ConstantCoverage weights, biases, scales, tables;
  std::vector<std::string> not_found;  ///< operators whose weights or tables no command reads in this form
};

/// Compares the constants that operations read with those of the graph. An operation is matched to an operator if most
/// of its channels hold that operator's filters, or most of its values if no channel matches as a whole.
[[nodiscard]] ConstantCheck check_constants(const Reference& reference, const std::vector<Record>& records,
                                            const npu::Accelerator& accelerator);

/// "operator 5 (CONV2D): channel 3, tap [1, 2], input channel 7: weight 12 in the graph, -116 in the stream"
[[nodiscard]] std::string to_text(const ConstantDifference& difference, const Reference& reference);

}  // namespace macaw::compare
