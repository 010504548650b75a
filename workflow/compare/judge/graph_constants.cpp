#include "workflow/compare/judge/graph_constants.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {
namespace {

/// How the filters of an operator lie in its operand.
enum class FilterLayout : std::uint8_t { kOutputFirst, kOutputFirstMirrored, kChannelsLast, kOutputLast };

struct FilterOperands {
  std::string_view kind;
  FilterLayout layout;
  std::size_t weights, bias;
  std::optional<std::size_t> zero_point;  ///< operand; none: that of the operand's quantisation
};

// The specification's operators, and TensorFlow Lite's.
constexpr FilterOperands kFilterOperands[] = {
    {"CONV2D", FilterLayout::kOutputFirst, 1, 2, 4},
    {"CONV3D", FilterLayout::kOutputFirst, 1, 2, 4},
    {"DEPTHWISE_CONV2D", FilterLayout::kChannelsLast, 1, 2, 4},
    {"TRANSPOSE_CONV2D", FilterLayout::kOutputFirstMirrored, 1, 2, 4},
    {"CONV_2D", FilterLayout::kOutputFirst, 1, 2, {}},
    {"DEPTHWISE_CONV_2D", FilterLayout::kOutputLast, 1, 2, {}},
    {"FULLY_CONNECTED", FilterLayout::kOutputFirst, 1, 2, {}},
    {"TRANSPOSE_CONV", FilterLayout::kOutputFirstMirrored, 1, 3, {}},
};

const Tensor* constant(const Reference& reference, const ReferenceOperator& op, std::size_t operand) {
  if (operand >= op.inputs.size()) return nullptr;
  const auto& tensor = reference.tensors[op.inputs[operand]];
  return tensor.constant && tensor.value ? &*tensor.value : nullptr;
}

std::vector<std::int64_t> integers(const Tensor& tensor) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = integer_at(tensor, static_cast<std::int64_t>(i));
  return all;
}

std::int64_t zero_point(const Reference& reference, const ReferenceOperator& op, const FilterOperands& operands) {
  if (operands.zero_point) {
    const auto* tensor = constant(reference, op, *operands.zero_point);
    return tensor != nullptr && tensor->size() > 0 ? integer_at(*tensor, 0) : 0;
  }
  const auto& quantization = reference.tensors[op.inputs[operands.weights]].quantization;
  return quantization && quantization->zero_point.size() == 1 ? quantization->zero_point.front() : 0;
}

/// Filters by output channel, [y][x][input channel].
void add_filters(OperatorConstants& constants, const Tensor& weights, FilterLayout layout, std::int64_t zero_point) {
  const auto values = integers(weights);
  const auto& shape = weights.shape();
  const auto rank = shape.size();
  if (rank < 2 || values.empty()) return;
  const bool first = layout == FilterLayout::kOutputFirst || layout == FilterLayout::kOutputFirstMirrored;
  // Axes of the channels: [O][y][x][I], [y][x][I][M] or [1][y][x][O].
  const auto last = static_cast<std::size_t>(shape[rank - 1]);
  const auto channels = first                                   ? static_cast<std::size_t>(shape[0])
                        : layout == FilterLayout::kChannelsLast ? last * static_cast<std::size_t>(shape[rank - 2])
                                                                : last;
  const auto length = values.size() / channels;
  const auto depth = first ? last : 1;
  const auto width =
      rank < 4 ? 1 : static_cast<std::size_t>(layout == FilterLayout::kChannelsLast ? shape[1] : shape[rank - 2]);
  constants.window = {static_cast<int>(length / depth / width), static_cast<int>(width), static_cast<int>(depth)};
  constants.filters.assign(channels, std::vector<std::int16_t>(length));
  const auto taps = length / depth;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t t = 0; t < taps; ++t)
      for (std::size_t i = 0; i < depth; ++i) {
        const auto source = layout == FilterLayout::kOutputFirstMirrored ? taps - 1 - t : t;
        const auto value = first ? values[c * length + source * depth + i] : values[t * channels + c];
        constants.filters[c][t * depth + i] = static_cast<std::int16_t>(value - zero_point);
      }
}

/// The only operator that reads a tensor which is not an output.
const ReferenceOperator* only_reader(const Reference& reference, TensorId tensor) {
  if (std::ranges::find(reference.outputs, tensor) != reference.outputs.end()) return nullptr;
  const ReferenceOperator* reader = nullptr;
  for (const auto& op : reference.operators)
    if (std::ranges::find(op.inputs, tensor) != op.inputs.end()) {
      if (reader != nullptr) return nullptr;
      reader = &op;
    }
  return reader;
}

/// The factors of a RESCALE of the accumulators.
std::vector<ScaleFactor> rescale_factors(const Reference& reference, const ReferenceOperator& op,
                                         std::size_t channels) {
  const auto* reader = op.outputs.empty() ? nullptr : only_reader(reference, op.outputs[0]);
  if (reader == nullptr || reader->kind != "RESCALE" || reader->inputs.empty() || reader->inputs[0] != op.outputs[0])
    return {};
  const auto *multiplier = constant(reference, *reader, 1), *shift = constant(reference, *reader, 2);
  if (multiplier == nullptr || shift == nullptr || multiplier->size() != shift->size()) return {};
  if (multiplier->size() != 1 && multiplier->size() != static_cast<std::int64_t>(channels)) return {};
  std::vector<ScaleFactor> scales(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto at = multiplier->size() == 1 ? 0 : static_cast<std::int64_t>(c);
    scales[c] = {integer_at(*multiplier, at), static_cast<int>(integer_at(*shift, at))};
  }
  return scales;
}

/// The factors of TensorFlow Lite: input scale times filter scale over output scale, in 31 bits.
std::vector<ScaleFactor> quantized_factors(const Reference& reference, const ReferenceOperator& op,
                                           const FilterOperands& operands, std::size_t channels) {
  const auto input = op.kind == "TRANSPOSE_CONV" ? std::size_t{2} : std::size_t{0};
  if (input >= op.inputs.size() || op.outputs.empty()) return {};
  const auto& in = reference.tensors[op.inputs[input]].quantization;
  const auto& filter = reference.tensors[op.inputs[operands.weights]].quantization;
  const auto& out = reference.tensors[op.outputs[0]].quantization;
  if (!in || !filter || !out || in->scale.size() != 1 || out->scale.size() != 1) return {};
  if (filter->scale.size() != 1 && filter->scale.size() != channels) return {};
  std::vector<ScaleFactor> scales(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double factor =
        double{in->scale[0]} * double{filter->scale[filter->scale.size() == 1 ? 0 : c]} / double{out->scale[0]};
    int exponent = 0;
    const double mantissa = std::frexp(factor, &exponent);
    scales[c] = {std::llround(mantissa * 2147483648.0), 31 - exponent};
  }
  return scales;
}

std::vector<std::int64_t> biases(const Reference& reference, const ReferenceOperator& op, std::size_t operand,
                                 std::size_t channels) {
  const auto* tensor = constant(reference, op, operand);
  if (tensor == nullptr) return {};
  auto values = integers(*tensor);
  if (values.size() == 1) values.resize(channels, values.front());
  return values.size() == channels ? values : std::vector<std::int64_t>{};
}

/// 256 bytes as they are; 513 words as 512 pairs of a word and what the next is above it.
std::vector<std::byte> table_bytes(const Tensor& table) {
  if (table.dtype() != DType::kINT16) return {table.bytes().begin(), table.bytes().end()};
  const auto words = table.data<std::int16_t>();
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    for (const int word : {int{words[i]}, words[i + 1] - words[i]}) {
      bytes.push_back(static_cast<std::byte>(word));
      bytes.push_back(static_cast<std::byte>(word >> 8));
    }
  return bytes;
}

}  // namespace

std::vector<OperatorConstants> graph_constants(const Reference& reference) {
  std::vector<OperatorConstants> all;
  for (std::size_t i = 0; i < reference.operators.size(); ++i) {
    const auto& op = reference.operators[i];
    OperatorConstants constants;
    constants.op = i;
    const auto* const operands = std::ranges::find(kFilterOperands, op.kind, &FilterOperands::kind);
    if (operands != std::end(kFilterOperands)) {
      const auto* weights = constant(reference, op, operands->weights);
      if (weights == nullptr || size_of(weights->dtype()) != 1) continue;
      add_filters(constants, *weights, operands->layout, zero_point(reference, op, *operands));
      constants.biases = biases(reference, op, operands->bias, constants.filters.size());
      constants.scales = operands->zero_point ? rescale_factors(reference, op, constants.filters.size())
                                              : quantized_factors(reference, op, *operands, constants.filters.size());
    } else if (op.kind == "TABLE") {
      if (const auto* table = constant(reference, op, 1)) constants.table = table_bytes(*table);
    } else {
      constants.table = op.table;
    }
    if (!constants.filters.empty() || !constants.table.empty()) all.push_back(std::move(constants));
  }
  return all;
}

}  // namespace macaw::compare
