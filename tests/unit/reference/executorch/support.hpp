#pragma once
#include <macaw/tflite/host_operators.hpp>

#include "base/tflite/options.hpp"
#include "sim/functional/host_operator.hpp"

#include <algorithm>
#include <cstring>

// A small network of tensors in memories of their own, for one CPU operator.
namespace macaw::npu::test {

class OneOperator {
 public:
  explicit OneOperator(std::string name) { op.name = std::move(name); }

  template <class T>
  OneOperator& input(Shape shape, DType dtype, const std::vector<T>& values, float scale = 0, std::int64_t zero = 0) {
    op.inputs.push_back(place(std::move(shape), dtype, values.size() * sizeof(T), scale, zero));
    if (!values.empty()) std::memcpy(contents.back().data(), values.data(), contents.back().size());
    return *this;
  }

  OneOperator& absent() {
    op.inputs.emplace_back();
    return *this;
  }

  OneOperator& output(Shape shape, DType dtype, float scale = 0, std::int64_t zero = 0) {
    const auto bytes = static_cast<std::size_t>(*element_count(shape)) * size_of(dtype);
    op.outputs.push_back(place(std::move(shape), dtype, bytes, scale, zero));
    return *this;
  }

  template <class T>
  OneOperator& options(T options) {
    auto given = std::make_shared<tflite::Options>();
    given->value.Set(std::move(options));
    op.options = std::move(given);
    return *this;
  }

  Result<std::int64_t> run(std::int64_t max_work = 1 << 20) {
    return run_host_operator(op, &tflite::host_operators(), memories, {contents.begin(), contents.end()}, max_work);
  }

  template <class T>
  std::vector<T> values(const TensorBinding& binding) const {
    const auto& bytes = contents.at(static_cast<std::size_t>(binding.memory));
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
    return result;
  }

  template <class T>
  std::vector<T> out(std::size_t index = 0) const {
    return values<T>(op.outputs[index]);
  }

  HostOperator op;
  std::vector<Memory> memories;
  std::vector<std::vector<std::uint8_t>> contents;

 private:
  TensorBinding place(Shape shape, DType dtype, std::size_t bytes, float scale, std::int64_t zero) {
    TensorBinding binding;
    binding.name = "t" + std::to_string(memories.size());
    binding.shape = std::move(shape);
    binding.dtype = dtype;
    binding.element_size = static_cast<unsigned>(size_of(dtype));
    binding.memory = static_cast<int>(memories.size());
    if (scale != 0) binding.quantization = std::make_shared<Quantization>(Quantization{{scale}, {zero}, 0});
    Memory memory;
    memory.size = bytes;
    memories.push_back(std::move(memory));
    contents.emplace_back(bytes);
    return binding;
  }
};

}  // namespace macaw::npu::test
