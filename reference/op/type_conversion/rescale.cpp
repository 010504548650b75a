#include <algorithm>
#include <limits>

#include "reference/arith/scale.hpp"
#include "reference/op/def.hpp"

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

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "multiplier", "the multiplier must be int32 with scale32 and int16 without",
     [](const View& v) { return v.inputs[1].dtype != (scale32(v) ? DType::kINT32 : DType::kINT16); }},
    {Rule::kErrorIf, "input_zp", "input_zp must be 0 unless the input is int8 or unsigned int16",
     [](const View& v) {
       return !in_is(v, DType::kINT8) && (!in_is(v, DType::kINT16) || !in_unsigned(v)) && !v.is_zero(3);
     }, value_of(3)},
    {Rule::kErrorIf, "output_zp", "output_zp must be 0 unless the output is int8 or unsigned int16",
     [](const View& v) {
       return !out_is(v, DType::kINT8) && (!out_is(v, DType::kINT16) || !out_unsigned(v)) && !v.is_zero(4);
     }, value_of(4)},
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
};

struct Rescale {
  std::vector<Scale> scales;
  std::int64_t in_zp = 0, out_zp = 0, low = 0, high = 0;
  bool wide_multiplier = false, double_round = false;
};

/// The number that an int48 element holds, whatever its upper bits.
constexpr std::int64_t low_48_bits(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 16) >> 16;
}

/// Broken REQUIREs, over all elements: bits that a correct value leaves 0.
struct Broken {
  std::uint64_t range = 0, sum = 0;
};

enum class Mode { kScale16, kScale32, kScale32DoubleRound };

/// One element: apply_scale_16 or apply_scale_32 of reference/arith, output zero point and clipping.
template <Mode kMode, class In, class Out>
Out rescale_one(In element, Scale scale, const Rescale& how, Broken& broken) {
  constexpr std::int64_t kHalf32 = std::int64_t{1} << 31;
  std::int64_t scaled = 0;
  bool holds = true;
  if constexpr (sizeof(In) == 8)
    scaled = apply_scale_16(low_48_bits(static_cast<std::int64_t>(element)), scale, holds);
  else if constexpr (kMode == Mode::kScale16)
    scaled = apply_scale_16(element - how.in_zp, scale, holds);
  else
    scaled = apply_scale_32(static_cast<std::int32_t>(element - how.in_zp), scale, kMode == Mode::kScale32DoubleRound, holds);
  const auto sum = scaled + how.out_zp;
  broken.range |= holds ? 0 : 1;
  broken.sum |= static_cast<std::uint64_t>(sum + kHalf32) >> 32;
  return static_cast<Out>(std::clamp(sum, how.low, how.high));
}

/// `In` and `Out` are of the signedness that the attributes say; In is std::int64_t for int48.
template <Mode kMode, class In, class Out>
Broken rescale_all(const In* in, const Rescale& parameters, std::size_t size, Out* out) {
  const auto how = parameters;  // local, so that stores to `out` cannot change it
  Broken broken;
  if (how.scales.size() == 1) {
    const auto scale = how.scales[0];
    for (std::size_t i = 0; i < size; ++i) out[i] = rescale_one<kMode, In, Out>(in[i], scale, how, broken);
  } else {
    for (std::size_t first = 0; first < size; first += how.scales.size())
      for (std::size_t c = 0; c < how.scales.size(); ++c)
        out[first + c] = rescale_one<kMode, In, Out>(in[first + c], how.scales[c], how, broken);
  }
  return broken;
}

template <class In, class Out>
Broken rescale(Call& call, const Rescale& how) {
  const auto* in = reinterpret_cast<const In*>(call.in(0).bytes().data());
  auto* out = reinterpret_cast<Out*>(call.out(0).bytes().data());
  const auto size = static_cast<std::size_t>(call.out(0).size());
  if constexpr (sizeof(In) < 8) {
    if (how.double_round) return rescale_all<Mode::kScale32DoubleRound>(in, how, size, out);
    if (how.wide_multiplier) return rescale_all<Mode::kScale32>(in, how, size, out);
  }
  return rescale_all<Mode::kScale16>(in, how, size, out);
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
Result<void> kernel(Call& call) {
  const bool from_unsigned = call.attr(Attr::k_input_unsigned) != 0, to_unsigned = call.attr(Attr::k_output_unsigned) != 0;
  Rescale how;
  how.wide_multiplier = call.attr(Attr::k_scale32) != 0;
  how.double_round = call.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(RoundingMode::kDoubleRound);
  how.scales = how.wide_multiplier ? scales<std::int32_t>(call) : scales<std::int16_t>(call);
  if (!call.require(std::all_of(how.scales.begin(), how.scales.end(), is_valid), "shift",
                    "multipliers must not be negative, shifts must be 2 to 62"))
    return {};
  if constexpr (sizeof(In) < 8) how.in_zp = zero_point<In>(call.in(3), from_unsigned);
  how.out_zp = zero_point<Out>(call.in(4), to_unsigned);
  using UnsignedOut = std::make_unsigned_t<Out>;
  how.low = to_unsigned ? 0 : std::int64_t{std::numeric_limits<Out>::min()};
  how.high = to_unsigned ? std::int64_t{std::numeric_limits<UnsignedOut>::max()} : std::int64_t{std::numeric_limits<Out>::max()};
  const auto broken = [&] {
    // The checks allow unsigned operands among int8 and int16 only.
    if constexpr (sizeof(In) < 4 && sizeof(Out) < 4) {
      if (to_unsigned) return rescale<In, UnsignedOut>(call, how);
      if (from_unsigned) return rescale<std::make_unsigned_t<In>, Out>(call, how);
    }
    return rescale<In, Out>(call, how);
  }();
  call.require(broken.range == 0, "input", how.wide_multiplier ? "a value must be in the range that its shift allows"
                                                           : "a scaled value must fit 32 bits");
  call.require(broken.sum == 0, "output_zp", "a scaled value plus output_zp must fit 32 bits");
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
