#include "reference/tflite/op/join.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

/// Calls f(part, where its run begins in the part and in the whole) for every run.
template <class F>
void for_each_run(const Layout& layout, F&& f) {
  std::size_t at = 0;
  for (std::size_t o = 0; o < static_cast<std::size_t>(layout.outer); ++o)
    for (std::size_t p = 0; p < layout.runs.size(); ++p) {
      f(p, o * layout.runs[p], at);
      at += layout.runs[p];
    }
}

}  // namespace

Layout::Layout(const Shape& whole, std::size_t axis, const std::vector<std::int64_t>& extents, DType dtype)
    : outer(product(whole, 0, axis)) {
  const auto inner = static_cast<std::size_t>(product(whole, axis + 1, whole.size())) * size_of(dtype);
  for (const auto extent : extents) runs.push_back(static_cast<std::size_t>(extent) * inner);
}

void Layout::join(const std::vector<const Tensor*>& parts, Tensor& whole) const {
  const auto to = whole.bytes();
  for_each_run(*this, [&](std::size_t p, std::size_t from, std::size_t at) {
    std::ranges::copy(parts[p]->bytes().subspan(from, runs[p]), to.subspan(at, runs[p]).begin());
  });
}

void Layout::split(const Tensor& whole, const std::vector<Tensor*>& parts) const {
  const auto from = whole.bytes();
  for_each_run(*this, [&](std::size_t p, std::size_t to, std::size_t at) {
    std::ranges::copy(from.subspan(at, runs[p]), parts[p]->bytes().subspan(to, runs[p]).begin());
  });
}

Result<std::vector<const Tensor*>> inputs_of_output_type(const Call& call) {
  std::vector<const Tensor*> tensors;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i));
    MACAW_CHECK(expect(*tensor, call.output().dtype(), fmt::format("input {}", i)));
    tensors.push_back(tensor);
  }
  return tensors;
}

Result<void> split_into_outputs(Call& call, const Tensor& whole, std::size_t axis,
                                const std::vector<std::int64_t>& extents) {
  std::vector<Tensor*> parts;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    Shape shape = whole.shape();
    shape[axis] = extents[i];
    MACAW_CHECK(expect(call.output(i), whole.dtype(), fmt::format("output {}", i)));
    MACAW_CHECK(expect(call.output(i), shape, fmt::format("output {}", i)));
    parts.push_back(&call.output(i));
  }
  if (whole.size() > 0) Layout(whole.shape(), axis, extents, whole.dtype()).split(whole, parts);
  return {};
}

}  // namespace macaw::tflite
