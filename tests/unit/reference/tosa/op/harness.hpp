#pragma once
#include <catch2/catch.hpp>

#include <limits>
#include <random>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

struct Outcome {
  Tensor output;
  std::vector<BrokenRule> findings;  ///< of the kernel
  std::vector<std::string> broken;   ///< texts of the definition's checks that do not hold
};

struct Out {
  DType dtype;
  Shape shape;
};
using Attributes = std::vector<std::pair<Attr, AttributeValue>>;

enum class Mode { kNormal, kPrecise, kBounds };

/// Which code of a kernel runs, and on which threads.
struct Engine {
  Kernels kernels = Kernels::kBest;
  Workers* workers = nullptr;
};

/// Applies the checks of an operator and, if they hold, the kernel of the row whose types fit.
Outcome run_operator(Op op, std::vector<Tensor> inputs, const Out& out, const Attributes& attributes = {},
                     Mode mode = Mode::kNormal, Engine engine = {});

template <class T>
Tensor make(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor(dtype, std::move(shape));
  REQUIRE(tensor.size() == static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), tensor.data<T>().begin());
  return tensor;
}

using Random = std::mt19937_64;

/// Uniform elements within [low, high].
template <class T>
Tensor random_tensor(Random& random, DType dtype, Shape shape, std::int64_t low, std::int64_t high) {
  Tensor tensor(dtype, std::move(shape));
  std::uniform_int_distribution<std::int64_t> any(low, high);
  for (auto& value : tensor.data<T>()) value = static_cast<T>(any(random));
  return tensor;
}
inline Tensor random_int8(Random& random, Shape shape) {
  return random_tensor<std::int8_t>(random, DType::kINT8, std::move(shape), -128, 127);
}
inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

}  // namespace macaw::tosa
