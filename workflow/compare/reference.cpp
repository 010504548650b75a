#include "workflow/compare/reference.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <macaw/npy.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "workflow/compare/inputs.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {
namespace {

std::optional<std::pair<std::int64_t, std::int64_t>> bounds_of(const tosa::Block& block, const tosa::Operator& op) {
  if (op.op != tosa::Op::kCLAMP || op.outputs.empty()) return std::nullopt;
  const auto dtype = block.values[op.outputs[0]].dtype;
  const auto bound = [&](tosa::Attr attribute) -> std::optional<std::int64_t> {
    const auto bytes = op.get_bytes(attribute);
    if (bytes.size() != size_of(dtype)) return std::nullopt;
    Tensor tensor(dtype, {1});
    std::ranges::copy(bytes, tensor.bytes().begin());
    return integer_at(tensor, 0);
  };
  const auto low = bound(tosa::Attr::k_min_val), high = bound(tosa::Attr::k_max_val);
  return low && high ? std::optional(std::pair(*low, *high)) : std::nullopt;
}

}  // namespace

void mark_constants(Reference& reference) {
  for (const auto& op : reference.operators) {
    // The shape of a tensor is the same for all inputs.
    const bool constant = op.kind == "SHAPE" || (!op.inputs.empty() && std::ranges::all_of(op.inputs, [&](TensorId i) {
                            return reference.tensors[i].constant;
                          }));
    if (constant)
      for (const auto i : op.outputs) reference.tensors[i].constant = true;
  }
}

std::optional<TensorId> Reference::find(std::string_view name) const {
  if (!names_ || named_ != tensors.size()) {
    auto names = std::make_shared<Names>();
    for (TensorId i = 0; i < tensors.size(); ++i) names->emplace(tensors[i].name, i);
    names_ = std::move(names);
    named_ = tensors.size();
  }
  const auto found = names_->find(std::string(name));
  return found == names_->end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::optional<std::size_t>> Reference::producers() const {
  std::vector<std::optional<std::size_t>> all(tensors.size());
  for (std::size_t i = 0; i < operators.size(); ++i)
    for (const auto output : operators[i].outputs) all[output] = i;
  return all;
}

bool Reference::is_computed(TensorId tensor) const {
  return tensors[tensor].value && !tensors[tensor].constant && std::ranges::find(inputs, tensor) == inputs.end();
}

Result<Replacement> replacement(const Reference& reference, const Overrides& overrides) {
  Replacement replaced;
  for (std::size_t i = 0; i < reference.operators.size(); ++i) {
    const auto& outputs = reference.operators[i].outputs;
    if (std::ranges::none_of(outputs, [&](TensorId t) { return overrides.contains(t); })) continue;
    replaced.operators.insert(i);
    for (const auto t : outputs) {
      const auto found = overrides.find(t);
      if (found == overrides.end() && !reference.tensors[t].value)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("{} writes '{}' as well", reference.operators[i].text, reference.tensors[t].name));
      replaced.values.emplace_back(t, found != overrides.end() ? found->second : *reference.tensors[t].value);
    }
  }
  return replaced;
}

Result<std::vector<Tensor>> outputs_with(const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                                         const Reference& reference, const Overrides& overrides) {
  MACAW_ASSIGN(auto typed, graph_inputs(graph, inputs));
  MACAW_ASSIGN(auto replaced, replacement(reference, overrides));
  auto changed = graph;
  auto& block = changed.blocks.front();
  std::vector<tosa::Operator> operators;
  for (std::size_t i = 0; i < block.operators.size(); ++i)
    if (!replaced.operators.contains(i)) operators.push_back(std::move(block.operators[i]));
  block.operators = std::move(operators);
  for (auto& [tensor, value] : replaced.values) {
    block.values[tensor].shape = value.shape();
    block.inputs.push_back(static_cast<tosa::ValueId>(tensor));
    typed.push_back(std::move(value));
  }
  // An output is computed by an operator; one with other contents is what it was given.
  const auto outputs = std::move(block.outputs);
  block.outputs.clear();
  for (const auto output : outputs)
    if (!overrides.contains(output)) block.outputs.push_back(output);
  std::vector<Tensor> computed;
  if (!block.outputs.empty()) {
    MACAW_ASSIGN(auto result, tosa::run(changed, std::move(typed)));
    MACAW_CHECK(require_valid(result.verdict, ""));
    computed = std::move(result.outputs);
  }
  std::vector<Tensor> all;
  auto next = computed.begin();
  for (const auto output : outputs) {
    const auto given = overrides.find(output);
    all.push_back(given != overrides.end() ? given->second : std::move(*next++));
  }
  return all;
}

Result<Reference> reference_of(const tosa::Graph& graph, const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(auto typed, graph_inputs(graph, inputs));
  const auto& block = graph.main();
  Reference reference;
  reference.kind = "tosa";
  for (const auto& value : block.values)
    reference.tensors.push_back(
        {value.name, value.data != nullptr, value.data ? std::optional(*value.data) : std::nullopt, {}});
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const auto& op = block.operators[i];
    reference.operators.push_back({std::string(to_string(op.op)), tosa::describe(block, i), present(op.inputs),
                                   present(op.outputs), bounds_of(block, op)});
  }
  reference.inputs = present(block.inputs);
  reference.outputs = present(block.outputs);
  mark_constants(reference);
  for (std::size_t i = 0; i < typed.size(); ++i) reference.tensors[reference.inputs[i]].value = typed[i];
  std::unordered_map<std::string_view, TensorId> ids;
  for (TensorId i = 0; i < block.values.size(); ++i) ids.emplace(block.values[i].name, i);
  tosa::Options options;
  options.on_tensor = [&](const tosa::Value& value, const Tensor& tensor) {
    if (const auto id = ids.find(value.name); id != ids.end()) reference.tensors[id->second].value = tensor;
  };
  MACAW_ASSIGN(const auto expected, tosa::run(graph, std::move(typed), options));
  MACAW_CHECK(require_valid(expected.verdict, "graph"));
  return reference;
}

Result<Reference> reference_of(const std::filesystem::path& folder) {
  std::error_code status;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
    if (it->path().extension() == ".npy") files.push_back(it->path());
  if (status) return fail(ErrorCode::kIo, status.message(), {.file = folder.string()});
  if (files.empty()) return fail(ErrorCode::kInvalidFile, "no .npy file in the folder", {.file = folder.string()});
  std::ranges::sort(files);
  Reference reference;
  for (const auto& file : files) {
    MACAW_ASSIGN(auto tensor, read_tensor(file));
    reference.tensors.push_back({file.stem().string(), false, std::move(tensor), {}});
  }
  return reference;
}

}  // namespace macaw::compare
