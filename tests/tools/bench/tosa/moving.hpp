#pragma once
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/bench/tosa/measure.hpp"

// Operators that do little more than move elements, beside a memcpy of as many bytes as they read and write (half of
// that number is copied). vs_memcpy: our time over its.

namespace macaw::bench {

using tosa::Attr;
using tosa::Op;

/// An operator on tensors of 1 x 128 x 128 x 64 elements.
inline const Shape kShape{1, 128, 128, 64};

/// A tensor of random elements within [low, high]; of 16-bit floating-point types, of encodings around that of 1; of
/// 8-bit ones, encodings; of block-scaled ones, encodings with a scale of 1.
struct Values {
  DType dtype{};
  Shape shape = kShape;
  std::int64_t low = -100, high = 100;
  bool distinct = false;  ///< the numbers from `low` on, each once, instead; as many as a power of two
};
[[nodiscard]] Tensor random_tensor(const Values& values);

using Attributes = std::vector<std::pair<Attr, tosa::AttributeValue>>;

struct Case {
  std::string name;
  Op op{};
  std::vector<Values> inputs;     ///< given for each run
  std::vector<Tensor> constants;  ///< after the inputs
  DType out{};
  Shape out_shape = kShape;
  Attributes attributes = {};
};

/// The operator as a graph, with inputs; no yardstick.
[[nodiscard]] Subject subject_of(const Case& c);

/// Registers a benchmark for each; true.
bool register_cases(std::vector<Case> cases);

template <class T>
Tensor tensor_of(DType dtype, const std::vector<T>& values) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data<T>().begin());
  return tensor;
}
inline Tensor shape_of(const std::vector<std::int64_t>& extents) { return tensor_of(DType::kSHAPE, extents); }
/// One element, zero.
inline Tensor zero_of(DType dtype) { return Tensor(dtype, {1}); }

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace macaw::bench
