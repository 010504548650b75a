#pragma once
#include "sim/host/host.hpp"

#include <string>

// What the kernels share: their declarations, and checks of operands.
namespace macaw::npu::host {

#define MACAW_HOST_OPERATOR(name, kernel, min_inputs, max_inputs, outputs, state) Result<void> kernel(HostCall& call);
#include "sim/host/operators.def"
#undef MACAW_HOST_OPERATOR

[[nodiscard]] inline auto invalid(std::string what) { return fail(ErrorCode::kInvalidFile, std::move(what)); }
[[nodiscard]] inline auto unsupported(std::string what) { return fail(ErrorCode::kUnsupported, std::move(what)); }

/// A required input.
[[nodiscard]] Result<const Tensor*> input(const HostCall& call, std::size_t index);

/// An error unless the tensor has this type, or this shape.
[[nodiscard]] Result<void> expect(const Tensor& tensor, DType dtype, const char* what);
[[nodiscard]] Result<void> expect(const Tensor& tensor, const Shape& shape, const char* what);

/// The options of the operator as T; an error if the file has none.
template <class T>
[[nodiscard]] Result<T> options(const HostCall& call) {
  if (const auto* found = std::get_if<T>(&call.op.options)) return *found;
  return invalid("the options are missing");
}

/// `axis` counted from the start: axes below zero count from the end.
[[nodiscard]] Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);

/// Elements of the extents [first, last).
[[nodiscard]] std::int64_t product(const Shape& shape, std::size_t first, std::size_t last);

}  // namespace macaw::npu::host
