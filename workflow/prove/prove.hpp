#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/compare/inputs.hpp"
#include "workflow/reduce/reproducer.hpp"

namespace macaw::prove {

enum class Verdict : std::uint8_t { kProved, kRefuted, kNotProved };
[[nodiscard]] const char* to_string(Verdict verdict);

/// Verdict on a tensor that the network writes, and on the operators between it and the tensors that it is computed
/// from.
struct TensorProof {
  std::string tensor;
  std::vector<std::string> operators;  ///< "operator 3 (CONV2D)", in the graph's order
  std::string kind;                    ///< of the operator that the verdict is about: "CONV2D"
  Verdict verdict{};
  std::string reason = {};    ///< empty if proved; for a refutation, what the inputs show
  bool candidates = false;    ///< one of `operators` is wrong; which one is unknown
  std::string shown_by = {};  ///< the inputs that refute it: "seed 3"
  std::shared_ptr<const std::vector<Tensor>> inputs =
      {};                                           ///< counterexample in the network's order; null unless refuted
  std::vector<reduce::OutputFile> reproducer = {};  ///< the operators as a network, if Options::reproduces
};

struct Proof {
  std::vector<TensorProof> tensors;  ///< in the order of the commands
  std::size_t tried = 0;             ///< inputs on which network and graph were run
  std::size_t undefined = 0;         ///< inputs for which the graph has no defined result

  [[nodiscard]] bool refuted() const;
};

struct Options {
  unsigned runs = 10;  ///< number of random inputs for finding differences
  std::uint32_t seed = 1;
  compare::StatedRanges ranges = {};    ///< of inputs, replacing the derived ones
  bool reproduces = false;              ///< fill TensorProof::reproducer if operators can run alone
  std::function<void()> progress = {};  ///< called for each run and each judged operation
};

/// For each tensor that a command writes, proves that it equals the graph's for all inputs of the network, provided
/// that the tensors that it is computed from do: convolutions, depthwise and fully connected layers, elementwise
/// operators of int8, sums of int32 that are scaled to int8. A tensor is refuted only by inputs on which both were run
/// and an output differs: random ones, values at the ends of the range, and those for which an operation is known to
/// give a different result. Known differences without such inputs are "not proved", with the reason. kMismatch: inputs
/// or outputs do not match. Other errors: those of compare::add_run().
[[nodiscard]] Result<Proof> prove(const tosa::Graph& graph, const npu::Artifact& artifact,
                                  const npu::Accelerator& accelerator, const Options& options);

/// The same for a TensorFlow Lite network through its TOSA form, which has the same integers. Results of operators
/// without a TOSA form are not proved; operators after them are judged given those tensors. Errors: also those of
/// tflite::exact_part().
[[nodiscard]] Result<Proof> prove(const tflite::Network& network, const npu::Artifact& artifact,
                                  const npu::Accelerator& accelerator, const Options& options);

[[nodiscard]] std::string to_text(const Proof& proof);
[[nodiscard]] nlohmann::json to_json(const Proof& proof);

}  // namespace macaw::prove
