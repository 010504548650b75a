#pragma once
#include <macaw/error.hpp>
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace macaw::tflite {
struct Network;
}

namespace macaw::compare {

/// Index of a tensor in Reference::tensors.
using TensorId = std::size_t;

/// A tensor of the network before compilation.
struct ReferenceTensor {
  std::string name;
  bool constant = false;                                  ///< stored in the file, or computed only from such tensors
  std::optional<Tensor> value;                            ///< null where nothing was computed
  std::shared_ptr<const Quantization> quantization = {};  ///< null: none
};

/// An intermediate value of an operator.
struct ReferenceStep {
  std::string name;
  Tensor value;
  std::vector<std::size_t> from = {};  ///< indices of the steps that it is computed from
};

struct ReferenceOperator {
  std::string kind;  ///< "CONV2D"
  std::string text;  ///< "operator 3 (CONV2D)"
  std::vector<TensorId> inputs, outputs;
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds = {};  ///< limits of its result; null: the type's
  std::vector<std::byte> table = {};                                 ///< table of its function of one byte; empty: none
  /// Steps that operations may implement one by one, the result last; one list for each known lowering.
  std::vector<std::vector<ReferenceStep>> forms = {};
};

/// Contents of tensors in place of those that their operators compute.
using Overrides = std::map<TensorId, Tensor>;

/// Reference data of a compiled network: every tensor of one run, and the operators that compute them where they are
/// known, in the graph's order.
struct Reference {
  std::vector<ReferenceTensor> tensors;
  std::vector<ReferenceOperator> operators;
  std::vector<TensorId> inputs, outputs;
  std::string kind = {};  ///< "tosa" or "tflite": how operators are numbered; empty: they are not known

  [[nodiscard]] std::optional<TensorId> find(std::string_view name) const;
  /// Whether it is computed from the inputs, by an operator or in an unknown way.
  [[nodiscard]] bool is_computed(TensorId tensor) const;
  /// The operator that writes each tensor; absent: none.
  [[nodiscard]] std::vector<std::optional<std::size_t>> producers() const;

 private:
  using Names = std::unordered_map<std::string, TensorId>;
  mutable std::shared_ptr<const Names> names_;  ///< built by the first find(), and again after tensors were added
  mutable std::size_t named_ = 0;               ///< number of tensors in `names_`
};

/// Marks tensors that are computed from constants alone; operators come before the users of their results.
void mark_constants(Reference& reference);
/// The operands that are present.
template <class Index>
[[nodiscard]] std::vector<TensorId> present(const std::vector<Index>& indices) {
  std::vector<TensorId> ids;
  for (const auto i : indices)
    if (static_cast<std::int64_t>(i) >= 0) ids.push_back(static_cast<TensorId>(i));
  return ids;
}

/// All tensors that have a replaced value, with the operators that would write them and must not run.
struct Replacement {
  std::set<std::size_t> operators;
  std::vector<std::pair<TensorId, Tensor>> values;
};
/// kUnsupported if a replaced operator also writes a tensor without a value.
[[nodiscard]] Result<Replacement> replacement(const Reference& reference, const Overrides& overrides);

/// The outputs that the interpreter computes for inputs in the graph's order if tensors have other contents.
/// `reference`: of the same inputs.
[[nodiscard]] Result<std::vector<Tensor>> outputs_with(const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                                                       const Reference& reference, const Overrides& overrides);
/// Part of macaw_compare_tflite.
[[nodiscard]] Result<std::vector<Tensor>> outputs_with(const tflite::Network& network,
                                                       const std::vector<Tensor>& inputs, const Reference& reference,
                                                       const Overrides& overrides);

/// Every tensor that the interpreter computes for inputs in the graph's order. Errors: those of a run.
[[nodiscard]] Result<Reference> reference_of(const tosa::Graph& graph, const std::vector<Tensor>& inputs);
/// Part of macaw_compare_tflite.
[[nodiscard]] Result<Reference> reference_of(const tflite::Network& network, const std::vector<Tensor>& inputs);
/// Tensors from a folder of NAME.npy files, as another program computed them; '/' in a name is '_' in the file name.
[[nodiscard]] Result<Reference> reference_of(const std::filesystem::path& folder);

}  // namespace macaw::compare
