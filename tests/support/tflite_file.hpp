#pragma once
#include <macaw/tensor.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "base/tflite/options.hpp"

// Writes small .tflite files.
namespace macaw::test {

namespace fb = tflite::schema;

class TfliteFile {
 public:
  explicit TfliteFile() {
    model_.version = 3;
    model_.buffers.push_back(std::make_unique<fb::BufferT>());  // 0 is that of tensors without data
    model_.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
  }

  /// The subgraph that tensors and operators are added to from here on.
  TfliteFile& begin_subgraph() {
    model_.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
    at_ = model_.subgraphs.size() - 1;
    return *this;
  }

  /// Adds to the first subgraph again.
  TfliteFile& back_to_main() {
    at_ = 0;
    return *this;
  }

  /// The number of the subgraph that is added to.
  [[nodiscard]] int subgraph() const { return static_cast<int>(at_); }

  int tensor(fb::TensorType type, const std::vector<int>& shape, std::vector<float> scale = {},
             std::vector<std::int64_t> zero_point = {}) {
    auto tensor = std::make_unique<fb::TensorT>();
    tensor->type = type;
    tensor->shape = shape;
    tensor->name = "t" + std::to_string(graph().tensors.size());
    if (!scale.empty()) {
      tensor->quantization = std::make_unique<fb::QuantizationParametersT>();
      zero_point.resize(scale.size(), zero_point.empty() ? 0 : zero_point[0]);
      tensor->quantization->scale = std::move(scale);
      tensor->quantization->zero_point = std::move(zero_point);
    }
    graph().tensors.push_back(std::move(tensor));
    return static_cast<int>(graph().tensors.size()) - 1;
  }

  int input(fb::TensorType type, const std::vector<int>& shape, std::vector<float> scale = {},
            std::vector<std::int64_t> zero_point = {}) {
    graph().inputs.push_back(tensor(type, shape, std::move(scale), std::move(zero_point)));
    return graph().inputs.back();
  }

  int variable(fb::TensorType type, const std::vector<int>& shape, std::vector<float> scale = {},
               std::vector<std::int64_t> zero_point = {}) {
    const int index = tensor(type, shape, std::move(scale), std::move(zero_point));
    at(index).is_variable = true;
    return index;
  }

  template <class T>
  int constant(fb::TensorType type, const std::vector<int>& shape, const std::vector<T>& values,
               std::vector<float> scale = {}, std::vector<std::int64_t> zero_point = {}) {
    const int index = tensor(type, shape, std::move(scale), std::move(zero_point));
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->data.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(buffer->data.data(), values.data(), buffer->data.size());
    at(index).buffer = static_cast<std::uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::move(buffer));
    return index;
  }

  /// Scales, one or one for each slice along an axis, with zero points 0.
  TfliteFile& quantized(int tensor, const std::vector<float>& scales, int axis) {
    auto quantization = std::make_unique<fb::QuantizationParametersT>();
    quantization->scale = scales;
    quantization->zero_point.resize(scales.size());
    quantization->quantized_dimension = axis;
    at(tensor).quantization = std::move(quantization);
    return *this;
  }

  /// Scales along another axis than the first.
  TfliteFile& quantized_along(int tensor, int axis) {
    at(tensor).quantization->quantized_dimension = axis;
    return *this;
  }

  TfliteFile& op(int builtin, const std::vector<int>& inputs, const std::vector<int>& outputs, int version = 1) {
    auto code = std::make_unique<fb::OperatorCodeT>();
    code->builtin_code = builtin;
    code->deprecated_builtin_code = static_cast<std::int8_t>(std::min(builtin, 127));
    code->version = version;
    auto op = std::make_unique<fb::OperatorT>();
    op->opcode_index = static_cast<std::uint32_t>(model_.operator_codes.size());
    op->inputs = inputs;
    op->outputs = outputs;
    model_.operator_codes.push_back(std::move(code));
    graph().operators.push_back(std::move(op));
    return *this;
  }

  template <class Options>
  TfliteFile& op(int builtin, const std::vector<int>& inputs, const std::vector<int>& outputs, Options options) {
    op(builtin, inputs, outputs);
    graph().operators.back()->builtin_options.Set(std::move(options));
    return *this;
  }

  TfliteFile& output(int tensor) {
    graph().outputs.push_back(tensor);
    return *this;
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model_));
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return {begin, begin + builder.GetSize()};
  }

 private:
  fb::SubGraphT& graph() { return *model_.subgraphs[at_]; }
  fb::TensorT& at(int index) { return *graph().tensors[static_cast<std::size_t>(index)]; }

  fb::ModelT model_;
  std::size_t at_ = 0;  ///< subgraph that is added to
};

}  // namespace macaw::test
