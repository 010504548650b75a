#include "workflow/inference/operator_work.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tflite/options.hpp"

namespace macaw::inference {
namespace {

const std::map<std::string_view, std::string_view>& classes() {
  static const std::map<std::string_view, std::string_view> all = {
#define MACAW_HOST_OPERATOR(name, cls) {name, cls},
#include "workflow/inference/operators.def"
#undef MACAW_HOST_OPERATOR
  };
  return all;
}

/// "aten::add.out" -> "add"; names of TensorFlow Lite stay as they are.
std::string_view plain_name(std::string_view name) {
  if (const auto space = name.rfind("::"); space != std::string_view::npos) {
    name.remove_prefix(space + 2);
    name = name.substr(0, name.find('.'));
  }
  return name;
}

double elements_of(const npu::TensorBinding& tensor) {
  double count = 1;
  for (const auto extent : tensor.shape) count *= static_cast<double>(extent);
  return count;
}
double bytes_of(const npu::TensorBinding& tensor) { return elements_of(tensor) * tensor.element_size; }

bool is_there(const npu::TensorBinding& tensor) { return tensor.memory >= 0; }

/// The one with the most bytes is the data; axes, paddings and shapes are small.
double largest(const std::vector<npu::TensorBinding>& tensors, double (*size)(const npu::TensorBinding&)) {
  double most = 0;
  for (const auto& tensor : tensors)
    if (is_there(tensor)) most = std::max(most, size(tensor));
  return most;
}
double sum(const std::vector<npu::TensorBinding>& tensors, double (*size)(const npu::TensorBinding&)) {
  double all = 0;
  for (const auto& tensor : tensors)
    if (is_there(tensor)) all += size(tensor);
  return all;
}

std::string type_name(const npu::TensorBinding& tensor) {
  if (!tensor.dtype) return tensor.element_size == 1 ? "int8" : tensor.element_size == 2 ? "int16" : "int32";
  switch (*tensor.dtype) {
    case DType::kINT8:
    case DType::kUINT8:
    case DType::kINT4: return "int8";
    case DType::kINT16:
    case DType::kUINT16: return "int16";
    case DType::kINT64: return "int64";
    case DType::kBOOL: return "bool";
    case DType::kFP16:
    case DType::kBF16:
    case DType::kFP32:
    case DType::kFP64: return "float32";
    default: return "int32";
  }
}

std::string type_of(const npu::HostOperator& op, std::string_view cls) {
  const auto* type = !op.inputs.empty() && is_there(op.inputs[0]) ? &op.inputs[0] : nullptr;
  // Sizes of quantised floats, and of data that is transposed or filled.
  if ((type == nullptr || cls == "quantize" || cls == "fill" || cls == "transpose_conv") && !op.outputs.empty())
    type = &op.outputs[0];
  return type == nullptr ? "int8" : type_name(*type);
}

const Shape* shape_of(const npu::HostOperator& op, std::size_t input) {
  return input < op.inputs.size() && is_there(op.inputs[input]) ? &op.inputs[input].shape : nullptr;
}

double product(const Shape& shape, std::size_t first, std::size_t last) {
  double all = 1;
  for (std::size_t i = first; i < last && i < shape.size(); ++i) all *= static_cast<double>(shape[i]);
  return all;
}

/// Multiply-accumulates of a matrix product: outputs times the summed extent, whichever operand is transposed.
double matrix_macs(const npu::HostOperator& op, double outputs) {
  const auto* a = shape_of(op, 0);
  const auto& out = op.outputs[0].shape;
  if (a == nullptr || a->size() < 2 || out.size() < 2 || out[out.size() - 2] <= 0) return 0;
  const double matrix = product(*a, a->size() - 2, a->size());
  return outputs * matrix / static_cast<double>(out[out.size() - 2]);
}

/// Four gates and one step an input row: of input and of output weights.
double lstm_macs(const npu::HostOperator& op) {
  const auto* input = shape_of(op, 0);
  if (input == nullptr || input->empty()) return 0;
  constexpr std::size_t kFirstWeights = 1, kWeights = 8;
  double weights = 0;
  for (std::size_t i = kFirstWeights; i < kFirstWeights + kWeights; ++i)
    if (const auto* shape = shape_of(op, i)) weights += product(*shape, 0, shape->size());
  return weights * product(*input, 0, input->size() - 1);
}

double svdf_macs(const npu::HostOperator& op) {
  const auto *features = shape_of(op, 1), *times = shape_of(op, 2);
  if (features == nullptr || times == nullptr) return 0;
  return product(*features, 0, features->size()) + product(*times, 0, times->size());
}

double count_macs(const npu::HostOperator& op, std::string_view cls) {
  if (op.outputs.empty()) return 0;
  const double outputs = elements_of(op.outputs[0]);
  const auto* weights = shape_of(op, 1);
  if (cls == "conv")
    return weights == nullptr || weights->empty() ? 0 : outputs * product(*weights, 1, weights->size());
  if (cls == "depthwise")
    return weights == nullptr || weights->size() < 4 ? 0 : outputs * product(*weights, 1, weights->size() - 1);
  if (cls == "transpose_conv") {
    const auto* data = shape_of(op, 2);
    if (weights == nullptr || data == nullptr || weights->empty()) return 0;
    return product(*data, 0, data->size()) * product(*weights, 0, weights->size() - 1);
  }
  if (cls == "fully_connected")
    return weights == nullptr || weights->empty() ? 0 : outputs * static_cast<double>(weights->back());
  if (cls == "batch_matmul") return matrix_macs(op, outputs);
  if (cls == "lstm") return lstm_macs(op);
  return cls == "svdf" ? svdf_macs(op) : 0;
}

/// Classes whose cost is by what is read, or by bytes; of the others it is by what is written.
constexpr std::array<std::string_view, 9> kByInput = {
    "average_pool", "max_pool", "mean", "reduce", "argmax", "cumsum", "softmax", "l2_normalization", "log_softmax"};
constexpr std::array<std::string_view, 3> kByBytes = {"copy", "reshape", "embedding"};

bool is_dilated(const npu::HostOperator& op) {
  const auto* options = op.options ? op.options->value.AsDepthwiseConv2DOptions() : nullptr;
  return options != nullptr && (options->dilation_h_factor > 1 || options->dilation_w_factor > 1);
}

/// The class where shapes, types or options decide.
std::string refined(const npu::HostOperator& op, std::string_view cls) {
  if (cls == "conv") {
    const auto* weights = shape_of(op, 1);
    if (weights != nullptr && weights->size() == 4 && (*weights)[1] == 1 && (*weights)[2] == 1) return "conv_1x1";
  }
  if (cls == "depthwise" && is_dilated(op)) return "depthwise_dilated";
  if (cls == "quantize" && !op.inputs.empty() && type_name(op.inputs[0]) != "float32") return "requantize";
  if ((cls == "add" || cls == "mul") && op.inputs.size() > 1 && op.inputs[0].shape != op.inputs[1].shape)
    return std::string(cls) + "_broadcast";
  return std::string(cls);
}

std::string tensor_text(const npu::TensorBinding& tensor) {
  const auto type = tensor.dtype ? std::string(to_string(*tensor.dtype)) : fmt::format("{} bytes", tensor.element_size);
  return fmt::format("{} [{}]", type, fmt::join(tensor.shape, ","));
}

}  // namespace

OperatorWork work_of(const npu::HostOperator& op) {
  OperatorWork work;
  const auto found = classes().find(plain_name(op.name));
  if (found == classes().end()) {
    work.reason = "no cost is known for this operator";
    return work;
  }
  const auto cls = found->second;
  work.cls = refined(op, cls);
  work.type = type_of(op, cls);
  const auto listed = [&](const auto& list) { return std::ranges::find(list, cls) != list.end(); };
  if (listed(kByBytes)) {
    work.elements = sum(op.outputs, bytes_of);
    work.type = "int8";
  } else if (listed(kByInput)) {
    work.elements = largest(op.inputs, elements_of);
  } else {
    work.elements = sum(op.outputs, elements_of);
  }
  work.macs = count_macs(op, cls);
  return work;
}

std::uint64_t macs_of(const npu::HostOperator& op) {
  const auto found = classes().find(plain_name(op.name));
  constexpr double kMost = 9e15;
  return found == classes().end() ? 0
                                  : static_cast<std::uint64_t>(std::clamp(count_macs(op, found->second), 0.0, kMost));
}

std::string shapes_of(const npu::HostOperator& op) {
  std::string text;
  if (const auto input = std::ranges::find_if(op.inputs, is_there); input != op.inputs.end())
    text = tensor_text(*input) + " -> ";
  return text + (op.outputs.empty() ? "nothing" : tensor_text(op.outputs[0]));
}

}  // namespace macaw::inference
