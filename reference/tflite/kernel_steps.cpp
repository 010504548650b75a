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

/// Functions of one element that have no other operand.
constexpr std::array<std::string_view, 9> kFunctions = {"ELU",      "EXP", "GELU",  "HARD_SWISH", "LEAKY_RELU",
                                                        "LOGISTIC", "LOG", "RSQRT", "TANH"};

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

std::vector<std::byte> function_table(const OperatorInfo& op, TensorInfo in, TensorInfo out) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  if (op.name == "RSQRT" && in.quantization && in.quantization->zero_point.size() == 1)
    least = in.quantization->zero_point.front();
  auto values = all_values(in.dtype, least);
  in.shape = out.shape = values.shape();
  OperatorInfo alone = op;
  alone.inputs = {0};
  alone.outputs = {1};
  const Network network{{}, {{"", {std::move(in), std::move(out)}, {std::move(alone)}, {0}, {1}}}};
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
  const auto [in, out] = ends_of(network, op);
  if (in == nullptr) return {};
  if (op.name == "SOFTMAX") {
    const auto scaling = softmax_scaling(op, *in);
    return scaling ? softmax_table(*scaling) : std::vector<std::byte>{};
  }
  if (std::ranges::find(kFunctions, op.name) == kFunctions.end() || out->dtype != in->dtype) return {};
  return function_table(op, *in, *out);
}

}  // namespace macaw::tflite
