#include "workflow/accuracy/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <macaw/quantised_values.hpp>
#include "workflow/accuracy/groups.hpp"
#include "workflow/accuracy/set_run.hpp"

namespace macaw::accuracy {
namespace {

template <class T>
FilterFacts facts_of(const Tensor& filter, const Tensor& reference, const Quantization& quantization,
                     std::size_t axis) {
  FilterFacts facts{.scales = quantization.scale.size()};
  const auto [least, greatest] = std::ranges::minmax(quantization.scale);
  facts.scale_ratio = least > 0 ? double{greatest} / double{least} : 1;
  const auto values = filter.data<T>();
  facts.codes_used = static_cast<std::int64_t>(std::set<T>(values.begin(), values.end()).size());
  const auto weights = reference.data<float>();
  const auto& shape = reference.shape();
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  std::vector<float> magnitude(static_cast<std::size_t>(shape[axis]));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto& largest = magnitude[i / inner % magnitude.size()];
    largest = std::max(largest, std::abs(weights[i]));
  }
  std::erase(magnitude, 0.0F);
  if (magnitude.empty()) return facts;
  const auto [narrow, wide] = std::ranges::minmax(magnitude);
  facts.range_ratio = double{wide} / double{narrow};
  return facts;
}

/// The filter is the second operand of every operator that has one.
std::optional<FilterFacts> filter_of(const Request& request, const Layer& layer) {
  static constexpr std::array<std::string_view, 4> kKinds{"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",
                                                          "TRANSPOSE_CONV"};
  if (std::ranges::find(kKinds, layer.kind) == kKinds.end()) return std::nullopt;
  const auto& graph = request.quantised->main();
  const auto& op = graph.operators[layer.op];
  if (op.inputs.size() < 2 || op.inputs[1] < 0) return std::nullopt;
  const auto& info = graph.tensors[static_cast<std::size_t>(op.inputs[1])];
  if (!info.constant || !info.quantization || info.quantization->scale.empty() || info.constant->size() == 0)
    return std::nullopt;
  const std::size_t axis = layer.kind == "DEPTHWISE_CONV_2D" ? info.shape.size() - 1 : 0;
  auto weights = dequantised(*info.constant, *info.quantization);
  if (const auto partner = request.pairing.op[layer.op]) {
    const auto& reference = request.reference->main();
    const auto& other = reference.operators[*partner];
    if (other.name == op.name && other.inputs.size() > 1 && other.inputs[1] >= 0) {
      const auto& constant = reference.tensors[static_cast<std::size_t>(other.inputs[1])].constant;
      if (constant && constant->dtype() == DType::kFP32 && constant->shape() == info.shape) weights = *constant;
    }
  }
  if (!weights) return std::nullopt;
  switch (info.dtype) {
    case DType::kINT4:
    case DType::kINT8: {
      auto facts = facts_of<std::int8_t>(*info.constant, *weights, *info.quantization, axis);
      if (info.dtype == DType::kINT4) facts.bits = 4;
      return facts;
    }
    case DType::kUINT8: return facts_of<std::uint8_t>(*info.constant, *weights, *info.quantization, axis);
    default: return std::nullopt;
  }
}

std::vector<std::string> names_of(const tflite::Network& network, const std::vector<std::size_t>& tensors) {
  std::vector<std::string> names;
  for (const auto i : tensors) {
    const auto& name = network.main().tensors[i].name;
    names.push_back(name.empty() ? fmt::format("tensor {}", i) : name);
  }
  return names;
}

}  // namespace

void ClassCounts::merge(const ClassCounts& other) {
  classes = std::max(classes, other.classes);
  has_labels |= other.has_labels;
  sets += other.sets;
  agree += other.agree;
  top1 += other.top1;
  top5 += other.top5;
  top1_reference += other.top1_reference;
  top5_reference += other.top5_reference;
  for (const auto& [cell, count] : other.confusion) confusion[cell] += count;
  for (const auto& [cell, count] : other.confusion_reference) confusion_reference[cell] += count;
  for (const auto& flip : other.flips)
    if (flips.size() < kMostFlips) flips.push_back(flip);
}

Result<Accuracy> measure(Request request) {
  MACAW_ASSIGN(auto runner, SetRunner::create(request));
  if (runner.layers().empty())
    return fail(ErrorCode::kMismatch, "the networks have no computed tensor in common, neither by name nor by place",
                {.file = request.quantised->file});
  MACAW_ASSIGN(auto sums, sum_sets({.sets = request.sets,
                                    .threads = request.threads,
                                    .empty = [&] { return runner.empty_sums(); },
                                    .run = [&](std::size_t set, Sums& into) { return runner.run(set, into); },
                                    .done = request.done}));
  Accuracy accuracy{.reference_file = request.reference->file,
                    .quantised_file = request.quantised->file,
                    .sets = request.sets,
                    .layers = runner.layers(),
                    .only_float = names_of(*request.reference, request.pairing.only_float),
                    .only_quantised = names_of(*request.quantised, request.pairing.only_quantised),
                    .fitted_scales = false,
                    .classes = {},
                    .npus = {},
                    .outputs = {},
                    .advice = {}};
  for (std::size_t i = 0; i < accuracy.layers.size(); ++i) {
    auto& layer = accuracy.layers[i];
    layer.sums = std::move(sums.layers[i]);
    layer.not_alone = std::move(sums.not_alone[i]);
    layer.filter = filter_of(request, layer);
    for (const auto& npu : runner.npus()) layer.cycles.push_back(npu.cycles()[layer.tensor]);
    for (std::size_t a = 0; a < runner.npus().size(); ++a)
      layer.npu.push_back(runner.npus()[a].visible()[layer.tensor] ? sums.npu[a][i] : -1);
    if (std::ranges::find(request.quantised->main().outputs, static_cast<int>(layer.tensor)) !=
        request.quantised->main().outputs.end())
      accuracy.outputs.push_back(i);
  }
  for (std::size_t a = 0; a < runner.npus().size(); ++a)
    accuracy.npus.push_back(
        {runner.npus()[a].file(), std::string(runner.npus()[a].accelerator_name()), sums.npu_outputs[a]});
  if (runner.has_classes()) accuracy.classes = std::move(sums.classes);
  accuracy.advice = advise(accuracy);
  return accuracy;
}

std::vector<std::size_t> Accuracy::ranking() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (std::isfinite(layers[i].own_sqnr())) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return layers[i].own_sqnr(); });
  return order;
}

double Accuracy::output_sqnr() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto i : outputs)
    if (const double sqnr = layers[i].sums.accumulated.sqnr(); sqnr < least) least = sqnr;
  return least;
}

}  // namespace macaw::accuracy
