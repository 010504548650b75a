#pragma once
#include "workflow/compare/judge/locate.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace macaw::compare {

/// How the values of a tensor were spread over all runs.
struct Exercise {
  std::int64_t lowest = 0, highest = 0;
  bool low = false, high = false;  ///< reached the lowest and highest value that its operator or type allows
  std::set<std::int64_t> entries;  ///< of the operator's table that were looked up
  std::size_t table = 0;           ///< entries that the table has; 0: none

  [[nodiscard]] bool both_signs() const { return lowest < 0 && highest > 0; }
};

/// Whether an operator's result was compared with what the NPU wrote; the best of all runs.
enum class OperatorCoverage : std::uint8_t {
  kNotFound,   ///< no data that the NPU wrote was recognised as its result
  kLeftToCpu,  ///< the network leaves it to the CPU
  kFused,      ///< fused into a later operator that was compared
  kCompared,
};

/// The tensors that were compared in all runs of a comparison.
struct Coverage {
  std::map<TensorId, std::string> compared;           ///< tensor, its name
  std::map<TensorId, Exercise> exercised;             ///< of tensors that were compared
  std::map<TensorId, UnmatchedTensor> not_compared;   ///< in no run
  std::map<std::size_t, OperatorCoverage> operators;  ///< of operators that do not compute a constant, by number

  void add(const Reference& reference, const Location& location);
  /// Operators of a kind, by number.
  [[nodiscard]] std::vector<std::size_t> operators_that_are(OperatorCoverage coverage) const;

 private:
  void add_operators(const Reference& reference, const Location& location);
};

}  // namespace macaw::compare
