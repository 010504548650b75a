#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/tosa/kernels/convert/rescale.hpp"
#include "reference/tosa/op/declare.hpp"

namespace macaw::tosa::RESCALE {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("shape"),
    input("multiplier").type("mul_t").shape("[NC]").rank(1).compile_time_constant(),
    input("shift").type("i8_t").shape("[NC]").rank(1).compile_time_constant(),
    input("input_zp").type("in_t").shape("[1]").rank(1).compile_time_constant(),
    input("output_zp").type("out_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("scale32").type("bool_t"),
    attribute("rounding_mode").type("rounding_mode_t"),
    attribute("per_channel").type("bool_t"),
    attribute("input_unsigned").type("bool_t"),
    attribute("output_unsigned").type("bool_t"),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

bool in_is(const V& v, DType dtype) { return v.dtype("input") == dtype; }
bool out_is(const V& v, DType dtype) { return v.dtype("output") == dtype; }
bool in_unsigned(const V& v) { return v.attr(Attr::k_input_unsigned) != 0; }
bool out_unsigned(const V& v) { return v.attr(Attr::k_output_unsigned) != 0; }
bool scale32(const V& v) { return v.attr(Attr::k_scale32) != 0; }
bool per_channel(const V& v) { return v.attr(Attr::k_per_channel) != 0; }
bool double_round(const V& v) {
  return v.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(RoundingMode::kDoubleRound);
}
// 32768 is the int16 element 0x8000.
bool is_uint16_zero_point(std::int64_t value) { return value == 0 || value == 32768 || value == -32768; }

std::int64_t channels(const V& v) { return per_channel(v) && v.rank("input") > 0 ? v.shape("input").back() : 1; }

constexpr Check kScaleValid = found_by_kernel("shift", "multipliers must not be negative, shifts must be 2 to 62");
constexpr Check kValueInRange = found_by_kernel("input", "a value must be in the range that its shift allows");
constexpr Check kScaledFits = found_by_kernel("input", "a scaled value must fit 32 bits");
constexpr Check kSumFits = found_by_kernel("output_zp", "a scaled value plus output_zp must fit 32 bits");

constexpr Check kChecks[] = {
    error_if("multiplier", "the multiplier must be int32 with scale32 and int16 without",
             [](const V& v) { return v.dtype("multiplier") != (scale32(v) ? kINT32 : kINT16); }),
    error_if(
        "input_zp", "input_zp must be 0 unless the input is int8 or unsigned int16",
        [](const V& v) { return !in_is(v, kINT8) && (!in_is(v, kINT16) || !in_unsigned(v)) && !v.is_zero("input_zp"); })
        .reads("input_zp"),
    error_if("output_zp", "output_zp must be 0 unless the output is int8 or unsigned int16",
             [](const V& v) {
               return !out_is(v, kINT8) && (!out_is(v, kINT16) || !out_unsigned(v)) && !v.is_zero("output_zp");
             })
        .reads("output_zp"),
    error_if(
        "input_zp", "input_zp of an unsigned int16 input must be 0 or 32768",
        [](const V& v) { return in_is(v, kINT16) && in_unsigned(v) && !is_uint16_zero_point(v.integer("input_zp")); })
        .reads("input_zp"),
    error_if("output_zp", "output_zp of an unsigned int16 output must be 0 or 32768",
             [](const V& v) {
               return out_is(v, kINT16) && out_unsigned(v) && !is_uint16_zero_point(v.integer("output_zp"));
             })
        .reads("output_zp"),
    error_if("scale32", "scale32 does not go with an int48 input",
             [](const V& v) { return scale32(v) && in_is(v, kINT48); }),
    error_if("rounding_mode", "double rounding needs scale32",
             [](const V& v) { return !scale32(v) && double_round(v); }),
    error_if("input_unsigned", "input and output must not both be unsigned",
             [](const V& v) { return in_unsigned(v) && out_unsigned(v); }),
    error_if("input_unsigned", "an unsigned input does not go with an int32 output",
             [](const V& v) { return out_is(v, kINT32) && in_unsigned(v); }),
    error_if("output_unsigned", "an unsigned output does not go with an int32 input",
             [](const V& v) { return in_is(v, kINT32) && out_unsigned(v); }),
    error_if("output_unsigned", "an unsigned output does not go with an int48 input",
             [](const V& v) { return in_is(v, kINT48) && out_unsigned(v); }),
    error_if("input_unsigned", "an int48 input must not be unsigned",
             [](const V& v) { return in_is(v, kINT48) && in_unsigned(v); }),
    error_if("input_unsigned", "an int32 input must not be unsigned",
             [](const V& v) { return in_is(v, kINT32) && in_unsigned(v); }),
    error_if("output_unsigned", "an int32 output must not be unsigned",
             [](const V& v) { return out_is(v, kINT32) && out_unsigned(v); }),
    error_if("per_channel", "per_channel needs an input of rank 1 or more",
             [](const V& v) { return per_channel(v) && v.rank("input") < 1; }),
    error_if("multiplier", "there must be one multiplier and shift, or with per_channel one for each channel",
             [](const V& v) { return v.dim("NC") != channels(v); }),
    kScaleValid,
    kValueInRange,
    kScaledFits,
    kSumFits,
};

/// The number that an element holds; int48 is the low bits of 64.
template <class T>
std::int64_t number(T element) {
  if constexpr (sizeof(T) == 8) return low_48_bits(element);
  else return element;
}

/// pseudocode/operators/RESCALE.tosac. INEXACT_ROUND leaves the rounding open within an error bound that SINGLE_ROUND
/// meets (type_conversion.adoc, RESCALE).
template <class In, class Out>
RescaleRequirements rescale(const Rescale& params, std::span<const In> in, std::span<Out> out) {
  RescaleRequirements ok;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto value = number(in[i]) - params.in_zp;
    const auto sum = params.apply_scale(value, i, ok.scale_fits) + params.out_zp;
    ok.sum_fits &= sum == static_cast<std::int32_t>(sum);
    out[i] = static_cast<Out>(std::clamp(sum, params.low, params.high));
  }
  return ok;
}

/// The least (or if `greatest` the greatest) result that INEXACT_ROUND allows: half for the rounding to an integer, and
/// rounding errors of FP32, three of the product and one of the sum with the zero point (type_conversion.adoc).
template <class In, class Out>
RescaleRequirements rescale_limits(const Rescale& params, std::span<const In> in, bool greatest, std::span<Out> out) {
  RescaleRequirements ok;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto scale = params.scale(i);
    const auto scaled = std::ldexp(static_cast<double>(number(in[i]) - params.in_zp) * scale.multiplier, -scale.shift);
    const auto error =
        0.5 + std::ldexp(3 * std::fabs(scaled) + std::fabs(scaled + static_cast<double>(params.out_zp)), -24);
    const auto limit = greatest ? std::floor(scaled + error) : std::ceil(scaled - error);
    constexpr double kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();
    const auto sum = static_cast<std::int64_t>(std::clamp(limit, kMin, kMax)) + params.out_zp;
    ok.sum_fits &= sum == static_cast<std::int32_t>(sum);
    out[i] = static_cast<Out>(std::clamp(sum, params.low, params.high));
  }
  return ok;
}

bool wants_limits(const Call& call, const Rescale& params) {
  return call.precise && params.rounding == RoundingMode::kInexactRound;
}

/// `In` and `Out` have the signedness of the attributes; In is std::int64_t for int48.
template <class In, class Out>
RescaleRequirements rescale(const Call& call, const Rescale& params) {
  const auto size = static_cast<std::size_t>(call.out(0).size());
  const std::span in(reinterpret_cast<const In*>(call.in(0).bytes().data()), size);
  const std::span out(reinterpret_cast<Out*>(call.out(0).uninitialized_bytes().data()), size);
  if (wants_limits(call, params)) return rescale_limits<In, Out>(params, in, call.bounds, out);
  return rescale<In, Out>(params, in, out);
}

template <class T>
std::int64_t zero_point(const Tensor& tensor, bool is_unsigned) {
  const auto value = tensor.data<T>()[0];
  return is_unsigned ? std::int64_t{static_cast<std::make_unsigned_t<T>>(value)} : std::int64_t{value};
}

template <class T>
std::vector<Scale> scales(const Call& call) {
  const auto multipliers = call.in_data<T>(1);
  const auto shifts = call.in_data<std::int8_t>(2);
  std::vector<Scale> all(multipliers.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {multipliers[i], shifts[i]};
  return all;
}

template <class In, class Out>
Rescale rescale_of(const Call& call) {
  Rescale params;
  params.scale32 = call.attr(Attr::k_scale32) != 0;
  params.rounding = static_cast<RoundingMode>(call.attr(Attr::k_rounding_mode));
  params.from_unsigned = call.attr(Attr::k_input_unsigned) != 0;
  params.to_unsigned = call.attr(Attr::k_output_unsigned) != 0;
  params.scales = params.scale32 ? scales<std::int32_t>(call) : scales<std::int16_t>(call);
  if constexpr (sizeof(In) < 8) params.in_zp = zero_point<In>(call.in(3), params.from_unsigned);
  params.out_zp = zero_point<Out>(call.in(4), params.to_unsigned);
  using Limits = std::numeric_limits<Out>;
  params.low = params.to_unsigned ? 0 : std::int64_t{Limits::min()};
  params.high = params.to_unsigned ? std::int64_t{std::numeric_limits<std::make_unsigned_t<Out>>::max()}
                                   : std::int64_t{Limits::max()};
  return params;
}

template <class In, class Out>
RescaleRequirements rescale_signed_or_not(const Call& call, const Rescale& params) {
  // The checks allow unsigned operands among int8 and int16 only, and not both.
  if constexpr (sizeof(In) < 4 && sizeof(Out) < 4) {
    if (params.to_unsigned) return rescale<In, std::make_unsigned_t<Out>>(call, params);
    if (params.from_unsigned) return rescale<std::make_unsigned_t<In>, Out>(call, params);
  }
  return rescale<In, Out>(call, params);
}

template <class In, class Out>
Result<void> kernel(Call& call) {
  const auto params = rescale_of<In, Out>(call);
  if (!call.require(std::ranges::all_of(params.scales, is_valid), kScaleValid)) return {};
  const bool is_fast = call.kernels == Kernels::kBest && !wants_limits(call, params);
  const auto ok = is_fast ? rescale_fast(call, params) : rescale_signed_or_not<In, Out>(call, params);
  call.require(ok.scale_fits, params.scale32 ? kValueInRange : kScaledFits);
  call.require(ok.sum_fits, kSumFits);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8}).in(kProInt).takes_tiles(0).by(kernel<std::int8_t, std::int8_t>),
    row({kINT8, kINT16}).in(kProInt).takes_tiles(0).by(kernel<std::int8_t, std::int16_t>),
    row({kINT8, kINT32}).in(kProInt).takes_tiles(0).by(kernel<std::int8_t, std::int32_t>),
    row({kINT16, kINT8}).in(kProInt).takes_tiles(0).by(kernel<std::int16_t, std::int8_t>),
    row({kINT16, kINT16}).in(kProInt).takes_tiles(0).by(kernel<std::int16_t, std::int16_t>),
    row({kINT16, kINT32}).in(kProInt).takes_tiles(0).by(kernel<std::int16_t, std::int32_t>),
    row({kINT32, kINT8}).in(kProInt).takes_tiles(0).by(kernel<std::int32_t, std::int8_t>),
    row({kINT32, kINT16}).in(kProInt).takes_tiles(0).by(kernel<std::int32_t, std::int16_t>),
    row({kINT32, kINT32}).in(kProInt).takes_tiles(0).by(kernel<std::int32_t, std::int32_t>),
    row({kINT48, kINT8}).in(kExtInt16).takes_tiles(0).by(kernel<std::int64_t, std::int8_t>),
    row({kINT48, kINT16}).in(kExtInt16).takes_tiles(0).by(kernel<std::int64_t, std::int16_t>),
    row({kINT48, kINT32}).in(kExtInt16).takes_tiles(0).by(kernel<std::int64_t, std::int32_t>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kRESCALE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::RESCALE
