#pragma once
#include <macaw/tflite/network.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace macaw::tflite {

/// A value that a kernel computes on the way to its result.
struct KernelStep {
  std::string name;
  Tensor value;
  std::vector<std::size_t> from = {};  ///< steps that it is computed from, by number
};

/// The steps of an operator of the main subgraph for an input, in their order, and the result as the last of them: in
/// each of the forms in which compilers take them. Empty for operators that take none worth telling: all but SOFTMAX of
/// bytes.
[[nodiscard]] std::vector<std::vector<KernelStep>> kernel_steps(const Network& network, const OperatorInfo& op,
                                                                const Tensor& input, const Tensor& output);

/// Results of the kernel for every value of a byte, from the least on: of functions of one element its results, of
/// SOFTMAX the exponentials of differences from -255 to 0. Empty for other operators.
[[nodiscard]] std::vector<std::byte> kernel_table(const Network& network, const OperatorInfo& op);

}  // namespace macaw::tflite
