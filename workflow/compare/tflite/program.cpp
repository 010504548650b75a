#include "workflow/compare/program.hpp"

#include <fmt/format.h>

#include <macaw/tflite/index_ranges.hpp>
#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/kernel_steps.hpp>

#include "workflow/compare/expansion.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

class NetworkKind final : public Program::Kind {
 public:
  explicit NetworkKind(const tflite::Network& network) : network_(network) {}

  [[nodiscard]] const char* word() const override { return "tflite"; }
  [[nodiscard]] std::vector<std::string> input_names() const override {
    std::vector<std::string> names;
    for (const int i : network_.main().inputs) names.push_back(tensor(i).name);
    return names;
  }
  [[nodiscard]] std::vector<InputPort> input_ports() const override { return tflite::input_ports(network_); }
  [[nodiscard]] IndexRanges index_ranges() const override { return tflite::index_ranges(network_); }
  [[nodiscard]] Result<std::vector<Tensor>> random_inputs(std::uint32_t seed,
                                                          const StatedRanges& stated) const override {
    MACAW_ASSIGN(const auto ranges, with_stated(index_ranges(), input_ports(), stated));
    npu::Artifact like;
    for (const int i : network_.main().inputs)
      like.inputs.push_back({.name = tensor(i).name,
                             .shape = tensor(i).shape,
                             .element_size = static_cast<unsigned>(size_of(tensor(i).dtype)),
                             .dtype = tensor(i).dtype});
    return compare::random_inputs(like, seed, ranges);
  }
  [[nodiscard]] Result<std::vector<Tensor>> typed_inputs(const std::vector<Tensor>& inputs) const override {
    return inputs;
  }
  [[nodiscard]] bool shares_names() const override { return true; }
  [[nodiscard]] Result<Reference> reference(const std::vector<Tensor>& inputs) const override {
    return reference_of(network_, inputs);
  }
  [[nodiscard]] Result<std::vector<Tensor>> outputs_with(const std::vector<Tensor>& inputs, const Reference& reference,
                                                         const Overrides& overrides) const override {
    return compare::outputs_with(network_, inputs, reference, overrides);
  }
  [[nodiscard]] Result<std::shared_ptr<const Expansion>> expand(const std::vector<Tensor>& inputs,
                                                                const Reference& reference) const override {
    MACAW_ASSIGN(auto expansion, compare::expand(network_, inputs, reference));
    return std::make_shared<const Expansion>(std::move(expansion));
  }

 private:
  [[nodiscard]] const tflite::TensorInfo& tensor(int index) const {
    return network_.main().tensors[static_cast<std::size_t>(index)];
  }

  const tflite::Network& network_;
};

/// Intermediate values of the kernel that compilers use.
void add_inside(ReferenceOperator& reference, const tflite::Network& network, const tflite::OperatorInfo& op,
                const std::vector<ReferenceTensor>& tensors) {
  reference.table = tflite::kernel_table(network, op);
  if (reference.inputs.size() != 1 || reference.outputs.size() != 1) return;
  const auto &in = tensors[reference.inputs[0]].value, &out = tensors[reference.outputs[0]].value;
  if (!in || !out) return;
  for (auto& steps : tflite::kernel_steps(network, op, *in, *out)) {
    auto& form = reference.forms.emplace_back();
    for (auto& step : steps) form.push_back({std::move(step.name), std::move(step.value), std::move(step.from)});
  }
}

}  // namespace

Result<Reference> reference_of(const tflite::Network& network, const std::vector<Tensor>& inputs) {
  tflite::State fresh;
  MACAW_ASSIGN(auto result, tflite::run(network, inputs, fresh, {.keep_tensors = true}));
  const auto& main = network.main();
  Reference reference;
  reference.kind = "tflite";
  for (const auto& info : main.tensors)
    reference.tensors.push_back({info.name.empty() ? fmt::format("tensor {}", reference.tensors.size()) : info.name,
                                 info.constant != nullptr, info.constant ? std::optional(*info.constant) : std::nullopt,
                                 info.quantization});
  reference.inputs = present(main.inputs);
  reference.outputs = present(main.outputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) reference.tensors[reference.inputs[i]].value = inputs[i];
  auto computed = result.tensors.begin();
  for (std::size_t i = 0; i < main.operators.size(); ++i) {
    const auto& op = main.operators[i];
    reference.operators.push_back({op.name, op.place(i), present(op.inputs), present(op.outputs), {}});
    for (const auto output : reference.operators.back().outputs)
      if (computed != result.tensors.end()) reference.tensors[output].value = std::move((computed++)->second);
    add_inside(reference.operators.back(), network, op, reference.tensors);
  }
  mark_constants(reference);
  return reference;
}

Result<std::vector<Tensor>> outputs_with(const tflite::Network& network, const std::vector<Tensor>& inputs,
                                         const Reference& reference, const Overrides& overrides) {
  MACAW_ASSIGN(auto replaced, replacement(reference, overrides));
  auto changed = network;
  auto& main = changed.subgraphs.front();
  std::vector<tflite::OperatorInfo> operators;
  for (std::size_t i = 0; i < main.operators.size(); ++i)
    if (!replaced.operators.contains(i)) operators.push_back(std::move(main.operators[i]));
  main.operators = std::move(operators);
  auto values = inputs;
  for (auto& [tensor, value] : replaced.values) {
    main.inputs.push_back(static_cast<int>(tensor));
    values.push_back(std::move(value));
  }
  tflite::State fresh;
  MACAW_ASSIGN(auto result, tflite::run(changed, values, fresh));
  return std::move(result.outputs);
}

Program::Program(const tflite::Network& network) : kind_(std::make_shared<NetworkKind>(network)) {}

}  // namespace macaw::compare
