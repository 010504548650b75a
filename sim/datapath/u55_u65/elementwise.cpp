#include "sim/datapath/u55_u65/elementwise.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/byte_sums.hpp"
#include "sim/datapath/elementwise_operands.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Scaling of the operands of ADD and SUB (u55_u65 5.4). Operand A is the first of the operation, that is IFM2 when the
/// operands are swapped: both of Vela's generators then exchange OPA_32 and OPB_32
/// (ethosu/vela/register_command_stream_generator.py, generate_scaling_for_elementwise), and only this reproduces a
/// network measured on Arm's platform (rnnoise, 1 - x of its gates).
struct OperandScales {
  OperandScaling mode;
  Requantizer scaled;         ///< by OPA_SCALE with the IFM's rounding
  std::int64_t opa16, opb16;  ///< mode 0
  std::int64_t other;         ///< factor of the operand that is not rescaled in modes 1 and 2

  explicit OperandScales(const BlockOperation& op) : mode(op.operand_scaling), scaled(scaling(op)) {
    const bool wide = op.ifm.bits == 16;
    opa16 = op.ifm_scale.scale & 0xFFFF;
    opb16 = op.ifm2_scale.scale & 0xFFFF;
    // The register's header calls OPB_SCALE unused here, but Vela's streams for TOSA ADD with fused rescales write it
    // and are right only if it multiplies (u55_u65 9.1; Arm's platform runs them correctly).
    other = opb16 != 0 ? opb16 : std::int64_t{1} << (wide ? 14 : 19);
  }

  static Scaling scaling(const BlockOperation& op) {
    Scaling s = op.ifm_scale;
    s.dbl = op.ifm.bits == 16 ? 15 : 20;
    return s;
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> apply(std::int64_t a, std::int64_t b) const {
    switch (mode) {
      case OperandScaling::kOpaOpb16: return {wrapping_mul(a, opa16), wrapping_mul(b, opb16)};
      case OperandScaling::kOpa32: return {scaled(a), wrapping_mul(b, other)};
      case OperandScaling::kOpb32: return {wrapping_mul(a, other), scaled(b)};
    }
    return {a, b};
  }
};

/// ADD and SUB by sum_bytes(); false if it does not support them.
bool sums(const BlockOperation& op, const FeatureMapView& ifm, const FeatureMapView& ifm2, const OperandScales& scales,
          const Scaling& ofm_scale, OutputRows& out) {
  const bool add = op.elementwise == ElementwiseMode::kAdd;
  if (!add && op.elementwise != ElementwiseMode::kSub) return false;
  const auto term_a = [&](std::int64_t value) { return scales.apply(value, 0).first; };
  const auto term_b = [&](std::int64_t value) {
    const std::int64_t scaled = scales.apply(0, value).second;
    return add ? scaled : -scaled;
  };
  const bool swapped = op.operands_swapped;
  return sum_bytes(op, {swapped ? ifm2 : ifm, term_a}, {swapped ? ifm : ifm2, term_b}, ofm_scale, out);
}

}  // namespace

Result<void> elementwise(const BlockOperation& op, const FeatureMapView& ifm, const FeatureMapView* ifm2, bool scalar,
                         OutputRows& out) {
  MACAW_CHECK(check_extents(op, ifm.map(), "IFM"));
  if (ifm2) MACAW_CHECK(check_extents(op, ifm2->map(), "IFM2"));

  // With 32-bit maps the operands are not scaled and the result is shifted only.
  const bool wide = op.ifm.bits == 32 || op.ofm.bits == 32;
  Scaling ofm_scale = op.ofm_scale;
  if (wide) ofm_scale.scale = 1;
  const OperandScales operand_scales(op);
  if (ifm2 && !wide && !scalar && sums(op, ifm, *ifm2, operand_scales, ofm_scale, out)) return {};
  const Operand a(ifm, out);
  const Operand b = ifm2 ? Operand(*ifm2, out) : Operand(op.scalar - op.ifm2.zero_point);
  const Requantizer narrow(ofm_scale);
  // Sums of scaled operands and products of 32-bit ones can take more than 64 bits.
  const auto scaled = [&](Int128 value) {
    const auto low = static_cast<std::int32_t>(value);
    return low == value ? narrow(low) : requantize(value, ofm_scale);
  };
  const bool swapped = op.operands_swapped;
  const auto binary = [&](auto&& fn) {
    for_each(op, a, b, out, [&](std::int64_t x, std::int64_t y) { return swapped ? fn(y, x) : fn(x, y); });
  };
  const auto sum = [&](int sign) {
    for_each(op, a, b, out, [&](std::int64_t x, std::int64_t y) {
      if (swapped) std::swap(x, y);
      if (!wide) std::tie(x, y) = operand_scales.apply(x, y);
      return scaled(Int128{x} + Int128{sign} * y);
    });
  };
  switch (op.elementwise) {
    case ElementwiseMode::kAdd: sum(1); return {};
    case ElementwiseMode::kSub: sum(-1); return {};
    case ElementwiseMode::kMul:
      binary([&](std::int64_t x, std::int64_t y) { return scaled(Int128{x} * y); });
      return {};
    case ElementwiseMode::kMin: binary([](std::int64_t x, std::int64_t y) { return std::min(x, y); }); return {};
    case ElementwiseMode::kMax: binary([](std::int64_t x, std::int64_t y) { return std::max(x, y); }); return {};
    case ElementwiseMode::kAbs:
      for_each(op, a, b, out, [&](std::int64_t x, std::int64_t) { return scaled(x < 0 ? -x : x); });
      return {};
    case ElementwiseMode::kLrelu:
      for_each(op, a, b, out, [&](std::int64_t x, std::int64_t) { return x >= 0 ? x : scaled(x); });
      return {};
    case ElementwiseMode::kClz:
      for_each(op, a, b, out, [](std::int64_t x, std::int64_t) { return leading_zeros(x); });
      return {};
    case ElementwiseMode::kShl: binary(shift_left); return {};
    case ElementwiseMode::kShr:
      binary([&](std::int64_t x, std::int64_t y) { return shift_right(x, y, op.ofm_scale.rounding); });
      return {};
    default:
      return fail(ErrorCode::kHardwareFault,
                  fmt::format("elementwise mode {} does not exist on U55 and U65", static_cast<int>(op.elementwise)));
  }
}

}  // namespace macaw::npu
