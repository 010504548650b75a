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

/// Result for a tensor that the network writes, and of the operators between it and the tensors that it is
/// computed from.
struct TensorProof {
  std::string tensor;
  std::vector<std::string> operators;  ///< "operator 3 (CONV2D)", in the graph's order
  std::string kind;                    ///< of the operator that the verdict is about: "CONV2D"
  Verdict verdict{};
  std::string reason = {};    ///< empty if it is proved; of a refutation, what its inputs show
  bool candidates = false;    ///< one of `operators` is wrong; it is not known which
  std::string shown_by = {};  ///< the inputs that refute it: "seed 3"
  std::shared_ptr<const std::vector<Tensor>> inputs = {};  ///< those, in the network's order; null unless it is refuted
  std::vector<reduce::OutputFile> reproducer = {};         ///< of Options::reproduces: the operators as a network
};

struct Proof {
  std::vector<TensorProof> tensors;  ///< in the order of the commands
  std::size_t tried = 0;             ///< inputs on which network and graph were run
  std::size_t undefined = 0;         ///< inputs for which the graph has no result

  [[nodiscard]] bool refuted() const;
};

struct Options {
  unsigned runs = 10;  ///< on random inputs, to find what differs
  std::uint32_t seed = 1;
  compare::StatedRanges ranges = {};    ///< of inputs, in place of those that are found
  bool reproduces = false;              ///< fill TensorProof::reproducer where operators can stand alone
  std::function<void()> progress = {};  ///< called for each run and each operation that was judged
};

/// Shows for each tensor that a command writes that it is what the graph computes, whatever the network's inputs are,
/// given that the tensors that it is computed from are: convolutions, depthwise and fully connected layers, elementwise
/// operators of int8, sums of int32 that are scaled to int8. A tensor is refuted only by inputs on which both were run
/// and an output differs: random ones, values at the ends of the range, and those for which an operation is known to
/// give something else. What is known to differ without such inputs is not proved, with the reason.
/// kMismatch: the two do not have the same inputs or outputs. Other errors: those of compare::add_run.
[[nodiscard]] Result<Proof> prove(const tosa::Graph& graph, const npu::Artifact& artifact,
                                  const npu::Accelerator& accelerator, const Options& options);

/// Shows it for a TensorFlow Lite network in its TOSA form, which has the same integers. What operators without one
/// write is not proved; everything behind it is judged given those tensors. Errors: those of tflite::exact_part() as
/// well.
[[nodiscard]] Result<Proof> prove(const tflite::Network& network, const npu::Artifact& artifact,
                                  const npu::Accelerator& accelerator, const Options& options);

[[nodiscard]] std::string to_text(const Proof& proof);
[[nodiscard]] nlohmann::json to_json(const Proof& proof);

}  // namespace macaw::prove
