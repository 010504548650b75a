#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/arith/scale.hpp"
#include "reference/op/def.hpp"
#include "reference/op/type_conversion/scale_block.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "shape"},
    {Category::kInput, "multiplier", "mul_t", "[NC]", 1, 1, false, true},
    {Category::kInput, "shift", "i8_t", "[NC]", 1, 1, false, true},
    {Category::kInput, "input_zp", "in_t", "[1]", 1, 1, false, true},
    {Category::kInput, "output_zp", "out_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "scale32", "bool_t"},
    {Category::kAttribute, "rounding_mode", "rounding_mode_t"},
    {Category::kAttribute, "per_channel", "bool_t"},
    {Category::kAttribute, "input_unsigned", "bool_t"},
    {Category::kAttribute, "output_unsigned", "bool_t"},
    {Category::kOutput, "output", "out_t", "shape"},
};
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

bool in_is(const View& v, DType dtype) { return v.inputs[0].dtype == dtype; }
bool out_is(const View& v, DType dtype) { return v.outputs[0].dtype == dtype; }
bool in_unsigned(const View& v) { return v.attr(Attr::k_input_unsigned) != 0; }
bool out_unsigned(const View& v) { return v.attr(Attr::k_output_unsigned) != 0; }
bool scale32(const View& v) { return v.attr(Attr::k_scale32) != 0; }
bool per_channel(const View& v) { return v.attr(Attr::k_per_channel) != 0; }
bool double_round(const View& v) {
  return v.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(RoundingMode::kDoubleRound);
}
// 32768 is the int16 element 0x8000.
bool is_uint16_zero_point(std::int64_t value) { return value == 0 || value == 32768 || value == -32768; }

std::int64_t channels(const View& v) { return per_channel(v) && v.in_rank(0) > 0 ? v.in_shape(0).back() : 1; }

constexpr Check kScaleValid = found_by_kernel("shift", "multipliers must not be negative, shifts must be 2 to 62");
constexpr Check kValueInRange = found_by_kernel("input", "a value must be in the range that its shift allows");
constexpr Check kScaledFits = found_by_kernel("input", "a scaled value must fit 32 bits");
constexpr Check kSumFits = found_by_kernel("output_zp", "a scaled value plus output_zp must fit 32 bits");

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "multiplier", "the multiplier must be int32 with scale32 and int16 without",
     [](const View& v) { return v.inputs[1].dtype != (scale32(v) ? DType::kINT32 : DType::kINT16); }},
    {Rule::kErrorIf, "input_zp", "input_zp must be 0 unless the input is int8 or unsigned int16",
     [](const View& v) {
       return !in_is(v, DType::kINT8) && (!in_is(v, DType::kINT16) || !in_unsigned(v)) && !v.is_zero(3);
     },
     value_of(3)},
    {Rule::kErrorIf, "output_zp", "output_zp must be 0 unless the output is int8 or unsigned int16",
     [](const View& v) {
       return !out_is(v, DType::kINT8) && (!out_is(v, DType::kINT16) || !out_unsigned(v)) && !v.is_zero(4);
     },
     value_of(4)},
    {Rule::kErrorIf, "input_zp", "input_zp of an unsigned int16 input must be 0 or 32768",
     [](const View& v) { return in_is(v, DType::kINT16) && in_unsigned(v) && !is_uint16_zero_point(v.in_int(3)); },
     value_of(3)},
    {Rule::kErrorIf, "output_zp", "output_zp of an unsigned int16 output must be 0 or 32768",
     [](const View& v) { return out_is(v, DType::kINT16) && out_unsigned(v) && !is_uint16_zero_point(v.in_int(4)); },
     value_of(4)},
    {Rule::kErrorIf, "scale32", "scale32 does not go with an int48 input",
     [](const View& v) { return scale32(v) && in_is(v, DType::kINT48); }},
    {Rule::kErrorIf, "rounding_mode", "double rounding needs scale32",
     [](const View& v) { return !scale32(v) && double_round(v); }},
    {Rule::kErrorIf, "input_unsigned", "input and output must not both be unsigned",
     [](const View& v) { return in_unsigned(v) && out_unsigned(v); }},
    {Rule::kErrorIf, "input_unsigned", "an unsigned input does not go with an int32 output",
     [](const View& v) { return out_is(v, DType::kINT32) && in_unsigned(v); }},
    {Rule::kErrorIf, "output_unsigned", "an unsigned output does not go with an int32 input",
     [](const View& v) { return in_is(v, DType::kINT32) && out_unsigned(v); }},
    {Rule::kErrorIf, "output_unsigned", "an unsigned output does not go with an int48 input",
     [](const View& v) { return in_is(v, DType::kINT48) && out_unsigned(v); }},
    {Rule::kErrorIf, "input_unsigned", "an int48 input must not be unsigned",
     [](const View& v) { return in_is(v, DType::kINT48) && in_unsigned(v); }},
    {Rule::kErrorIf, "input_unsigned", "an int32 input must not be unsigned",
     [](const View& v) { return in_is(v, DType::kINT32) && in_unsigned(v); }},
    {Rule::kErrorIf, "output_unsigned", "an int32 output must not be unsigned",
     [](const View& v) { return out_is(v, DType::kINT32) && out_unsigned(v); }},
    {Rule::kErrorIf, "per_channel", "per_channel needs an input of rank 1 or more",
     [](const View& v) { return per_channel(v) && v.in_rank(0) < 1; }},
    {Rule::kErrorIf, "multiplier", "there must be one multiplier and shift, or with per_channel one for each channel",
     [](const View& v) { return v.in_shape(1)[0] != channels(v) || v.in_shape(2)[0] != channels(v); }},
    kScaleValid,
    kValueInRange,
    kScaledFits,
    kSumFits,
};

struct Rescale {
  std::vector<Scale> scales;
  std::int64_t in_zp = 0, out_zp = 0, low = 0, high = 0;
  bool scale32 = false, double_round = false;
};

/// The number that an int48 element holds, whatever its upper bits.
constexpr std::int64_t low_48_bits(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 16) >> 16;
}

/// Whether the REQUIREs held for all elements.
struct Held {
  bool range = true, sum = true;
};

template <class In, class Out>
Held rescale16(const In* in, const Rescale& how, std::size_t size, Out* out) {
  const OutputClip clip(how.out_zp, how.low, how.high);
  Held held;
  std::int32_t mark = 0;
  for (std::size_t first = 0; first < size; first += how.scales.size())
    for (std::size_t c = 0; c < how.scales.size(); ++c) {
      std::int64_t value = 0;
      if constexpr (sizeof(In) == 8) value = low_48_bits(in[first + c]);
      else value = in[first + c] - how.in_zp;
      out[first + c] = static_cast<Out>(clip.apply(apply_scale_16(value, how.scales[c], held.range), mark));
    }
  held.sum = mark >= 0;
  return held;
}

/// Block by block: elements are widened, scaled by the vector kernel, and clipped.
template <class In, class Out>
Held rescale32(const In* in, const Rescale& how, std::size_t size, Out* out) {
  constexpr std::size_t kBlock = 512;
  const auto channels = how.scales.size();
  // The scales over a block: a whole number of channel rows, or part of one.
  const auto repeats = std::max<std::size_t>(kBlock / channels, 1);
  std::vector<std::int32_t> multipliers, shifts;
  for (std::size_t i = 0; i < repeats; ++i)
    for (const auto& scale : how.scales) {
      multipliers.push_back(scale.multiplier);
      shifts.push_back(scale.shift);
    }
  std::array<std::int32_t, kBlock> values;
  const auto in_zp = static_cast<std::int32_t>(how.in_zp);  // 0 for int32
  const OutputClip clip(how.out_zp, how.low, how.high);
  Held held;
  for (std::size_t first = 0; first < size;) {
    const auto at = first % multipliers.size();
    const auto count = std::min({kBlock, multipliers.size() - at, size - first});
    for (std::size_t i = 0; i < count; ++i) values[i] = in[first + i] - in_zp;
    held.range &= scale_block(
        {values.data(), multipliers.data() + at, shifts.data() + at, values.data(), count, how.double_round});
    held.sum &= clip_block(values.data(), count, clip, out + first);
    first += count;
  }
  return held;
}

/// The least (or in a bounds run the greatest) result that INEXACT_ROUND allows: half for the rounding to an integer,
/// and rounding errors of FP32, three of the product and one of the sum with the zero point (type_conversion.adoc).
template <class In, class Out>
Held rescale_limits(const In* in, const Rescale& how, bool greatest, std::size_t size, Out* out) {
  const OutputClip clip(how.out_zp, how.low, how.high);
  Held held;
  std::int32_t mark = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto scale = how.scales[i % how.scales.size()];
    const auto value = sizeof(In) == 8 ? low_48_bits(static_cast<std::int64_t>(in[i])) : in[i] - how.in_zp;
    const auto scaled = std::ldexp(static_cast<double>(value) * scale.multiplier, -scale.shift);
    const auto error =
        0.5 + std::ldexp(3 * std::fabs(scaled) + std::fabs(scaled + static_cast<double>(how.out_zp)), -24);
    const auto limit = greatest ? std::floor(scaled + error) : std::ceil(scaled - error);
    constexpr double kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();
    out[i] = static_cast<Out>(clip.apply(static_cast<std::int32_t>(std::clamp(limit, kMin, kMax)), mark));
  }
  held.sum = mark >= 0;
  return held;
}

/// `In` and `Out` are of the signedness that the attributes say; In is std::int64_t for int48.
template <class In, class Out>
Held rescale(Call& call, const Rescale& how) {
  const auto* in = reinterpret_cast<const In*>(call.in(0).bytes().data());
  auto* out = reinterpret_cast<Out*>(call.out(0).bytes_to_fill().data());
  const auto size = static_cast<std::size_t>(call.out(0).size());
  const auto rounding = static_cast<RoundingMode>(call.attr(Attr::k_rounding_mode));
  if (call.precise && rounding == RoundingMode::kInexactRound) return rescale_limits(in, how, call.bounds, size, out);
  if constexpr (sizeof(In) < 8)
    if (how.scale32) return rescale32(in, how, size, out);
  return rescale16(in, how, size, out);
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

// INEXACT_ROUND leaves the rounding open within an error bound that SINGLE_ROUND meets (type_conversion.adoc, RESCALE).
template <class In, class Out>
Result<void> kernel(Call& call) {
  const bool from_unsigned = call.attr(Attr::k_input_unsigned) != 0,
             to_unsigned = call.attr(Attr::k_output_unsigned) != 0;
  Rescale how;
  how.scale32 = call.attr(Attr::k_scale32) != 0;
  how.double_round = call.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(RoundingMode::kDoubleRound);
  how.scales = how.scale32 ? scales<std::int32_t>(call) : scales<std::int16_t>(call);
  if (!call.require(std::all_of(how.scales.begin(), how.scales.end(), is_valid), kScaleValid)) return {};
  if constexpr (sizeof(In) < 8) how.in_zp = zero_point<In>(call.in(3), from_unsigned);
  how.out_zp = zero_point<Out>(call.in(4), to_unsigned);
  using UnsignedOut = std::make_unsigned_t<Out>;
  how.low = to_unsigned ? 0 : std::int64_t{std::numeric_limits<Out>::min()};
  how.high = to_unsigned ? std::int64_t{std::numeric_limits<UnsignedOut>::max()}
                         : std::int64_t{std::numeric_limits<Out>::max()};
  const auto held = [&] {
    // The checks allow unsigned operands among int8 and int16 only.
    if constexpr (sizeof(In) < 4 && sizeof(Out) < 4) {
      if (to_unsigned) return rescale<In, UnsignedOut>(call, how);
      if (from_unsigned) return rescale<std::make_unsigned_t<In>, Out>(call, how);
    }
    return rescale<In, Out>(call, how);
  }();
  call.require(held.range, how.scale32 ? kValueInRange : kScaledFits);
  call.require(held.sum, kSumFits);
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8}, kInProInt, 0, kernel<std::int8_t, std::int8_t>},
    {{DType::kINT8, DType::kINT16}, kInProInt, 0, kernel<std::int8_t, std::int16_t>},
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, kernel<std::int8_t, std::int32_t>},
    {{DType::kINT16, DType::kINT8}, kInProInt, 0, kernel<std::int16_t, std::int8_t>},
    {{DType::kINT16, DType::kINT16}, kInProInt, 0, kernel<std::int16_t, std::int16_t>},
    {{DType::kINT16, DType::kINT32}, kInProInt, 0, kernel<std::int16_t, std::int32_t>},
    {{DType::kINT32, DType::kINT8}, kInProInt, 0, kernel<std::int32_t, std::int8_t>},
    {{DType::kINT32, DType::kINT16}, kInProInt, 0, kernel<std::int32_t, std::int16_t>},
    {{DType::kINT32, DType::kINT32}, kInProInt, 0, kernel<std::int32_t, std::int32_t>},
    {{DType::kINT48, DType::kINT8}, kInExtInt16, 0, kernel<std::int64_t, std::int8_t>},
    {{DType::kINT48, DType::kINT16}, kInExtInt16, 0, kernel<std::int64_t, std::int16_t>},
    {{DType::kINT48, DType::kINT32}, kInExtInt16, 0, kernel<std::int64_t, std::int32_t>},
};

}  // namespace

extern constexpr Definition kRESCALE = {Op::kRESCALE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
