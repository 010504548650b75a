#include "workflow/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

namespace macaw::compare {
namespace {

std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

}  // namespace

std::int64_t integer_at(const Tensor& tensor, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  switch (tensor.dtype()) {
    case DType::kBOOL: return tensor.bytes()[i] != std::byte{0};
    case DType::kUINT8: return tensor.data<std::uint8_t>()[i];
    case DType::kUINT16: return tensor.data<std::uint16_t>()[i];
    default: break;
  }
  switch (size_of(tensor.dtype())) {
    case 1: return tensor.data<std::int8_t>()[i];
    case 2: return tensor.data<std::int16_t>()[i];
    case 4: return tensor.data<std::int32_t>()[i];
    default: return tensor.data<std::int64_t>()[i];
  }
}

OutputComparison compare_tensors(const std::string& name, const Tensor& expected, const Tensor& actual) {
  OutputComparison result{.name = name, .elements = expected.size(), .index = {}};
  const auto width = size_of(expected.dtype());
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<std::size_t>(i) * width;
    if (std::memcmp(expected.bytes().data() + at, actual.bytes().data() + at, width) == 0) continue;
    if (result.different++ > 0) continue;
    result.index = unravel(i, expected.shape());
    result.expected = integer_at(expected, i);
    result.actual = integer_at(actual, i);
  }
  return result;
}

Result<std::vector<OutputComparison>> compare_outputs(const Program& program, const npu::Artifact& artifact,
                                                      const npu::Accelerator& accelerator,
                                                      const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(const auto expected, program.run(inputs));
  MACAW_ASSIGN(const auto network_inputs, program.network_inputs(inputs, artifact));
  npu::FunctionalOptions options;
  options.host = &tflite::host_operators();
  MACAW_ASSIGN(const auto actual, npu::run_functional(artifact, accelerator, network_inputs, options));
  if (expected.size() != actual.outputs.size())
    return fail(ErrorCode::kMismatch, fmt::format("the graph has {} outputs, the compiled network {}", expected.size(),
                                                  actual.outputs.size()));
  const auto names = program.output_names();
  std::vector<OutputComparison> comparisons;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& name = names[i];
    const auto &tensor = expected[i], &simulated = actual.outputs[i];
    if (tensor.bytes().size() != simulated.bytes().size())
      return fail(ErrorCode::kMismatch, fmt::format("output '{}': {} bytes in the graph, {} in the compiled network",
                                                    name, tensor.bytes().size(), simulated.bytes().size()));
    comparisons.push_back(compare_tensors(name, tensor, simulated));
  }
  return comparisons;
}

}  // namespace macaw::compare
