#include "sim/host/kernels.hpp"
#include "sim/host/quantization.hpp"

#include <algorithm>

#include <fmt/format.h>

// Operators that lay tensors side by side or take them apart again.
namespace macaw::npu::host {
namespace {

enum class Direction { kJoin, kSplit };

/// Bytes between the parts and the whole: each part gives `run` bytes in turn, for every outer index.
void interleave(Direction direction, std::span<const std::span<std::byte>> parts, std::span<const std::size_t> runs,
                std::span<std::byte> whole, std::int64_t outer) {
  std::size_t at = 0;
  for (std::size_t o = 0; o < static_cast<std::size_t>(outer); ++o)
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto part = parts[p].subspan(o * runs[p], runs[p]), here = whole.subspan(at, runs[p]);
      if (direction == Direction::kJoin) std::ranges::copy(part, here.begin());
      else std::ranges::copy(here, part.begin());
      at += runs[p];
    }
}

/// Parts of equal shape along a new axis of the whole.
Result<void> stack(Direction direction, std::span<Tensor* const> parts, Tensor& whole, std::int32_t option) {
  MACAW_ASSIGN(const std::size_t axis, normal_axis(option, whole.rank()));
  Shape shape = whole.shape();
  if (shape[axis] != static_cast<std::int64_t>(parts.size()))
    return invalid(fmt::format("{} tensors for extent {}", parts.size(), shape[axis]));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::vector<std::span<std::byte>> bytes;
  for (Tensor* part : parts) {
    MACAW_CHECK(expect(*part, whole.dtype(), "a tensor"));
    MACAW_CHECK(expect(*part, shape, "a tensor"));
    bytes.push_back(part->bytes());
  }
  if (whole.size() == 0) return {};
  const auto run = static_cast<std::size_t>(product(shape, axis, shape.size())) * macaw::size_of(whole.dtype());
  const std::vector<std::size_t> runs(parts.size(), run);
  interleave(direction, bytes, runs, whole.bytes(), product(shape, 0, axis));
  return {};
}

Result<std::vector<Tensor*>> all_inputs(HostCall& call) {
  std::vector<Tensor*> tensors;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    MACAW_CHECK(input(call, i));
    tensors.push_back(&*call.inputs[i]);
  }
  return tensors;
}

}  // namespace

Result<void> pack(HostCall& call) {
  MACAW_ASSIGN(const auto option, options<PackOptions>(call));
  MACAW_ASSIGN(const auto parts, all_inputs(call));
  return stack(Direction::kJoin, parts, call.outputs[0], option.axis);
}

Result<void> unpack(HostCall& call) {
  MACAW_ASSIGN(const auto option, options<UnpackOptions>(call));
  MACAW_ASSIGN(const auto whole, all_inputs(call));
  std::vector<Tensor*> parts;
  for (Tensor& part : call.outputs) parts.push_back(&part);
  return stack(Direction::kSplit, parts, *whole[0], option.axis);
}

Result<void> concatenation(HostCall& call) {
  MACAW_ASSIGN(const auto option, options<ConcatenationOptions>(call));
  if (option.activation != HostActivation::kNone) return unsupported("a fused activation");
  MACAW_ASSIGN(const auto parts, all_inputs(call));
  Tensor& whole = call.outputs[0];
  MACAW_ASSIGN(const std::size_t axis, normal_axis(option.axis, whole.rank()));
  const bool quantized = call.op.outputs[0].quantization && !is_float(whole.dtype());
  Affine to;
  if (quantized) {
    MACAW_ASSIGN(to, affine(call.op.outputs[0]));
  }
  std::vector<std::span<std::byte>> bytes;
  std::vector<std::size_t> runs;
  if (whole.size() == 0) return {};
  std::int64_t extent = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    MACAW_CHECK(expect(*parts[i], whole.dtype(), "an input"));
    if (quantized) {
      MACAW_ASSIGN(const Affine from, affine(call.op.inputs[i]));
      if (from.scale != to.scale || from.zero_point != to.zero_point)
        return unsupported(fmt::format("input {} has another scale than the output", i));
    }
    Shape shape = parts[i]->shape();
    if (shape.size() != whole.rank()) return invalid(fmt::format("input {} has {} axes", i, shape.size()));
    const std::int64_t here = shape[axis];
    shape[axis] = whole.shape()[axis];
    if (shape != whole.shape() || here > shape[axis] - extent)
      return invalid(
          fmt::format("input {} of shape {} does not fit the output", i, macaw::to_string(parts[i]->shape())));
    extent += here;
    shape[axis] = here;
    bytes.push_back(parts[i]->bytes());
    runs.push_back(static_cast<std::size_t>(product(shape, axis, shape.size())) * macaw::size_of(whole.dtype()));
  }
  if (extent != whole.shape()[axis]) return invalid("the inputs do not fill the output");
  interleave(Direction::kJoin, bytes, runs, whole.bytes(), product(whole.shape(), 0, axis));
  return {};
}

}  // namespace macaw::npu::host
