#pragma once
#include <macaw/tflite/network.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace macaw::tflite {

/// An intermediate value of a kernel.
struct KernelStep {
  std::string name;
  Tensor value;
  std::vector<std::size_t> from = {};  ///< indices of the steps that it is computed from
};

/// The steps of an operator of the main subgraph for an input, in order, the last one being the result: one list for
/// each form that compilers lower it to. Empty for all operators but SOFTMAX of 8-bit types.
[[nodiscard]] std::vector<std::vector<KernelStep>> kernel_steps(const Network& network, const OperatorInfo& op,
                                                                const Tensor& input, const Tensor& output);

/// Results of the kernel for every value of an 8-bit type, in increasing order: for functions of one element its
/// results, for SOFTMAX the exponentials of differences from -255 to 0. Empty for other operators.
[[nodiscard]] std::vector<std::byte> kernel_table(const Network& network, const OperatorInfo& op);

}  // namespace macaw::tflite
