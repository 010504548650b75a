#pragma once
#include <macaw/tensor.hpp>

#include <optional>
#include <string_view>
#include <vector>

#include "models/random.hpp"
#include "tests/support/tflite_file.hpp"

// Random networks of TensorFlow Lite, operator by operator.
namespace macaw::test {

using enum fb::TensorType;
using Extents = std::vector<int>;

struct Value {
  int id = 0;
  fb::TensorType type = INT8;
  Extents shape;
  float scale = 0;  ///< 0: none
  std::int64_t zero = 0;
};

class Maker {
 public:
  /// `bytes`: INT8, or what stands in its place.
  explicit Maker(std::uint64_t seed, fb::TensorType bytes = INT8) : random_(seed), bytes_(bytes) {}

  [[nodiscard]] fb::TensorType bytes() const { return bytes_; }
  [[nodiscard]] int pick(int low, int high) { return static_cast<int>(random_.between(low, high)); }
  [[nodiscard]] bool chance(int percent) { return pick(1, 100) <= percent; }
  template <class T>
  [[nodiscard]] T one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))];
  }
  [[nodiscard]] float scale() { return static_cast<float>(pick(20, 3000)) / 10000.0F; }
  [[nodiscard]] std::int64_t zero(fb::TensorType type);
  [[nodiscard]] Extents shape(int rank, int most = 7);

  /// A result of the operators so far with one of the types and that rank; else a new input. Rank 0: any.
  Value operand(std::vector<fb::TensorType> types, int rank = 0);
  Value input(fb::TensorType type, const Extents& shape);
  Value input(fb::TensorType type, const Extents& shape, float scale, std::int64_t zero);
  /// Random contents.
  Value constant(fb::TensorType type, const Extents& shape, float scale = 0, std::int64_t zero = 0);
  /// An input, or a constant.
  Value other(fb::TensorType type, const Extents& shape, float scale = 0, std::int64_t zero = 0);
  int ints(const std::vector<std::int32_t>& values, std::optional<Extents> shape = {});

  /// A tensor for a result.
  Value result(fb::TensorType type, const Extents& shape, float scale = 0, std::int64_t zero = 0);
  Value result_like(const Value& value, const Extents& shape) {
    return result(value.type, shape, value.scale, value.zero);
  }
  /// With a scale and zero point of its own.
  Value quantized_result(fb::TensorType type, const Extents& shape);

  template <class... Options>
  void op(int builtin, const std::vector<int>& inputs, const std::vector<Value>& outputs, Options... options) {
    std::vector<int> ids;
    for (const auto& value : outputs) ids.push_back(value.id);
    file.op(builtin, inputs, ids, std::move(options)...);
    current_ = outputs.front();
    for (const auto& value : outputs) ends_.push_back(value.id);
    for (const int used : inputs) std::erase(ends_, used);
  }

  /// Makes what no operator reads the network's outputs, and gives its bytes.
  [[nodiscard]] std::vector<std::byte> finish();

  TfliteFile file;

 private:
  models::Random random_;
  fb::TensorType bytes_;
  std::optional<Value> current_;
  std::vector<int> ends_;
};

/// An operator, and what adds it in random types and shapes to a network.
struct OperatorMaker {
  std::string_view name;
  int builtin;
  void (*make)(Maker&, int builtin);
};
[[nodiscard]] const std::vector<OperatorMaker>& operator_makers();

/// Random tensors for a network's inputs.
[[nodiscard]] std::vector<Tensor> random_inputs(const std::vector<std::byte>& network, std::uint64_t seed);

[[nodiscard]] std::int64_t elements(const Extents& shape);

[[nodiscard]] inline bool is_quantized_type(fb::TensorType type) {
  return type == INT8 || type == UINT8 || type == INT16;
}

}  // namespace macaw::test
