#include "workflow/compare/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace macaw::compare {
namespace {

Result<Tensor> retyped(const Tensor& given, const tosa::Value& value) {
  const auto width = size_of(value.dtype);
  const auto shape = value.is_static() ? *value.shape : given.shape();
  MACAW_ASSIGN(const auto count, element_count(shape, width));
  if (count != given.size() || width != size_of(given.dtype()) ||
      is_block_scale(value.dtype) != is_block_scale(given.dtype()))
    return fail(ErrorCode::kMismatch, fmt::format("input '{}' is {} {}, expected {} elements of {} bytes, got {} of {}",
                                                  value.name, to_string(value.dtype), macaw::to_string(shape), count,
                                                  width, given.size(), size_of(given.dtype())));
  MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, shape));
  std::ranges::copy(given.bytes(), tensor.bytes().begin());
  return tensor;
}

// mt19937 is fixed by the standard, its distributions are not: bytes are taken from the engine itself.
void fill_random(std::span<std::byte> bytes, std::mt19937& engine) {
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const auto word = static_cast<std::uint32_t>(engine());
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(4, bytes.size() - i));
  }
}

/// Brings random bytes into the range of a type that uses fewer bits than it is stored in.
void restrict_range(Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBOOL:
      for (auto& b : tensor.bytes()) b &= std::byte{1};
      break;
    case DType::kINT4:
      for (auto& v : tensor.data<std::int8_t>())
        v = static_cast<std::int8_t>(static_cast<std::int8_t>(static_cast<unsigned>(v) << 4) >> 4);
      break;
    case DType::kINT48:
      for (auto& v : tensor.data<std::int64_t>())
        v = static_cast<std::int64_t>(static_cast<std::uint64_t>(v) << 16) >> 16;
      break;
    default: break;
  }
}

}  // namespace

Result<std::vector<Tensor>> graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& tensors) {
  const auto& block = graph.main();
  if (tensors.size() != block.inputs.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} inputs given, the graph has {}", tensors.size(), block.inputs.size()));
  std::vector<Tensor> typed;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_ASSIGN(auto tensor, retyped(tensors[i], block.values[block.inputs[i]]));
    typed.push_back(std::move(tensor));
  }
  return typed;
}

Result<std::vector<Tensor>> random_inputs(const tosa::Graph& graph, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs) {
    const auto& value = graph.main().values[id];
    if (!value.is_static())
      return fail(ErrorCode::kUnsupported,
                  fmt::format("input '{}' has no static shape: give it as a file", value.name));
    MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, *value.shape));
    fill_random(tensor.bytes(), engine);
    restrict_range(tensor);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<Tensor> inputs;
  for (const auto& input : artifact.inputs) {
    const auto dtype = input.dtype.value_or(input.element_size == 1   ? DType::kINT8
                                            : input.element_size == 2 ? DType::kINT16
                                            : input.element_size == 4 ? DType::kINT32
                                                                      : DType::kINT64);
    if (size_of(dtype) != input.element_size)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("input '{}' has elements of {} bytes", input.name, input.element_size));
    MACAW_ASSIGN(auto tensor, Tensor::create(dtype, input.shape));
    fill_random(tensor.bytes(), engine);
    restrict_range(tensor);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Result<void> require_valid(const tosa::Verdict& verdict, const std::string& file) {
  if (verdict.status() == tosa::Status::kValid) return {};
  return fail(verdict.status() == tosa::Status::kError ? ErrorCode::kInvalidGraph : ErrorCode::kUnpredictable,
              fmt::format("{}: {}", tosa::to_string(verdict.status()), verdict.first()->to_string()), {.file = file});
}

}  // namespace macaw::compare
