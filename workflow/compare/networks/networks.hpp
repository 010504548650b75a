#pragma once
#include <nlohmann/json.hpp>

#include "workflow/compare/program.hpp"

// Two networks before they are compiled, on the same inputs.
namespace macaw::compare {

/// A computed tensor that both networks have.
struct TensorPair {
  TensorId first = 0, second = 0;
  std::string op;  ///< of the second network: "operator 3 (CONV_2D, version 1)"
  std::string name, first_name;
  bool is_output = false;
  std::int64_t elements = 0;   ///< of one run
  std::int64_t different = 0;  ///< elements of all runs whose bytes differ
  std::vector<std::string> runs_different;
  double largest = 0;  ///< difference of two elements
  /// Index and values of the first element that differs, in the first of these runs.
  std::vector<std::int64_t> index;
  double first_value = 0, second_value = 0;
};

struct NetworkComparison {
  std::string first_file, second_file;
  std::vector<std::string> runs;
  std::vector<TensorPair> tensors;                   ///< in the execution order of the second network
  std::vector<std::string> only_first, only_second;  ///< computed tensors without a partner
  bool outputs_only = false;

  [[nodiscard]] bool counts(const TensorPair& tensor) const { return tensor.is_output || !outputs_only; }
  [[nodiscard]] bool equal() const;
};

/// Pairs outputs by their order, other tensors by name, else by the longest common sequence of operators of one kind,
/// type and shape. kMismatch unless inputs and outputs have the same types and sizes.
[[nodiscard]] Result<void> add_run(NetworkComparison& comparison, const Program& first, const Program& second,
                                   std::string run, const std::vector<Tensor>& inputs);

[[nodiscard]] std::string to_text(const NetworkComparison& comparison);
[[nodiscard]] nlohmann::json to_json(const NetworkComparison& comparison);
/// A line for each tensor that differs in a run.
[[nodiscard]] std::string failure_text(const NetworkComparison& comparison, const std::string& run);

}  // namespace macaw::compare
