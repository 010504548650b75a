#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b
// tensorflow/lite/micro/kernels/{concatenation.cc,pack.cc,split.cc,split_v.cc,unpack.cc}.
namespace macaw::tflite::concatenation {
namespace {

/// Parts laid side by side along an axis of a whole. `extents` are those of the parts along it.
struct Layout {
  std::int64_t outer = 1;         ///< times that every part has a run
  std::vector<std::size_t> runs;  ///< bytes of each part's run

  Layout(const Shape& whole, std::size_t axis, const std::vector<std::int64_t>& extents, DType dtype);

  void join(const std::vector<const Tensor*>& parts, Tensor& whole) const;
  void split(const Tensor& whole, const std::vector<Tensor*>& parts) const;
};

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

/// Every input; an error if one is absent or has another type than the output.
Result<std::vector<const Tensor*>> inputs_of_output_type(const Call& call) {
  std::vector<const Tensor*> tensors;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(i));
    MACAW_CHECK(expect(*tensor, call.output().dtype(), fmt::format("input {}", i)));
    tensors.push_back(tensor);
  }
  return tensors;
}

/// Checks that output k has the whole's type and, along the axis, extents[k], and splits.
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

Result<void> concatenation(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::ConcatenationOptionsT>());
  if (options->fused_activation_function != schema::ActivationFunctionType::NONE)
    return unsupported("a fused activation");
  Tensor& whole = call.output();
  MACAW_ASSIGN(const auto parts, inputs_of_output_type(call));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole.rank()));
  std::int64_t extent = 0;
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_quantized(whole.dtype())) MACAW_CHECK(expect_same_quantization(call.inputs[i], call.outputs[0]));
    Shape shape = parts[i]->shape();
    if (shape.size() != whole.rank()) return invalid(fmt::format("input {} has {} axes", i, shape.size()));
    extents.push_back(shape[axis]);
    shape[axis] = whole.shape()[axis];
    if (shape != whole.shape() || extents.back() > shape[axis] - extent)
      return invalid(fmt::format("input {} of shape {} does not fit the output", i, to_string(parts[i]->shape())));
    extent += extents.back();
  }
  if (extent != whole.shape()[axis]) return invalid("the inputs do not fill the output");
  if (whole.size() > 0) Layout(whole.shape(), axis, extents, whole.dtype()).join(parts, whole);
  return {};
}

Result<void> pack(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::PackOptionsT>());
  Tensor& whole = call.output();
  MACAW_ASSIGN(const auto parts, inputs_of_output_type(call));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole.rank()));
  Shape shape = whole.shape();
  if (shape[axis] != static_cast<std::int64_t>(parts.size()))
    return invalid(fmt::format("{} tensors for extent {}", parts.size(), shape[axis]));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  for (const Tensor* part : parts) MACAW_CHECK(expect(*part, shape, "an input"));
  if (whole.size() > 0)
    Layout(whole.shape(), axis, std::vector<std::int64_t>(parts.size(), 1), whole.dtype()).join(parts, whole);
  return {};
}

Result<void> split(Call& call) {
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(0));
  MACAW_ASSIGN(const Tensor* in, call.input(1));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid("not exactly one axis");
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  const auto parts = static_cast<std::int64_t>(call.outputs.size());
  if (in->shape()[axis] % parts != 0) return invalid(fmt::format("{} elements in {} parts", in->shape()[axis], parts));
  const std::vector<std::int64_t> extents(call.outputs.size(), in->shape()[axis] / parts);
  return split_into_outputs(call, *in, axis, extents);
}

Result<void> split_v(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* size_tensor, call.input(1));
  MACAW_ASSIGN(const Tensor* axis_tensor, call.input(2));
  MACAW_ASSIGN(auto extents, integers(*size_tensor, "the sizes"));
  MACAW_ASSIGN(const auto axes, integers(*axis_tensor, "the axis"));
  if (axes.size() != 1) return invalid("not exactly one axis");
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in->rank()));
  if (extents.size() != call.outputs.size())
    return invalid(fmt::format("{} sizes for {} outputs", extents.size(), call.outputs.size()));
  std::int64_t rest = in->shape()[axis];
  for (const auto extent : extents) {
    if (extent < -1 || extent > in->shape()[axis]) return invalid(fmt::format("a size of {}", extent));
    rest -= std::max<std::int64_t>(extent, 0);
  }
  // One size may be left open.
  if (const auto open = std::ranges::find(extents, -1); open != extents.end()) *open = rest;
  else if (rest != 0) return invalid("the sizes do not add up to the axis");
  if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent < 0; }))
    return invalid("the sizes do not add up to the axis");
  return split_into_outputs(call, *in, axis, extents);
}

Result<void> unpack(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::UnpackOptionsT>());
  MACAW_ASSIGN(const Tensor* whole, call.input(0));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole->rank()));
  Shape shape = whole->shape();
  if (shape[axis] != static_cast<std::int64_t>(call.outputs.size()))
    return invalid(fmt::format("{} tensors of extent {}", call.outputs.size(), shape[axis]));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::vector<Tensor*> parts;
  for (const auto& output : call.outputs) {
    MACAW_CHECK(expect(*output.value, whole->dtype(), "an output"));
    MACAW_CHECK(expect(*output.value, shape, "an output"));
    parts.push_back(output.writable);
  }
  if (whole->size() > 0)
    Layout(whole->shape(), axis, std::vector<std::int64_t>(parts.size(), 1), whole->dtype()).split(*whole, parts);
  return {};
}

constexpr Definition kDefinitions[] = {
    {"CONCATENATION", 1, -1, 1, 1, concatenation},
    {"PACK", 1, -1, 1, 1, pack},
    {"SPLIT", 2, 2, 1, -1, split},
    {"SPLIT_V", 3, 3, 1, -1, split_v},
    {"UNPACK", 1, 1, 1, -1, unpack},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::concatenation
