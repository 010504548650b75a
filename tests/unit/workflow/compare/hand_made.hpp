#pragma once
#include "workflow/compare/match/alignment.hpp"

#include <numeric>

// References and records that are written out in tests.
namespace macaw::compare::hand_made {

inline Tensor int8(Shape shape, const std::vector<int>& values) {
  Tensor tensor(DType::kINT8, std::move(shape));
  std::ranges::transform(values, tensor.bytes().begin(), [](int v) { return static_cast<std::byte>(v); });
  return tensor;
}

/// Bytes from `first` on, each one more than the one before.
inline Tensor counted(Shape shape, int first) {
  Tensor tensor(DType::kINT8, std::move(shape));
  for (auto& byte : tensor.bytes()) byte = static_cast<std::byte>(first++);
  return tensor;
}

/// A record of a map of bytes that lies in memory 0 from `place` on.
inline Record record_of(int h, int w, int c, std::vector<std::byte> contents, std::uint64_t place = 0) {
  Record record;
  record.h = h;
  record.w = w;
  record.c = c;
  record.written = {0, place, place + contents.size() - 1};
  record.contents = std::move(contents);
  return record;
}

inline std::vector<std::byte> part(const Tensor& tensor, std::size_t first, std::size_t count) {
  const auto bytes = tensor.bytes().subspan(first, count);
  return {bytes.begin(), bytes.end()};
}

inline Record whole(const Tensor& tensor, std::uint64_t place = 0) {
  return record_of(1, 1, static_cast<int>(tensor.size()), part(tensor, 0, tensor.bytes().size()), place);
}

/// A graph whose tensors, but the inputs, operators of one output make from others; tensors by number.
struct Graph {
  Reference reference;

  TensorId input(Tensor value) {
    reference.inputs.push_back(add(std::move(value)));
    return reference.inputs.back();
  }
  TensorId make(Tensor value, std::vector<TensorId> from, const char* kind = "ADD") {
    const TensorId id = add(std::move(value));
    reference.operators.push_back({.kind = kind, .text = kind, .inputs = std::move(from), .outputs = {id}});
    return id;
  }

 private:
  TensorId add(Tensor value) {
    reference.tensors.push_back({.name = "t" + std::to_string(reference.tensors.size()), .value = std::move(value)});
    return reference.tensors.size() - 1;
  }
};

}  // namespace macaw::compare::hand_made
