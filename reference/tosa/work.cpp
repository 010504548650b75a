#include "reference/tosa/work.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reference/tosa/arith/checked.hpp"

namespace macaw::tosa {
namespace {

// An element written or read, in multiply-accumulates of the fastest products.
constexpr Wide kWorkOfElement = 16;
// A complex number through the butterflies of both dimensions.
constexpr Wide kWorkOfTransform = 20 * kWorkOfElement;

Wide product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), Wide{1}, [](Wide a, std::int64_t b) { return a * b; });
}

Wide elements(const Tensor& tensor) { return tensor.size(); }

/// Weight elements used by one output element, for a weight whose first extent is the output's channels.
Wide weights_of_channel(const Tensor& weight) { return product(std::span(weight.shape()).subspan(1)); }

/// Pairs of an output and a tap that meet along an axis of TRANSPOSE_CONV2D: a tap reaches every stride-th output.
Wide taps_of_transposed(std::int64_t taps, std::int64_t outputs, std::int64_t pad, std::int64_t stride) {
  Wide pairs = 0;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const auto first = ((pad + tap) % stride + stride) % stride;
    if (first < outputs) pairs += (outputs - first - 1) / stride + 1;
  }
  return pairs;
}

Wide products_of_transposed(const Operator& op, const Shape& weight, const Shape& out) {
  const auto &pad = op.get_ints(Attr::k_out_pad), &stride = op.get_ints(Attr::k_stride);
  return Wide{out[0]} * out[3] * weight[3] * taps_of_transposed(weight[1], out[1], pad[0], stride[0]) *
         taps_of_transposed(weight[2], out[2], pad[2], stride[1]);
}

/// The remainder that is not a multiple of the output's elements.
Wide work_of_all(const Operator& op, std::span<const Tensor* const> inputs,
                 std::span<const std::shared_ptr<Tensor>> outputs) {
  switch (op.op) {
    case Op::kTRANSPOSE_CONV2D: return products_of_transposed(op, inputs[1]->shape(), outputs[0]->shape());
    case Op::kARGMAX:
    case Op::kREDUCE_ALL:
    case Op::kREDUCE_ANY:
    case Op::kREDUCE_MAX:
    case Op::kREDUCE_MIN:
    case Op::kREDUCE_PRODUCT:
    case Op::kREDUCE_SUM: return kWorkOfElement * elements(*inputs[0]);
    default: return 0;
  }
}

Wide work_of_each(const Operator& op, std::span<const Tensor* const> inputs, bool bounds) {
  switch (op.op) {
    case Op::kCONV2D:
    case Op::kCONV3D: return weights_of_channel(*inputs[1]);
    case Op::kCONV2D_BLOCK_SCALED: return weights_of_channel(*inputs[2]);
    case Op::kDEPTHWISE_CONV2D: return product(std::span(inputs[1]->shape()).first(2));
    case Op::kMATMUL:
    case Op::kMATMUL_T:
    case Op::kMATMUL_T_BLOCK_SCALED: return inputs[0]->shape()[2];
    case Op::kAVG_POOL2D:
    case Op::kMAX_POOL2D: return product(op.get_ints(Attr::k_kernel));
    // Only kernel taps inside the input count; padding is skipped.
    case Op::kAVG_POOL2D_ADAPTIVE:
    case Op::kMAX_POOL2D_ADAPTIVE: return product(std::span(inputs[0]->shape()).subspan(1, 2));
    case Op::kFFT2D:
    case Op::kRFFT2D:
      return bounds ? kWorkOfElement * product(std::span(inputs[0]->shape()).subspan(1)) : kWorkOfTransform;
    default: return 0;
  }
}

std::int64_t limited(Wide work) {
  return static_cast<std::int64_t>(std::min<Wide>(work, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

std::int64_t work_of(const Operator& op, std::span<const Tensor* const> inputs,
                     std::span<const std::shared_ptr<Tensor>> outputs, bool bounds) {
  const auto each = kWorkOfElement + work_of_each(op, inputs, bounds);
  auto work = kWorkPerOperator + work_of_all(op, inputs, outputs);
  for (const auto& output : outputs) work += each * elements(*output);
  return limited(work);
}

std::int64_t work_of_body(std::span<const Tensor* const> arguments) {
  Wide work = kWorkPerOperator;
  for (const auto* argument : arguments) work += kWorkOfElement * elements(*argument);
  return limited(work);
}

}  // namespace macaw::tosa
