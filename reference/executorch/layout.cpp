#include <algorithm>
#include <cstring>
#include <limits>

#include "reference/executorch/arguments.hpp"
#include "reference/executorch/positions.hpp"
#include "reference/tflite/copy.hpp"

// Conversions of a delegate's inputs and outputs in ExecuTorch's Ethos-U backend (pytorch/executorch
// backends/arm/runtime/EthosUBackend.cpp), and the kernels of ExecuTorch that move elements (pytorch/executorch
// kernels/portable/cpu: op_permute_copy.cpp, op_transpose_copy.cpp, op_slice_copy.cpp, op_cat.cpp, op_view_copy.cpp).
namespace macaw::executorch::layout {
namespace {

/// out[axes...] of in: output axis i is input axis axes[i].
Result<void> permute(Call& call, const Tensor& in, const std::vector<std::size_t>& axes) {
  MACAW_CHECK(expect(call.output(), in.dtype(), "the output"));
  const auto from = strides_of(in.shape());
  Shape shape;
  std::vector<std::int64_t> strides;
  for (const auto axis : axes) {
    shape.push_back(in.shape()[axis]);
    strides.push_back(from[axis]);
  }
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  MACAW_CHECK(call.account(in.size()));
  gather_strided(in, 0, strides, call.output());
  return {};
}

Result<void> permute_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dims, list_argument(call, 1));
  if (dims.size() != in->rank()) return invalid("not as many axes as the input has");
  std::vector<std::size_t> axes;
  for (const auto dim : dims) {
    MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
    if (std::ranges::find(axes, axis) != axes.end()) return invalid("an axis is named twice");
    axes.push_back(axis);
  }
  return permute(call, *in, axes);
}

Result<void> transpose_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto first, integer_argument(call, 1));
  MACAW_ASSIGN(const auto second, integer_argument(call, 2));
  MACAW_ASSIGN(const auto a, normal_axis(first, in->rank()));
  MACAW_ASSIGN(const auto b, normal_axis(second, in->rank()));
  std::vector<std::size_t> axes(in->rank());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::swap(axes[a], axes[b]);
  return permute(call, *in, axes);
}

Result<void> slice_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  const auto extent = in->shape()[axis];
  MACAW_ASSIGN(auto start, integer_argument(call, 2, 0));
  MACAW_ASSIGN(auto end, integer_argument(call, 3, std::numeric_limits<std::int64_t>::max()));
  MACAW_ASSIGN(const auto step, integer_argument(call, 4));
  if (step < 1) return invalid("the step is not positive");
  const auto clamped = [&](std::int64_t at) { return std::clamp(at < 0 ? at + extent : at, std::int64_t{0}, extent); };
  start = clamped(start);
  end = std::max(clamped(end), start);
  Shape shape = in->shape();
  shape[axis] = (end - start) / step + ((end - start) % step != 0);
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  auto strides = strides_of(in->shape());
  const auto offset = start * strides[axis];
  if (step > 1 && shape[axis] > 1) strides[axis] *= step;
  MACAW_CHECK(call.account(call.output().size()));
  gather_strided(*in, offset, strides, call.output());
  return {};
}

/// Inputs: the tensors, and last the axis. Tensors of shape [0] are ignored.
Result<void> cat(Call& call) {
  const auto count = call.inputs.size() - 1;
  MACAW_ASSIGN(const auto dim, integer_argument(call, count));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto axis, normal_axis(dim, out.rank()));
  const auto size = size_of(out.dtype());
  const auto outer = static_cast<std::size_t>(product(out.shape(), 0, axis));
  const auto row = static_cast<std::size_t>(product(out.shape(), axis, out.rank())) * size;
  std::int64_t extent = 0;
  MACAW_CHECK(call.account(out.size()));
  for (std::size_t i = 0; i < count; ++i) {
    MACAW_ASSIGN(const Tensor* in, call.input(i));
    if (in->shape() == Shape{0}) continue;
    MACAW_CHECK(expect(*in, out.dtype(), "a part"));
    MACAW_CHECK(expect_rank(*in, out.rank(), "a part"));
    auto shape = out.shape();
    shape[axis] = in->shape()[axis];
    MACAW_CHECK(expect(*in, shape, "a part"));
    if (shape[axis] > out.shape()[axis] - extent) return invalid("the parts are longer than the output");
    const auto part = static_cast<std::size_t>(product(shape, axis, out.rank())) * size;
    const auto at = static_cast<std::size_t>(extent * product(out.shape(), axis + 1, out.rank())) * size;
    for (std::size_t o = 0; part > 0 && o < outer; ++o)
      std::memcpy(out.bytes().data() + o * row + at, in->bytes().data() + o * part, part);
    extent += shape[axis];
  }
  if (extent != out.shape()[axis]) return invalid("the parts are shorter than the output");
  return {};
}

constexpr Definition kDefinitions[] = {
    {"EthosUBackend::copy", 1, 1, 1, 1, copy_elements},
    {"aten::permute_copy", 2, 2, 1, 1, permute_copy},
    {"aten::transpose_copy.int_out", 3, 3, 1, 1, transpose_copy},
    {"aten::slice_copy.Tensor_out", 5, 5, 1, 1, slice_copy},
    {"aten::cat", 2, -1, 1, 1, cat},
    {"aten::view_copy", 2, 2, 1, 1, copy_elements},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::layout
