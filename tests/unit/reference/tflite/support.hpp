#pragma once
#include <macaw/tflite/interpreter.hpp>

#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"

namespace macaw::test {

// Numbers of BuiltinOperator.
enum Builtin {
  kAdd = 0,
  kConv2d = 3,
  kDepthwiseConv2d = 4,
  kFullyConnected = 9,
  kRelu = 19,
  kMean = 40,
  kSvdf = 27,
  kTopKV2 = 48,
  kReshape = 22
};

template <class T>
Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor(dtype, std::move(shape));
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  const auto values = tensor.data<T>();
  return {values.begin(), values.end()};
}

inline Result<tflite::RunResult> run_file(const TfliteFile& file, const std::vector<Tensor>& inputs,
                                          tflite::State& state, const tflite::RunOptions& options = {}) {
  MACAW_ASSIGN(const auto network, tflite::parse_network(file.bytes(), "test"));
  return tflite::run(network, inputs, state, options);
}

inline Result<tflite::RunResult> run_file(const TfliteFile& file, const std::vector<Tensor>& inputs) {
  tflite::State state;
  return run_file(file, inputs, state);
}

}  // namespace macaw::test
