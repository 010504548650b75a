#include "workflow/accuracy/set_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <macaw/quantised_values.hpp>
#include <macaw/tflite/interpreter.hpp>

#include "workflow/accuracy/groups.hpp"

namespace macaw::accuracy {
namespace {

bool is_scaled(const tflite::TensorInfo& tensor) {
  return tensor.quantization && !tensor.quantization->scale.empty() && tensor.dtype != DType::kFP32;
}

bool keeps_scale(const tflite::Subgraph& graph, const tflite::OperatorInfo& op, const tflite::TensorInfo& output) {
  if (op.inputs.empty() || op.inputs[0] < 0) return false;
  const auto &from = graph.tensors[at(op.inputs[0])].quantization, &to = output.quantization;
  return from && to && from->scale == to->scale && from->zero_point == to->zero_point;
}

}  // namespace

/// The tensors of a quantised run, and what they stand for, which is computed once for each.
class SetRunner::Values {
 public:
  explicit Values(const tflite::Subgraph& graph)
      : graph_(graph), stored_(graph.tensors.size()), real_(stored_.size()), sums_(graph.operators.size()) {}

  void set(std::size_t tensor, Tensor value) { stored_[tensor] = std::move(value); }
  void set_sums(std::size_t op, tflite::SumRange range) { sums_[op] = range; }
  [[nodiscard]] tflite::SumRange sums(std::size_t op) const { return sums_[op]; }

  [[nodiscard]] const Tensor* stored(std::size_t tensor) const {
    if (stored_[tensor]) return &*stored_[tensor];
    return graph_.tensors[tensor].constant.get();
  }

  /// As FP32; a tensor without a scale as it is. Null: not computed in this run.
  [[nodiscard]] Result<const Tensor*> real(std::size_t tensor) {
    const Tensor* value = stored(tensor);
    const auto& info = graph_.tensors[tensor];
    if (!value || !is_scaled(info)) return value;
    if (!real_[tensor]) {
      MACAW_ASSIGN(real_[tensor], dequantised(*value, *info.quantization));
    }
    return &*real_[tensor];
  }

  /// By tensor, what the network stores; constants apart.
  [[nodiscard]] std::vector<const Tensor*> all() const {
    std::vector<const Tensor*> list;
    for (const auto& value : stored_) list.push_back(value ? &*value : nullptr);
    return list;
  }

 private:
  const tflite::Subgraph& graph_;
  std::vector<std::optional<Tensor>> stored_, real_;
  std::vector<tflite::SumRange> sums_;
};

void Sums::merge(const Sums& other) {
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].merge(other.layers[i]);
  for (std::size_t a = 0; a < npu.size(); ++a) {
    for (std::size_t i = 0; i < npu[a].size(); ++i) npu[a][i] += other.npu[a][i];
    npu_outputs[a] += other.npu_outputs[a];
  }
  classes.merge(other.classes);
  for (std::size_t i = 0; i < not_alone.size(); ++i)
    if (not_alone[i].empty()) not_alone[i] = other.not_alone[i];
}

void SetRunner::find_layers() {
  const auto &graph = request_.quantised->main(), &reference = request_.reference->main();
  for (std::size_t i = 0; i < graph.operators.size(); ++i)
    for (const int output : graph.operators[i].outputs) {
      if (output < 0) continue;
      const auto& info = graph.tensors[at(output)];
      const auto partner = request_.pairing.tensor[at(output)];
      if (!partner || reference.tensors[*partner].dtype != DType::kFP32) continue;
      if (!is_scaled(info) && info.dtype != DType::kFP32) continue;
      layers_of_.emplace(*partner, layers_.size());
      layers_.push_back({.op = i,
                         .tensor = at(output),
                         .reference = *partner,
                         .kind = graph.operators[i].name,
                         .name = info.name,
                         .reference_name = reference.tensors[*partner].name,
                         .shape = info.shape,
                         .dtype = info.dtype,
                         .keeps_scale = keeps_scale(graph, graph.operators[i], info),
                         .sums = TensorSums(info.shape, step_of(info.dtype, info.quantization.get())),
                         .filter = {},
                         .not_alone = {}});
    }
}

void SetRunner::find_classes() {
  const auto &graph = request_.quantised->main(), &reference = request_.reference->main();
  if (graph.outputs.empty() || reference.outputs.empty()) return;
  const auto &here = graph.tensors[at(graph.outputs[0])], &there = reference.tensors[at(reference.outputs[0])];
  const auto count = element_count(here.shape).value_or(0);
  if (count < 2 || here.shape.empty() || here.shape.back() != count || there.dtype != DType::kFP32) return;
  if (element_count(there.shape).value_or(0) != count || (!is_scaled(here) && here.dtype != DType::kFP32)) return;
  classes_ = static_cast<std::size_t>(count);
}

Result<SetRunner> SetRunner::create(const Request& request) {
  SetRunner runner(request);
  runner.find_layers();
  runner.find_classes();
  if (request.labels && runner.classes_ == 0)
    return fail(ErrorCode::kMismatch, "labels, but the first output is not a list of one score for each class",
                {.file = request.quantised->file});
  if (request.artifacts.empty()) return runner;
  MACAW_ASSIGN(const auto given, request.inputs(0));
  MACAW_ASSIGN(const auto first, runner.quantised_inputs(given));
  for (const auto& artifact : request.artifacts) {
    MACAW_ASSIGN(auto npu, NpuNetwork::create(artifact, request.accelerator, *request.quantised, first));
    runner.npus_.push_back(std::move(npu));
  }
  return runner;
}

Sums SetRunner::empty_sums() const {
  Sums sums;
  for (const auto& layer : layers_) sums.layers.push_back(layer.sums);
  sums.npu.assign(npus_.size(), std::vector<std::int64_t>(layers_.size()));
  sums.npu_outputs.resize(npus_.size());
  sums.not_alone.resize(layers_.size());
  return sums;
}

Result<std::vector<Tensor>> SetRunner::quantised_inputs(const std::vector<Tensor>& given) const {
  const auto& graph = request_.quantised->main();
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < given.size() && i < graph.inputs.size(); ++i) {
    const auto& info = graph.tensors[at(graph.inputs[i])];
    if (given[i].dtype() == DType::kFP32 && is_scaled(info)) {
      MACAW_ASSIGN(auto tensor, quantised(given[i], *info.quantization, info.dtype));
      inputs.push_back(std::move(tensor));
    } else {
      inputs.push_back(given[i]);
    }
  }
  return inputs;
}

Result<std::vector<Tensor>> SetRunner::reference_inputs(const std::vector<Tensor>& given,
                                                        const std::vector<Tensor>& stored) const {
  const auto &graph = request_.quantised->main(), &reference = request_.reference->main();
  std::vector<Tensor> inputs;
  for (const int input : reference.inputs) {
    std::optional<Tensor> value;
    for (std::size_t i = 0; i < graph.inputs.size() && i < given.size(); ++i) {
      if (request_.pairing.tensor[at(graph.inputs[i])] != at(input)) continue;
      const auto& info = graph.tensors[at(graph.inputs[i])];
      if (given[i].dtype() == DType::kFP32 || !is_scaled(info)) {
        value = given[i];
      } else {
        MACAW_ASSIGN(value, dequantised(stored[i], *info.quantization));
      }
    }
    if (!value)
      return fail(ErrorCode::kMismatch,
                  fmt::format("input '{}' does not belong to an input of {}", reference.tensors[at(input)].name,
                              request_.quantised->file),
                  {.file = request_.reference->file});
    inputs.push_back(*std::move(value));
  }
  return inputs;
}

Result<std::vector<Tensor>> SetRunner::run_alone(std::size_t op, Values& values) const {
  const auto &graph = request_.quantised->main(), &reference = request_.reference->main();
  const auto& here = graph.operators[op];
  if (is_conversion(here)) {
    MACAW_ASSIGN(const Tensor* value, values.real(at(here.inputs[0])));
    if (!value) return fail(ErrorCode::kUnsupported, "its operand is not known");
    return std::vector{*value};
  }
  const auto partner = request_.pairing.op[op];
  if (!partner || reference.operators[*partner].name != here.name ||
      reference.operators[*partner].inputs.size() != here.inputs.size())
    return fail(ErrorCode::kUnsupported, "the float network has no operator of this kind in its place");
  const auto& there = reference.operators[*partner];
  std::vector<Tensor> reshaped;
  reshaped.reserve(here.inputs.size());
  std::vector<const Tensor*> operands(here.inputs.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (there.inputs[i] < 0 || here.inputs[i] < 0) continue;
    const auto& info = reference.tensors[at(there.inputs[i])];
    if (info.constant) continue;
    MACAW_ASSIGN(operands[i], values.real(at(here.inputs[i])));
    if (!operands[i] || operands[i]->dtype() != info.dtype ||
        operands[i]->size() != element_count(info.shape).value_or(-1))
      return fail(ErrorCode::kUnsupported, fmt::format("operand {} is not that of the float operator", i));
    if (operands[i]->shape() == info.shape) continue;
    reshaped.push_back(*operands[i]);
    reshaped.back().reshape(info.shape);
    operands[i] = &reshaped.back();
  }
  return tflite::run_operator(*request_.reference, *partner, operands);
}

Result<void> SetRunner::add_layer(std::size_t index, const Tensor& reference, Values& values, Sums& sums) const {
  const auto& layer = layers_[index];
  MACAW_ASSIGN(const Tensor* value, values.real(layer.tensor));
  if (!value || value->size() != reference.size()) return {};
  const auto& outputs = request_.quantised->main().operators[layer.op].outputs;
  const auto position =
      static_cast<std::size_t>(std::ranges::find(outputs, static_cast<int>(layer.tensor)) - outputs.begin());
  auto alone = run_alone(layer.op, values);
  const Tensor* ideal = nullptr;
  if (!alone) sums.not_alone[index] = alone.error().message;
  else if (position >= alone->size() || (*alone)[position].size() != value->size())
    sums.not_alone[index] = "the float operator's result has another size";
  else ideal = &(*alone)[position];
  sums.layers[index].add(reference, ideal, *value, values.stored(layer.tensor));
  const auto range = values.sums(layer.op);
  if (range.empty()) return {};
  sums.layers[index].sums.least = std::min(sums.layers[index].sums.least, range.least);
  sums.layers[index].sums.greatest = std::max(sums.layers[index].sums.greatest, range.greatest);
  return {};
}

Result<void> SetRunner::compare_npus(const std::vector<Tensor>& inputs, Values& values, Sums& sums) const {
  const auto all = values.all();
  for (std::size_t a = 0; a < npus_.size(); ++a) {
    MACAW_ASSIGN(const auto differences, npus_[a].run(inputs, all));
    sums.npu_outputs[a] += !differences.outputs_equal;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      sums.npu[a][i] += std::ranges::find(differences.tensors, layers_[i].tensor) != differences.tensors.end();
  }
  return {};
}

Result<void> SetRunner::run(std::size_t set, Sums& sums) const {
  const auto &graph = request_.quantised->main(), &reference = request_.reference->main();
  if (request_.labels &&
      ((*request_.labels)[set] < 0 || (*request_.labels)[set] >= static_cast<std::int64_t>(classes_)))
    return fail(ErrorCode::kMismatch, fmt::format("label {} is none of {} classes", (*request_.labels)[set], classes_));
  MACAW_ASSIGN(const auto given, request_.inputs(set));
  MACAW_ASSIGN(const auto inputs, quantised_inputs(given));
  MACAW_ASSIGN(auto float_inputs, reference_inputs(given, inputs));
  Values values(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) values.set(at(graph.inputs[i]), inputs[i]);
  tflite::RunOptions options;
  options.observer = [&](const tflite::OperatorEvent& event) -> Result<void> {
    for (std::size_t i = 0; i < event.outputs.size(); ++i)
      if (event.outputs[i]) values.set(at(graph.operators[event.op].outputs[i]), *event.outputs[i]);
    values.set_sums(event.op, event.sums);
    return {};
  };
  tflite::State state;
  MACAW_ASSIGN(const auto quantised_run, tflite::run(*request_.quantised, inputs, state, options));
  MACAW_CHECK(compare_npus(inputs, values, sums));

  const auto add_layers = [&](std::size_t tensor, const Tensor& value) -> Result<void> {
    for (auto [it, end] = layers_of_.equal_range(tensor); it != end; ++it)
      MACAW_CHECK(add_layer(it->second, value, values, sums));
    return {};
  };
  for (std::size_t i = 0; i < float_inputs.size(); ++i)
    MACAW_CHECK(add_layers(at(reference.inputs[i]), float_inputs[i]));
  options.observer = [&](const tflite::OperatorEvent& event) -> Result<void> {
    for (std::size_t i = 0; i < event.outputs.size(); ++i)
      if (event.outputs[i]) MACAW_CHECK(add_layers(at(reference.operators[event.op].outputs[i]), *event.outputs[i]));
    return {};
  };
  tflite::State float_state;
  auto float_run = tflite::run(*request_.reference, float_inputs, float_state, options);
  if (!float_run) {
    float_run.error().message = "in float arithmetic: " + float_run.error().message;
    return tl::unexpected(float_run.error());
  }
  if (classes_ > 0) {
    MACAW_ASSIGN(const Tensor* scores, values.real(at(graph.outputs[0])));
    if (scores)
      count_classes(set, std::as_const(float_run->outputs[0]).data<float>(), scores->data<float>(),
                    request_.labels ? std::optional((*request_.labels)[set]) : std::nullopt, sums.classes);
  }
  return {};
}

}  // namespace macaw::accuracy
