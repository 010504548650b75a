#include <macaw/tflite/kernel_steps.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include <macaw/tflite/interpreter.hpp>

#include "reference/tflite/call.hpp"
#include "reference/tflite/function_tables.hpp"
#include "reference/tflite/op/softmax.hpp"

namespace macaw::tflite {
namespace {

/// Functions of one element, which may be kept as tables; other operands are constants of one element.
constexpr std::array<std::string_view, 16> kFunctions = {
    "ABS", "DIV",   "ELU",         "EXP",          "GELU", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC",
    "LOG", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "RELU", "NEG",        "RSQRT",      "TANH"};

bool is_byte(DType dtype) { return dtype == DType::kINT8 || dtype == DType::kUINT8; }

/// The tensors of an operator of one input and one output.
struct Ends {
  const TensorInfo *in = nullptr, *out = nullptr;
};

Ends ends_of(const Network& network, const OperatorInfo& op) {
  if (op.inputs.size() != 1 || op.outputs.size() != 1 || op.inputs[0] < 0 || op.outputs[0] < 0) return {};
  const auto& tensors = network.main().tensors;
  const auto& in = tensors[static_cast<std::size_t>(op.inputs[0])];
  return is_byte(in.dtype) ? Ends{&in, &tensors[static_cast<std::size_t>(op.outputs[0])]} : Ends{};
}

std::optional<SoftmaxScaling> softmax_scaling(const OperatorInfo& op, const TensorInfo& in) {
  const Call call{.name = op.name, .options = op.options.get(), .inputs = {}, .outputs = {}};
  const auto options = call.options_as<schema::SoftmaxOptionsT>();
  const Tensor like(in.dtype, {1});
  const auto from = affine({.value = &like, .quantization = in.quantization.get()});
  if (!options || !from) return std::nullopt;
  const auto scaling = SoftmaxScaling::create((*options)->beta, from->scale);
  return scaling ? std::optional(*scaling) : std::nullopt;
}

/// The operand that is not a constant, by its place among the inputs; none unless the others have one element.
std::optional<std::size_t> argument_of(const Network& network, const OperatorInfo& op) {
  std::optional<std::size_t> argument;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] < 0) return std::nullopt;
    const auto& constant = network.main().tensors[static_cast<std::size_t>(op.inputs[i])].constant;
    if (constant && constant->size() == 1) continue;
    if (argument || constant) return std::nullopt;
    argument = i;
  }
  return argument;
}

std::vector<std::byte> function_table(const Network& whole, const OperatorInfo& op) {
  const auto argument = argument_of(whole, op);
  if (!argument || op.outputs.size() != 1 || op.outputs[0] < 0) return {};
  OperatorInfo alone = op;
  std::vector<TensorInfo> tensors;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    tensors.push_back(whole.main().tensors[static_cast<std::size_t>(op.inputs[i])]);
    alone.inputs[i] = static_cast<int>(i);
  }
  tensors.push_back(whole.main().tensors[static_cast<std::size_t>(op.outputs[0])]);
  alone.outputs = {static_cast<int>(op.inputs.size())};
  auto &in = tensors[*argument], &out = tensors.back();
  if (!is_byte(in.dtype) || out.dtype != in.dtype) return {};
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  if (op.name == "RSQRT" && in.quantization && in.quantization->zero_point.size() == 1)
    least = in.quantization->zero_point.front();
  auto values = all_values(in.dtype, least);
  in.shape = out.shape = values.shape();
  const auto outputs = alone.outputs;
  const Network network{{}, {{"", std::move(tensors), {std::move(alone)}, {static_cast<int>(*argument)}, outputs}}};
  State state;
  const auto result = run(network, {std::move(values)}, state);
  if (!result) return {};
  const auto bytes = result->outputs.front().bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::vector<KernelStep>> kernel_steps(const Network& network, const OperatorInfo& op, const Tensor& input,
                                                  const Tensor& output) {
  const auto [in, out] = ends_of(network, op);
  if (op.name != "SOFTMAX" || in == nullptr || input.rank() == 0) return {};
  const auto scaling = softmax_scaling(op, *in);
  if (!scaling || input.size() == 0 || input.shape() != output.shape()) return {};
  return {softmax_steps(*scaling, input, output, false), softmax_steps(*scaling, input, output, true)};
}

std::vector<std::byte> kernel_table(const Network& network, const OperatorInfo& op) {
  if (op.name == "SOFTMAX") {
    const auto [in, out] = ends_of(network, op);
    if (in == nullptr) return {};
    const auto scaling = softmax_scaling(op, *in);
    return scaling ? softmax_table(*scaling) : std::vector<std::byte>{};
  }
  return std::ranges::find(kFunctions, op.name) == kFunctions.end() ? std::vector<std::byte>{}
                                                                    : function_table(network, op);
}

}  // namespace macaw::tflite
