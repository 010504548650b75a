#pragma once
#include <macaw/tflite/network.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace macaw::tflite {

/// Contents of variables, by subgraph and tensor, or by one of the constants below and a number. One that is missing
/// starts as its zero point, as in TensorFlow Lite for Microcontrollers (tensorflow/tflite-micro @90b983c2b
/// tensorflow/lite/micro/micro_interpreter_graph.cc).
using State = std::map<std::pair<std::size_t, std::size_t>, Tensor>;

/// In place of a subgraph: the variable with that number in Network::resources.
inline constexpr std::size_t kResourceVariable = SIZE_MAX;
/// In place of a subgraph: the CALL_ONCE with that number (OperatorInfo::number) has run its subgraph. The tensor is
/// one BOOL.
inline constexpr std::size_t kCalledOnce = SIZE_MAX - 1;

/// Least and greatest sum of products with its bias that an operator scales to its output.
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
  /// So that every run ends: multiply-accumulates and elements moved, and 2^19 for an operator executed or a body of a
  /// loop begun.
  std::int64_t max_work = std::int64_t{1} << 40;
  std::int64_t max_memory = std::int64_t{4} << 30;  ///< bytes of tensors that are alive at a time, constants apart
  bool keep_tensors = false;                        ///< every tensor of the main subgraph is wanted
  std::function<Result<void>(const OperatorEvent&)> observer = {};  ///< called after each; an error ends the run
};

struct RunResult {
  std::vector<Tensor> outputs;                          ///< in the order of the main subgraph's outputs
  std::vector<std::pair<std::string, Tensor>> tensors;  ///< what operators wrote, in their order, if it was wanted
  std::int64_t work = 0;                                ///< as RunOptions::max_work counts it
};

/// Runs a network with the integers of TensorFlow Lite's reference kernels as TensorFlow Lite for Microcontrollers
/// builds them, with double rounding. Inputs come in the network's order; an input may have axes of extent 1 more or
/// less than the network says, or be flat. `state` is read and written: a second run goes on from the first.
///
/// Errors: kMismatch (number, type or shape of inputs), kInvalidGraph (operands that break an operator's rules),
/// kUnsupported (an operator, type or option that is not there, or a limit of the options); the place names operator,
/// index and version.
[[nodiscard]] Result<RunResult> run(const Network& network, const std::vector<Tensor>& inputs, State& state,
                                    const RunOptions& options = {});

/// Runs one operator of the main subgraph on operands in place of what run() computes; constants are those of the
/// network where the operand is null. kUnsupported for operators that keep state or run subgraphs; other errors are
/// those of run().
[[nodiscard]] Result<std::vector<Tensor>> run_operator(const Network& network, std::size_t op,
                                                       std::span<const Tensor* const> operands,
                                                       const RunOptions& options = {});

/// Names of the operators that the interpreter has.
[[nodiscard]] std::vector<std::string> operator_names();

}  // namespace macaw::tflite
