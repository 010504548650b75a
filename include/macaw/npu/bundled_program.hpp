#pragma once
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// One test of a method: tensors in the order of memory.
struct BundledCase {
  std::string method;
  std::vector<Tensor> inputs, expected;
};

/// An ExecuTorch program with tests (.bpte).
struct BundledProgram {
  std::vector<std::byte> program;  ///< a .pte
  std::vector<BundledCase> cases;
};

[[nodiscard]] bool is_bundled_program(std::span<const std::byte> bytes);
/// `name` is used in messages. kUnsupported for inputs and outputs that are not tensors.
[[nodiscard]] Result<BundledProgram> parse_bundled_program(std::span<const std::byte> bytes, const std::string& name);

}  // namespace macaw::npu
