#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "reference/executorch/arguments.hpp"
#include "reference/executorch/positions.hpp"
#include "reference/tflite/copy.hpp"
#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// Operators that copy tensors as they are, repeated, divided or as another type, and operators that create tensors from
// numbers (pytorch/executorch kernels/portable/cpu: op_clone.cpp, op_alias_copy.cpp and its like, op_copy.cpp,
// op_to_copy.cpp, op_to_dim_order_copy.cpp, op_clone_dim_order.cpp, op_expand_copy.cpp, op_repeat.cpp,
// op_split_copy.cpp, op_split_with_sizes_copy.cpp, op_unbind_copy.cpp, op_constant_pad_nd.cpp, op_full.cpp,
// op_full_like.cpp, op_arange.cpp, op_scalar_tensor.cpp).
namespace macaw::executorch::copies {
namespace {

/// Converts an element to another type: floats are truncated, and a float that an integer cannot hold becomes the
/// nearest that it can, where the kernel's result is undefined.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) return value != From{};
  else if constexpr (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return To{};
    if (double{value} >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    if (double{value} < static_cast<double>(Limits::lowest())) return Limits::lowest();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// out = in, converted element by element; both have the same shape.
Result<void> convert(const Tensor& in, Tensor& out) {
  if (in.dtype() == out.dtype()) {
    std::ranges::copy(in.bytes(), out.uninitialized_bytes().begin());
    return {};
  }
  return with_number(in.dtype(), [&]<class From>(From) {
    return with_number(out.dtype(), [&]<class To>(To) -> Result<void> {
      const auto from = in.data<From>();
      std::transform(from.begin(), from.end(), out.uninitialized_data<To>().begin(),
                     [](From value) { return converted<To>(value); });
      return {};
    });
  });
}

/// Inputs: the tensor, and the memory format. The type stays.
Result<void> clone(Call& call) {
  MACAW_CHECK(same_type_and_shape(call));
  MACAW_CHECK(expect_contiguous_format(call, 1));
  return convert(*call.inputs[0].value, call.output());
}

/// Inputs: the tensor as the output's type, whether the copy may return early, and the memory format.
Result<void> to_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect_false(call, 1, "non_blocking"));
  MACAW_CHECK(expect_contiguous_format(call, 2));
  return convert(*in, call.output());
}

/// Inputs: the tensor, whether the copy may return early, the order that the output is to have or None for that of the
/// input, and the orders in which the dimensions of input and output lie in memory.
Result<void> reordered(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect_false(call, 1, "non_blocking"));
  MACAW_ASSIGN(const auto from, list_argument(call, 3));
  MACAW_ASSIGN(const auto to, list_argument(call, 4));
  auto wanted = from;
  if (call.optional_input(2)) {
    MACAW_ASSIGN(wanted, list_argument(call, 2));
  }
  Tensor& out = call.output();
  const auto rank = in->rank();
  if (from.size() != rank || to.size() != rank || out.rank() != rank) return invalid("orders of other ranks");
  if (wanted != to) return invalid("the output does not have the order of dimensions that the operator states");
  const auto strides_in = strides_of(in->shape());
  std::vector<std::int64_t> strides;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto place = static_cast<std::size_t>(std::ranges::find(from, to[axis]) - from.begin());
    if (place == rank || std::ranges::count(to, to[axis]) != 1) return invalid("an order names a dimension twice");
    if (in->shape()[place] != out.shape()[axis]) return invalid("input and output have different shapes");
    strides.push_back(strides_in[place]);
  }
  MACAW_CHECK(call.account(in->size()));
  MACAW_ASSIGN(Tensor moved, Tensor::create(in->dtype(), out.shape()));
  gather_strided(*in, 0, strides, moved);
  return convert(moved, out);
}

/// The same, and the type stays.
Result<void> clone_reordered(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  return reordered(call);
}

/// An input that repeats along axes of extent 1, and along leading axes that it does not have, as the output's type.
Result<void> broadcast(Call& call, std::size_t input) {
  MACAW_ASSIGN(const Tensor* in, call.input(input));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto places, Broadcast::create({in->shape()}, out.shape()));
  MACAW_CHECK(call.account(out.size()));
  MACAW_ASSIGN(Tensor moved, Tensor::create(in->dtype(), out.shape()));
  with_element_size(size_of(in->dtype()), [&]<class T>(T) {
    const auto* from = reinterpret_cast<const T*>(in->bytes().data());
    auto* to = reinterpret_cast<T*>(moved.bytes().data());
    places.for_each<1>([&](std::size_t i, const auto& at) { to[i] = from[at[0]]; });
  });
  return convert(moved, out);
}

/// Inputs: the tensor, sizes of the output's axes, where -1 keeps the input's extent, and whether the compiler inserted
/// the operator.
Result<void> expand_copy(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto sizes, list_argument(call, 1));
  MACAW_CHECK(expect_false(call, 2, "implicit"));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  if (sizes.size() < in->rank())
    return invalid(fmt::format("{} sizes for an input of rank {}", sizes.size(), in->rank()));
  const auto leading = sizes.size() - in->rank();
  Shape shape(sizes.begin(), sizes.end());
  for (std::size_t axis = 0; axis < in->rank(); ++axis)
    if (shape[leading + axis] == -1) shape[leading + axis] = in->shape()[axis];
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  return broadcast(call, 0);
}

/// Inputs: a tensor whose type and shape the output has, the one that is copied, and whether the copy may return early.
Result<void> copy(Call& call) {
  MACAW_CHECK(same_type_and_shape(call));
  MACAW_CHECK(expect_false(call, 2, "non_blocking"));
  return broadcast(call, 1);
}

/// Inputs: the tensor, and how often it repeats along each axis.
Result<void> repeat(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto times, list_argument(call, 1));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (times.size() < in->rank() || out.rank() != times.size()) return invalid("fewer numbers than axes");
  Shape inner = in->shape();
  inner.insert(inner.begin(), times.size() - in->rank(), 1);
  for (std::size_t axis = 0; axis < times.size(); ++axis)
    if (times[axis] < 0 || (inner[axis] > 0 && times[axis] > out.shape()[axis]) ||
        out.shape()[axis] != inner[axis] * times[axis])
      return invalid(fmt::format("axis {} of {} elements, expected {} times {}", axis, out.shape()[axis], times[axis],
                                 inner[axis]));
  MACAW_CHECK(call.account(out.size()));
  const auto size = size_of(in->dtype());
  std::size_t i = 0;
  for_each_position(out.shape(), static_cast<std::size_t>(out.size()), [&](const auto& position) {
    std::int64_t from = 0;
    for (std::size_t axis = 0; axis < out.rank(); ++axis) from = from * inner[axis] + position[axis] % inner[axis];
    std::memcpy(out.bytes().data() + size * i++, in->bytes().data() + static_cast<std::size_t>(from) * size, size);
  });
  return {};
}

/// Inputs: the tensor, sizes of the parts or one for all, and the axis. Each output is a part.
Result<void> split(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto sizes, list_argument(call, 1));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 2));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  if (sizes.empty()) return invalid("no sizes of parts");
  const auto extent = in->shape()[axis];
  const auto strides = strides_of(in->shape());
  std::int64_t at = 0;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const auto size = call.name == "aten::split_copy.Tensor_out" ? std::min(sizes[0], extent - at)
                      : i < sizes.size()                         ? sizes[i]
                                                                 : -1;
    if (size < 0 || size > extent - at) return invalid("the parts do not fit the input");
    Shape shape = in->shape();
    shape[axis] = size;
    MACAW_CHECK(expect(call.output(i), in->dtype(), "a part"));
    MACAW_CHECK(expect(call.output(i), shape, "a part"));
    gather_strided(*in, at * strides[axis], strides, call.output(i));
    at += size;
  }
  if (at != extent) return invalid("the parts are shorter than the input");
  return {};
}

/// Inputs: the tensor, and the axis. Each output is what one place along the axis has, without the axis.
Result<void> unbind(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto dim, integer_argument(call, 1));
  MACAW_ASSIGN(const auto axis, normal_axis(dim, in->rank()));
  if (static_cast<std::int64_t>(call.outputs.size()) != in->shape()[axis])
    return invalid(fmt::format("{} outputs for an axis of {} elements", call.outputs.size(), in->shape()[axis]));
  auto strides = strides_of(in->shape());
  const auto step = strides[axis];
  strides.erase(strides.begin() + std::ptrdiff_t(axis));
  Shape shape = in->shape();
  shape.erase(shape.begin() + std::ptrdiff_t(axis));
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    MACAW_CHECK(expect(call.output(i), in->dtype(), "a part"));
    MACAW_CHECK(expect(call.output(i), shape, "a part"));
    gather_strided(*in, static_cast<std::int64_t>(i) * step, strides, call.output(i));
  }
  return {};
}

/// Inputs: the tensor, pairs of elements before and behind from the last axis on, and the number that they are. The
/// kernel does not take negative paddings, which would cut elements off.
Result<void> constant_pad(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const auto pads, list_argument(call, 1));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  if (pads.size() % 2 != 0 || pads.size() / 2 > in->rank()) return invalid("paddings that do not fit the axes");
  Shape before(in->rank(), 0), shape = in->shape();
  for (std::size_t i = 0; i * 2 < pads.size(); ++i) {
    const auto axis = in->rank() - 1 - i;
    constexpr std::int64_t kMost = 1'000'000'000;
    for (const auto pad : {pads[2 * i], pads[2 * i + 1]})
      if (pad < 0 || pad > kMost) return invalid(fmt::format("padding {}, expected 0 to {}", pad, kMost));
    before[axis] = pads[2 * i];
    if (__builtin_add_overflow(shape[axis], pads[2 * i] + pads[2 * i + 1], &shape[axis]))
      return invalid(fmt::format("axis {} has more than 2^63-1 elements", axis));
  }
  MACAW_CHECK(expect(out, shape, "the output"));
  MACAW_ASSIGN(const auto number, number_argument(call, 2));
  return with_number(in->dtype(), [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto value, number.fitting<T>());
    pad_elements<T>(*in, before, value, out);
    return {};
  });
}

/// All elements are a number among the arguments.
Result<void> filled(Call& call, std::size_t argument) {
  MACAW_ASSIGN(const auto number, number_argument(call, argument));
  return with_number(call.output().dtype(), [&]<class T>(T) -> Result<void> {
    MACAW_ASSIGN(const auto value, number.fitting<T>());
    std::ranges::fill(call.output().uninitialized_data<T>(), value);
    return {};
  });
}

/// Inputs: the shape, and the number.
Result<void> full(Call& call) {
  MACAW_ASSIGN(const auto shape, list_argument(call, 0));
  MACAW_CHECK(expect(call.output(), Shape(shape.begin(), shape.end()), "the output"));
  return filled(call, 1);
}

/// Inputs: a tensor whose shape the output has, the number, and the memory format.
Result<void> full_like(Call& call) {
  MACAW_CHECK(same_shape(call));
  MACAW_CHECK(expect_contiguous_format(call, 2, true));
  return filled(call, 1);
}

Result<void> scalar_tensor(Call& call) {
  MACAW_CHECK(expect(call.output(), Shape{}, "the output"));
  return filled(call, 0);
}

/// start + i * step, in double precision.
Result<void> arange(Call& call, double start, double end, double step) {
  const double count = std::ceil((end - start) / step);
  if (step == 0 || !(count >= 0) || count != static_cast<double>(call.output().size()) || call.output().rank() != 1)
    return invalid(fmt::format("the numbers from {} to {} by {} do not fit an output of {} elements", start, end, step,
                               call.output().size()));
  return with_number(call.output().dtype(), [&]<class T>(T) -> Result<void> {
    const auto to = call.output().uninitialized_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const double value = start + static_cast<double>(i) * step;
      to[i] = converted<T>(value);
    }
    return {};
  });
}

Result<void> arange_to(Call& call) {
  MACAW_ASSIGN(const auto end, real_argument(call, 0));
  return arange(call, 0, end, 1);
}

Result<void> arange_from(Call& call) {
  MACAW_ASSIGN(const auto start, real_argument(call, 0));
  MACAW_ASSIGN(const auto end, real_argument(call, 1));
  MACAW_ASSIGN(const auto step, real_argument(call, 2));
  return arange(call, start, end, step);
}

constexpr Definition kDefinitions[] = {
    {"aten::clone", 1, 2, 1, 1, clone},
    {"aten::_to_copy", 1, 3, 1, 1, to_copy},
    {"aten::alias_copy", 1, 1, 1, 1, clone},
    {"aten::detach_copy", 1, 1, 1, 1, clone},
    {"aten::lift_fresh_copy", 1, 1, 1, 1, clone},
    {"aten::copy", 3, 3, 1, 1, copy},
    {"aten::copy_", 3, 3, 1, 1, copy},
    {"dim_order_ops::_to_dim_order_copy", 5, 5, 1, 1, reordered},
    {"dim_order_ops::_clone_dim_order", 5, 5, 1, 1, clone_reordered},
    {"aten::unsqueeze_copy", 2, 2, 1, 1, copy_elements},
    {"aten::squeeze_copy", 1, 1, 1, 1, copy_elements},
    {"aten::squeeze_copy.dim_out", 2, 2, 1, 1, copy_elements},
    {"aten::squeeze_copy.dims_out", 2, 2, 1, 1, copy_elements},
    {"aten::expand_copy", 2, 3, 1, 1, expand_copy},
    {"aten::repeat", 2, 2, 1, 1, repeat},
    {"aten::split_copy.Tensor_out", 3, 3, 1, -1, split},
    {"aten::split_with_sizes_copy", 3, 3, 1, -1, split},
    {"aten::unbind_copy.int_out", 2, 2, 1, -1, unbind},
    {"aten::constant_pad_nd", 3, 3, 1, 1, constant_pad},
    {"aten::full", 2, 2, 1, 1, full},
    {"aten::full_like", 2, 3, 1, 1, full_like},
    {"aten::scalar_tensor", 1, 1, 1, 1, scalar_tensor},
    {"aten::arange", 1, 1, 1, 1, arange_to},
    {"aten::arange.start_out", 3, 3, 1, 1, arange_from},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::executorch::copies
