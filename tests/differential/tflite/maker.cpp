#include "tests/differential/tflite/maker.hpp"

#include <macaw/tflite/network.hpp>

#include <functional>
#include <numeric>

#include "tests/support/checked.hpp"

namespace macaw::test {
namespace {

template <class T>
std::vector<T> numbers(models::Random& random, const Extents& shape, std::int64_t low, std::int64_t high) {
  std::vector<T> values(static_cast<std::size_t>(elements(shape)));
  for (auto& value : values) value = static_cast<T>(random.between(low, high));
  return values;
}

template <class T>
void fill(models::Random& random, Tensor& tensor, std::int64_t low, std::int64_t high) {
  for (auto& value : tensor.data<T>()) value = static_cast<T>(random.between(low, high));
}

}  // namespace

std::int64_t elements(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t Maker::zero(fb::TensorType type) {
  if (type == INT8) return chance(20) ? 0 : pick(-128, 127);
  return type == UINT8 ? pick(0, 255) : 0;
}

Extents Maker::shape(int rank, int most) {
  Extents shape;
  for (int i = 0; i < rank; ++i) shape.push_back(pick(1, most));
  return shape;
}

Value Maker::operand(std::vector<fb::TensorType> types, int rank) {
  std::ranges::replace(types, INT8, bytes_);
  if (current_ && !current_->shape.empty() && std::ranges::find(types, current_->type) != types.end() &&
      (rank == 0 || static_cast<int>(current_->shape.size()) == rank) &&
      (current_->scale > 0 || !is_quantized_type(current_->type)))
    return *current_;
  return input(one_of(types), shape(rank == 0 ? pick(1, 4) : rank));
}

Value Maker::input(fb::TensorType type, const Extents& shape) {
  return is_quantized_type(type) ? input(type, shape, scale(), zero(type)) : input(type, shape, 0, 0);
}

Value Maker::input(fb::TensorType type, const Extents& shape, float scale, std::int64_t zero) {
  if (scale == 0) return {file.input(type, shape), type, shape, 0, 0};
  return {file.input(type, shape, {scale}, {zero}), type, shape, scale, zero};
}

Value Maker::constant(fb::TensorType type, const Extents& shape, float scale, std::int64_t zero) {
  const auto add = [&]<class T>(std::vector<T> values) {
    return scale == 0 ? file.constant<T>(type, shape, values) : file.constant<T>(type, shape, values, {scale}, {zero});
  };
  Value value{0, type, shape, scale, zero};
  switch (type) {
    case INT8: value.id = add(numbers<std::int8_t>(random_, shape, -128, 127)); break;
    case UINT8: value.id = add(numbers<std::uint8_t>(random_, shape, 0, 255)); break;
    case INT16: value.id = add(numbers<std::int16_t>(random_, shape, -32768, 32767)); break;
    case BOOL: value.id = add(numbers<std::uint8_t>(random_, shape, 0, 1)); break;
    case FLOAT32: value.id = add(numbers<float>(random_, shape, -20, 20)); break;
    case INT64: value.id = add(numbers<std::int64_t>(random_, shape, -1000, 1000)); break;
    default: value.id = add(numbers<std::int32_t>(random_, shape, -1000, 1000)); break;
  }
  return value;
}

Value Maker::other(fb::TensorType type, const Extents& shape, float scale, std::int64_t zero) {
  return chance(50) ? input(type, shape, scale, zero) : constant(type, shape, scale, zero);
}

int Maker::ints(const std::vector<std::int32_t>& values, std::optional<Extents> shape) {
  return file.constant<std::int32_t>(INT32, shape.value_or(Extents{static_cast<int>(values.size())}), values);
}

Value Maker::result(fb::TensorType type, const Extents& shape, float scale, std::int64_t zero) {
  if (scale == 0) return {file.tensor(type, shape), type, shape, 0, 0};
  return {file.tensor(type, shape, {scale}, {zero}), type, shape, scale, zero};
}

Value Maker::quantized_result(fb::TensorType type, const Extents& shape) {
  return is_quantized_type(type) ? result(type, shape, scale(), zero(type)) : result(type, shape);
}

std::vector<std::byte> Maker::finish() {
  for (const int id : ends_) file.output(id);
  return file.bytes();
}

std::vector<Tensor> random_inputs(const std::vector<std::byte>& network, std::uint64_t seed) {
  models::Random random(seed);
  const auto parsed = checked(tflite::parse_network(network, "random"));
  std::vector<Tensor> inputs;
  for (const int id : parsed.main().inputs) {
    const auto& info = parsed.main().tensors[static_cast<std::size_t>(id)];
    Tensor tensor(info.dtype, info.shape);
    switch (info.dtype) {
      case DType::kINT8: fill<std::int8_t>(random, tensor, -128, 127); break;
      case DType::kUINT8: fill<std::uint8_t>(random, tensor, 0, 255); break;
      case DType::kINT16: fill<std::int16_t>(random, tensor, -32768, 32767); break;
      case DType::kBOOL: fill<bool>(random, tensor, 0, 1); break;
      case DType::kINT64: fill<std::int64_t>(random, tensor, -1000, 1000); break;
      case DType::kFP32:
        for (auto& value : tensor.data<float>()) value = static_cast<float>(random.between(-4000, 4000)) / 97.0F;
        break;
      default: fill<std::int32_t>(random, tensor, -1000, 1000); break;
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace macaw::test
