#include "workflow/reduce/tflite_shapes.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

namespace macaw::reduce {
namespace {

namespace schema = tflite::schema;
using Extents = std::vector<std::int32_t>;

std::int64_t elements(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// One operator's constants and outputs, from the shapes that it reads.
class TfliteFit {
 public:
  TfliteFit(TfliteModel& model, const schema::OperatorT& op, const std::string& name)
      : model_(model), op_(op), name_(name) {}

  bool run() {
    static const std::set<std::string> kUnary = {
        "ABS",   "ELU",        "EXP",         "GELU", "HARD_SWISH", "LEAKY_RELU",   "LOG",         "LOGISTIC",
        "NEG",   "DEQUANTIZE", "QUANTIZE",    "RELU", "RELU6",      "RELU_N1_TO_1", "RELU_0_TO_1", "RSQRT",
        "SIN",   "SOFTMAX",    "LOG_SOFTMAX", "SQRT", "SQUARE",     "TANH",         "CAST",        "L2_NORMALIZATION",
        "FLOOR", "CEIL",       "ROUND"};
    static const std::set<std::string> kBinary = {
        "ADD",   "SUB",  "MUL",     "DIV",       "MAXIMUM",    "MINIMUM",       "PRELU",
        "EQUAL", "LESS", "GREATER", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL", "SQUARED_DIFFERENCE"};
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      const auto input = op_.inputs[i];
      const bool is_bias = i == 2;
      if (input < 0 ? !is_bias : shape(input).empty() && !is_constant(input)) return false;
    }
    if (kUnary.contains(name_)) return set_output(shape(op_.inputs[0]));
    if (kBinary.contains(name_)) return binary();
    if (name_ == "CONV_2D") return convolution(3);
    if (name_ == "DEPTHWISE_CONV_2D") return depthwise();
    if (name_ == "FULLY_CONNECTED") return fully_connected();
    if (name_ == "AVERAGE_POOL_2D" || name_ == "MAX_POOL_2D") return pool();
    if (name_ == "CONCATENATION") return concatenation();
    if (name_ == "PAD" || name_ == "PADV2" || name_ == "MIRROR_PAD") return pad();
    if (name_ == "RESHAPE") return reshape();
    if (name_ == "MEAN" || name_ == "SUM" || name_ == "REDUCE_MAX" || name_ == "REDUCE_MIN") return reduction();
    if (name_ == "TRANSPOSE") return transposition();
    return false;
  }

 private:
  [[nodiscard]] schema::TensorT& tensor(int index) const {
    return *model_.subgraphs.front()->tensors[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Extents& shape(int index) const { return tensor(index).shape; }
  [[nodiscard]] bool is_constant(int index) const { return !model_.buffers[tensor(index).buffer]->data.empty(); }
  bool set_output(const Extents& extents) {
    if (op_.outputs.size() != 1 || std::ranges::any_of(extents, [](auto extent) { return extent < 1; })) return false;
    shape(op_.outputs[0]) = extents;
    return true;
  }
  /// A constant's extent along an axis; of a tensor that is computed it has to be that already.
  bool require(int index, std::size_t axis, std::int32_t extent) {
    if (axis >= shape(index).size()) return false;
    if (shape(index)[axis] == extent) return true;
    return is_constant(index) && cut_constant(model_, index, axis, extent);
  }

  /// How many windows there are; 0: none.
  [[nodiscard]] static std::int32_t windows(schema::Padding padding, std::int64_t extent, std::int64_t taps,
                                            std::int64_t stride, std::int64_t dilation) {
    if (stride < 1 || taps < 1 || dilation < 1) return 0;
    const auto reach = (taps - 1) * dilation + 1;
    if (padding == schema::Padding::SAME) return static_cast<std::int32_t>((extent + stride - 1) / stride);
    return extent < reach ? 0 : static_cast<std::int32_t>((extent - reach) / stride + 1);
  }

  bool bias(std::int32_t channels) {
    return op_.inputs.size() < 3 || op_.inputs[2] < 0 || require(op_.inputs[2], 0, channels);
  }

  bool convolution(std::size_t in_axis) {
    const auto* options = op_.builtin_options.AsConv2DOptions();
    const auto& in = shape(op_.inputs[0]);
    if (options == nullptr || in.size() != 4 || shape(op_.inputs[1]).size() != 4) return false;
    if (!require(op_.inputs[1], in_axis, in[3])) return false;
    const auto& filter = shape(op_.inputs[1]);
    return bias(filter[0]) &&
           set_output(
               {in[0], windows(options->padding, in[1], filter[1], options->stride_h, options->dilation_h_factor),
                windows(options->padding, in[2], filter[2], options->stride_w, options->dilation_w_factor), filter[0]});
  }

  bool depthwise() {
    auto* options = op_.builtin_options.AsDepthwiseConv2DOptions();
    const auto& in = shape(op_.inputs[0]);
    if (options == nullptr || in.size() != 4 || shape(op_.inputs[1]).size() != 4 || options->depth_multiplier < 1)
      return false;
    if (!require(op_.inputs[1], 3, in[3] * options->depth_multiplier)) return false;
    const auto& filter = shape(op_.inputs[1]);
    return bias(filter[3]) &&
           set_output(
               {in[0], windows(options->padding, in[1], filter[1], options->stride_h, options->dilation_h_factor),
                windows(options->padding, in[2], filter[2], options->stride_w, options->dilation_w_factor), filter[3]});
  }

  bool fully_connected() {
    const auto* options = op_.builtin_options.AsFullyConnectedOptions();
    const auto& in = shape(op_.inputs[0]);
    if (options == nullptr || options->keep_num_dims || shape(op_.inputs[1]).size() != 2) return false;
    // Rows of the input are as long as the filters were, where that divides it; else each is its last axis.
    auto length = shape(op_.inputs[1])[1];
    if (elements(in) % length != 0) length = in.size() == 2 ? in[1] : static_cast<std::int32_t>(elements(in) / in[0]);
    if (!require(op_.inputs[1], 1, length)) return false;
    const auto channels = shape(op_.inputs[1])[0];
    return bias(channels) && set_output({static_cast<std::int32_t>(elements(in) / length), channels});
  }

  bool pool() {
    const auto* options = op_.builtin_options.AsPool2DOptions();
    const auto& in = shape(op_.inputs[0]);
    if (options == nullptr || in.size() != 4) return false;
    return set_output({in[0], windows(options->padding, in[1], options->filter_height, options->stride_h, 1),
                       windows(options->padding, in[2], options->filter_width, options->stride_w, 1), in[3]});
  }

  bool binary() {
    if (op_.inputs.size() != 2) return false;
    const auto a = op_.inputs[0], b = op_.inputs[1];
    const auto rank = std::max(shape(a).size(), shape(b).size());
    Extents out(rank);
    for (std::size_t i = 0; i < rank; ++i) {  // from the last axis on
      const auto at = [&](int index) -> std::int32_t {
        return i < shape(index).size() ? shape(index)[shape(index).size() - 1 - i] : 1;
      };
      for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}})
        if (at(one) > at(other) && at(other) >= 1 && is_constant(one) && !is_constant(other) &&
            !cut_constant(model_, one, shape(one).size() - 1 - i, at(other)))
          return false;
      if (at(a) != at(b) && at(a) != 1 && at(b) != 1) return false;
      out[rank - 1 - i] = std::max(at(a), at(b));
    }
    return set_output(out);
  }

  bool concatenation() {
    const auto* options = op_.builtin_options.AsConcatenationOptions();
    if (options == nullptr) return false;
    auto out = shape(op_.inputs[0]);
    const auto rank = static_cast<int>(out.size());
    const auto axis = static_cast<std::size_t>(options->axis < 0 ? options->axis + rank : options->axis);
    if (axis >= out.size()) return false;
    out[axis] = 0;
    for (const auto input : op_.inputs) {
      if (shape(input).size() != out.size()) return false;
      for (std::size_t i = 0; i < out.size(); ++i)
        if (i != axis && !require(input, i, out[i])) return false;
      out[axis] += shape(input)[axis];
    }
    return set_output(out);
  }

  [[nodiscard]] std::vector<std::int32_t> integers(std::size_t operand) const {
    if (operand >= op_.inputs.size() || !is_constant(op_.inputs[operand]) ||
        tensor(op_.inputs[operand]).type != schema::TensorType::INT32)
      return {};
    const auto& data = model_.buffers[tensor(op_.inputs[operand]).buffer]->data;
    std::vector<std::int32_t> all(data.size() / sizeof(std::int32_t));
    if (!all.empty()) std::memcpy(all.data(), data.data(), all.size() * sizeof(std::int32_t));
    return all;
  }

  bool pad() {
    auto out = shape(op_.inputs[0]);
    const auto padding = integers(1);
    if (padding.size() != 2 * out.size()) return false;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += padding[2 * i] + padding[2 * i + 1];
    return set_output(out);
  }

  /// The new shape is the old one with one axis, the last that can be, made smaller.
  bool reshape() {
    auto out = shape(op_.outputs[0]);
    const auto there = elements(out), wanted = elements(shape(op_.inputs[0]));
    if (there < 1) return false;
    if (there != wanted) {
      const auto fits = [&](std::int32_t extent) {
        return wanted * extent % there == 0 && wanted * extent / there > 0;
      };
      const auto found = std::find_if(out.rbegin(), out.rend(), fits);
      if (found == out.rend()) return false;
      *found = static_cast<std::int32_t>(wanted * *found / there);
      if (!integers(1).empty()) {
        // Another operator may read the same constant.
        auto& graph = *model_.subgraphs.front();
        const auto users = std::ranges::count_if(graph.operators, [&](const auto& other) {
          return std::ranges::find(other->inputs, op_.inputs[1]) != other->inputs.end();
        });
        auto& data = model_.buffers[tensor(op_.inputs[1]).buffer]->data;
        if (users != 1 || data.size() != out.size() * sizeof(std::int32_t)) return false;
        std::memcpy(data.data(), out.data(), data.size());
      }
    }
    return set_output(out);
  }

  bool reduction() {
    const auto* options = op_.builtin_options.AsReducerOptions();
    const auto axes = integers(1);
    if (options == nullptr || axes.empty()) return false;
    const auto& in = shape(op_.inputs[0]);
    Extents out;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool reduced = std::ranges::any_of(axes, [&](std::int32_t axis) {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int32_t>(in.size()) : axis) == i;
      });
      if (!reduced) out.push_back(in[i]);
      else if (options->keep_dims) out.push_back(1);
    }
    return set_output(out);
  }

  bool transposition() {
    const auto& in = shape(op_.inputs[0]);
    const auto order = integers(1);
    if (order.size() != in.size()) return false;
    Extents out;
    for (const auto axis : order) {
      if (axis < 0 || static_cast<std::size_t>(axis) >= in.size()) return false;
      out.push_back(in[static_cast<std::size_t>(axis)]);
    }
    return set_output(out);
  }

  TfliteModel& model_;
  const schema::OperatorT& op_;
  const std::string& name_;
};

}  // namespace

bool cut_constant(TfliteModel& model, int index, std::size_t axis, std::int32_t extent) {
  auto& tensor = *model.subgraphs.front()->tensors[static_cast<std::size_t>(index)];
  const auto& data = model.buffers[tensor.buffer]->data;
  if (axis >= tensor.shape.size() || extent < 1 || extent > tensor.shape[axis]) return false;
  const auto count = static_cast<std::size_t>(elements(tensor.shape));
  if (count == 0 || data.size() % count != 0 || data.empty()) return false;
  const auto old = static_cast<std::size_t>(tensor.shape[axis]);
  const auto behind = static_cast<std::size_t>(
      elements(Extents(tensor.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, tensor.shape.end())));
  const auto kept = static_cast<std::size_t>(extent) * behind * (data.size() / count);
  const auto step = old * behind * (data.size() / count);
  auto smaller = std::make_unique<schema::BufferT>();
  for (std::size_t at = 0; at < data.size(); at += step)
    smaller->data.insert(smaller->data.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                         data.begin() + static_cast<std::ptrdiff_t>(at + kept));
  // Other tensors may have the same contents.
  tensor.buffer = static_cast<std::uint32_t>(model.buffers.size());
  model.buffers.push_back(std::move(smaller));
  tensor.shape[axis] = extent;
  if (auto* const quantization = tensor.quantization.get();
      quantization != nullptr && quantization->scale.size() > 1 &&
      static_cast<std::size_t>(quantization->quantized_dimension) == axis) {
    quantization->scale.resize(std::min(quantization->scale.size(), static_cast<std::size_t>(extent)));
    if (quantization->zero_point.size() > 1)
      quantization->zero_point.resize(std::min(quantization->zero_point.size(), static_cast<std::size_t>(extent)));
  }
  return true;
}

bool fit_shapes(TfliteModel& model, const std::vector<std::string>& names) {
  auto& graph = *model.subgraphs.front();
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (graph.operators[i]->inputs.empty() || graph.operators[i]->outputs.empty()) return false;
    if (!TfliteFit(model, *graph.operators[i], names[i]).run()) return false;
  }
  return true;
}

}  // namespace macaw::reduce
