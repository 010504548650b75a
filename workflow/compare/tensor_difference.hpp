#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <macaw/tensor.hpp>

namespace macaw::compare {

/// One network output as computed by the interpreter and by the simulator.
struct OutputComparison {
  std::string name;
  std::int64_t elements = 0;
  std::int64_t different = 0;             ///< elements whose bytes differ
  std::vector<std::int64_t> index;        ///< of the first difference, in the graph's shape; empty if there is none
  std::int64_t expected = 0, actual = 0;  ///< values there: interpreter, simulator
};

/// Compares two tensors of the same type and number of elements.
[[nodiscard]] OutputComparison compare_tensors(const std::string& name, const Tensor& expected, const Tensor& actual);

/// Value of one element of an integer or bool tensor.
[[nodiscard]] std::int64_t integer_at(const Tensor& tensor, std::int64_t index);

/// A description of the differences of two integer tensors of the same type and shape, and the largest of
/// them; empty if there is none.
[[nodiscard]] std::string pattern_of(const Tensor& expected, const Tensor& actual);

}  // namespace macaw::compare
