#pragma once
#include <macaw/tflite/network.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace macaw::tflite {

/// Contents of variables, by subgraph and tensor, or by one of the constants below and a number. A missing variable
/// starts as its zero point, as in TensorFlow Lite for Microcontrollers (tensorflow/tflite-micro @90b983c2b
/// tensorflow/lite/micro/micro_interpreter_graph.cc).
using State = std::map<std::pair<std::size_t, std::size_t>, Tensor>;

/// Used in place of a subgraph: the variable with that number in Network::resources.
inline constexpr std::size_t kResourceVariable = SIZE_MAX;
/// Used in place of a subgraph: whether the CALL_ONCE with that number (OperatorInfo::number) has run its subgraph, one
/// BOOL; absent: it has not.
inline constexpr std::size_t kCalledOnce = SIZE_MAX - 1;

/// Range of the sums of products, with bias, that an operator scales to its output.
struct SumRange {
  std::int64_t least = INT64_MAX, greatest = INT64_MIN;

  [[nodiscard]] bool empty() const { return greatest < least; }
};

/// The data that an observer gets for each operator of the main subgraph that has run.
struct OperatorEvent {
  std::size_t op = 0;                      ///< in the subgraph
  std::span<const Tensor* const> outputs;  ///< null: absent
  SumRange sums;                           ///< empty unless it scales integer sums of products
};

struct RunOptions {
  /// Limit of the work, so that every run ends: multiply-accumulates and elements moved, and 2^19 for each executed
  /// operator and started loop body.
  std::int64_t max_work = std::int64_t{1} << 40;
  std::int64_t max_memory = std::int64_t{4} << 30;  ///< limit of the bytes of live tensors, without constants
  bool keep_tensors = false;                        ///< return every tensor of the main subgraph
  std::function<Result<void>(const OperatorEvent&)> observer =
      {};  ///< called after each operator; an error ends the run
};

struct RunResult {
  std::vector<Tensor> outputs;                          ///< in the order of the main subgraph's outputs
  std::vector<std::pair<std::string, Tensor>> tensors;  ///< results of operators in their order, if wanted
  std::int64_t work = 0;                                ///< work in the units of RunOptions::max_work
};

/// Runs a network with the integers of TensorFlow Lite's reference kernels as TensorFlow Lite for Microcontrollers
/// builds them, with double rounding. Inputs are in the network's order; an input may have additional or fewer axes of
/// extent 1, or be flat. `state` is read and written, so that another run continues from it.
///
/// Errors: kMismatch (number, type or shape of inputs), kInvalidGraph (operands that break an operator's rules),
/// kUnsupported (an unknown operator, type or option, or a limit of the options); the place names operator, index and
/// version.
[[nodiscard]] Result<RunResult> run(const Network& network, const std::vector<Tensor>& inputs, State& state,
                                    const RunOptions& options = {});

/// Runs one operator of the main subgraph on the given operands; a null operand is the network's constant. kUnsupported
/// for operators that keep state or run subgraphs; other errors are those of run().
[[nodiscard]] Result<std::vector<Tensor>> run_operator(const Network& network, std::size_t op,
                                                       std::span<const Tensor* const> operands,
                                                       const RunOptions& options = {});

/// Names of the supported operators.
[[nodiscard]] std::vector<std::string> operator_names();

}  // namespace macaw::tflite
