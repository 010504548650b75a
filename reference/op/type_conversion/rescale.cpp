#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "reference/arith/scale.hpp"
#include "reference/fast/best_version.hpp"
#include "reference/fast/convert/clip_block.hpp"
#include "reference/fast/convert/scale_block.hpp"
#include "reference/fast/elementwise/table_lookup.hpp"
#include "reference/fast/workers.hpp"
#include "reference/op/declare.hpp"

namespace macaw::tosa {
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
             [](const V& v) { return v.dim("NC") != channels(v) || v.dim("NC") != channels(v); }),
    kScaleValid,
    kValueInRange,
    kScaledFits,
    kSumFits,
};

struct Rescale {
  std::vector<Scale> scales;
  std::int64_t in_zp = 0, out_zp = 0, low = 0, high = 0;
  Scaling scaling{};
};

/// Whether the REQUIREs held for all elements.
struct Held {
  std::atomic<bool> range = true, sum = true;
};

template <class In>
void widen(const In* in, std::int32_t zero_point, std::int32_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i] - zero_point;
}

/// Clips where sums with the zero point may leave 32 bits; false if one does.
template <class Out>
bool clip_checked(const std::int32_t* values, OutputClip clip, Out* out, std::size_t count) {
  std::int32_t mark = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mark |= clip.overflows(values[i]);
    out[i] = static_cast<Out>(clip.apply(values[i]));
  }
  return mark >= 0;
}

// Elements of a block, which stays in the first-level cache as it is widened, scaled and clipped.
constexpr std::size_t kBlock = 1024;

/// Calls scale(first, at, count, to) for blocks of the elements, `at` being the place of the first one in the row, and
/// clips what it has left in `to`.
template <class Out, class F>
void by_blocks(const Call& call, const Rescale& how, const ScaleRow& row, Out* out, Held& held, F scale) {
  const auto period = row.period();
  const auto size = static_cast<std::size_t>(call.out(0).size());
  const OutputClip clip(how.out_zp, how.low, how.high);
  const auto block = [&](std::size_t first, std::size_t at, std::size_t count) {
    // int32 needs no clipping, and its zero point is 0.
    if constexpr (std::is_same_v<Out, std::int32_t>) {
      if (!scale(first, at, count, out + first)) held.range = false;
    } else {
      alignas(64) std::array<std::int32_t, kBlock> scaled;
      if (!scale(first, at, count, scaled.data())) held.range = false;
      if (!row.results_are_small() && how.out_zp != 0) {
        if (!best_version<clip_checked<Out>>(call.kernels)(scaled.data(), clip, out + first, count)) held.sum = false;
      } else if (call.kernels == Kernels::kScalar) {
        clip_block_scalar(scaled.data(), clip, out + first, count);
      } else {
        clip_block(scaled.data(), clip, out + first, count);
      }
    }
  };
  // Threads begin where the row does.
  split(call, (size + period - 1) / period, kLeastElements / period + 1,
        [&](std::size_t first_row, std::size_t end_row) {
          const auto end = std::min(end_row * period, size);
          for (auto first = first_row * period; first < end;) {
            const auto at = first % period, count = std::min({kBlock, period - at, end - first});
            block(first, at, count);
            first += count;
          }
        });
}

/// The results of all inputs as a table, by the encodings less 128 of look_up_bytes; nothing if one breaks a REQUIRE.
template <class In, class Out>
std::optional<std::array<std::int8_t, 256>> table_of(const Rescale& how) {
  const ScaleRow row(how.scales, how.scaling, 9);
  const OutputClip clip(how.out_zp, how.low, how.high);
  std::array<std::int32_t, 256> values;
  for (int i = 0; i < 256; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<In>(i - 128) - static_cast<std::int32_t>(how.in_zp);
  std::array<Out, 256> out;
  if (!scale_block_scalar(ScaleBlock{row, 0, 256, values.data(), values.data()}) ||
      !clip_checked(values.data(), clip, out.data(), 256))
    return std::nullopt;
  return std::bit_cast<std::array<std::int8_t, 256>>(out);
}

template <class In, class Out>
bool rescale_by_table(const Call& call, const In* in, const Rescale& how, Out* out) {
  const auto size = static_cast<std::size_t>(call.out(0).size());
  if (how.scales.size() != 1 || call.kernels == Kernels::kScalar) return false;
  const auto table = table_of<In, Out>(how);
  if (!table) return false;
  split(call, size, kLeastElements, [&](std::size_t first, std::size_t end) {
    look_up_bytes(table->data(), reinterpret_cast<const std::int8_t*>(in) + first,
                  reinterpret_cast<std::int8_t*>(out) + first, end - first);
  });
  return true;
}

template <class In, class Out>
void rescale_32(const Call& call, const In* in, const Rescale& how, Out* out, Held& held) {
  if constexpr (sizeof(In) == 1 && sizeof(Out) == 1)
    if (rescale_by_table(call, in, how, out)) return;
  // With its zero point an input has a bit more.
  const ScaleRow row(how.scales, how.scaling, std::min<int>(8 * sizeof(In) + 1, 32));
  const auto in_zp = static_cast<std::int32_t>(how.in_zp);
  [[maybe_unused]] const auto load = best_version<widen<In>>(call.kernels);
  by_blocks(call, how, row, out, held, [&](std::size_t first, std::size_t at, std::size_t count, std::int32_t* to) {
    ScaleBlock block{row, at, count, to, to, nullptr, in_zp};
    if constexpr (std::is_same_v<In, std::int32_t>) block.values = in + first;
    else if constexpr (std::is_same_v<In, std::int8_t>) block.bytes = in + first;
    else load(in + first, in_zp, to, count);
    return call.kernels == Kernels::kScalar ? scale_block_scalar(block) : scale_block(block);
  });
}

template <class Out>
void rescale_48(const Call& call, const std::int64_t* in, const Rescale& how, Out* out, Held& held) {
  const ScaleRow row(how.scales, Scaling::k48, 48);
  by_blocks(call, how, row, out, held, [&](std::size_t first, std::size_t at, std::size_t count, std::int32_t* to) {
    const ScaleBlock48 block{row, at, count, in + first, to};
    return call.kernels == Kernels::kScalar ? scale_block_scalar(block) : scale_block(block);
  });
}

/// The least (or in a bounds run the greatest) result that INEXACT_ROUND allows: half for the rounding to an integer,
/// and rounding errors of FP32, three of the product and one of the sum with the zero point (type_conversion.adoc).
template <class In, class Out>
void rescale_limits(const Call& call, const In* in, const Rescale& how, Out* out, Held& held) {
  const OutputClip clip(how.out_zp, how.low, how.high);
  std::int32_t mark = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(call.out(0).size()); ++i) {
    const auto scale = how.scales[i % how.scales.size()];
    const auto value = sizeof(In) == 8 ? low_48_bits(static_cast<std::int64_t>(in[i])) : in[i] - how.in_zp;
    const auto scaled = std::ldexp(static_cast<double>(value) * scale.multiplier, -scale.shift);
    const auto error =
        0.5 + std::ldexp(3 * std::fabs(scaled) + std::fabs(scaled + static_cast<double>(how.out_zp)), -24);
    const auto limit = call.bounds ? std::floor(scaled + error) : std::ceil(scaled - error);
    constexpr double kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();
    const auto nearest = static_cast<std::int32_t>(std::clamp(limit, kMin, kMax));
    mark |= clip.overflows(nearest);
    out[i] = static_cast<Out>(clip.apply(nearest));
  }
  held.sum = mark >= 0;
}

/// `In` and `Out` are of the signedness that the attributes say; In is std::int64_t for int48.
template <class In, class Out>
void rescale(const Call& call, const Rescale& how, Held& held) {
  const auto* in = reinterpret_cast<const In*>(call.in(0).bytes().data());
  auto* out = reinterpret_cast<Out*>(call.out(0).bytes_to_fill().data());
  const auto rounding = static_cast<RoundingMode>(call.attr(Attr::k_rounding_mode));
  if (call.precise && rounding == RoundingMode::kInexactRound) rescale_limits(call, in, how, out, held);
  else if constexpr (sizeof(In) == 8) rescale_48(call, in, how, out, held);
  else rescale_32(call, in, how, out, held);
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
  const bool scale32 = call.attr(Attr::k_scale32) != 0,
             twice = call.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(RoundingMode::kDoubleRound);
  Rescale how;
  how.scaling = !scale32 ? Scaling::k16 : twice ? Scaling::k32Twice : Scaling::k32;
  how.scales = scale32 ? scales<std::int32_t>(call) : scales<std::int16_t>(call);
  if (!call.require(std::all_of(how.scales.begin(), how.scales.end(), is_valid), kScaleValid)) return {};
  if constexpr (sizeof(In) < 8) how.in_zp = zero_point<In>(call.in(3), from_unsigned);
  how.out_zp = zero_point<Out>(call.in(4), to_unsigned);
  using UnsignedOut = std::make_unsigned_t<Out>;
  how.low = to_unsigned ? 0 : std::int64_t{std::numeric_limits<Out>::min()};
  how.high = to_unsigned ? std::int64_t{std::numeric_limits<UnsignedOut>::max()}
                         : std::int64_t{std::numeric_limits<Out>::max()};
  Held held;
  // The checks allow unsigned operands among int8 and int16 only.
  constexpr bool kNarrow = sizeof(In) < 4 && sizeof(Out) < 4;
  if constexpr (kNarrow) {
    if (to_unsigned) rescale<In, UnsignedOut>(call, how, held);
    else if (from_unsigned) rescale<std::make_unsigned_t<In>, Out>(call, how, held);
    else rescale<In, Out>(call, how, held);
  } else {
    rescale<In, Out>(call, how, held);
  }
  call.require(held.range, scale32 ? kValueInRange : kScaledFits);
  call.require(held.sum, kSumFits);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8}).in(kProInt).by(kernel<std::int8_t, std::int8_t>),
    row({kINT8, kINT16}).in(kProInt).by(kernel<std::int8_t, std::int16_t>),
    row({kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t, std::int32_t>),
    row({kINT16, kINT8}).in(kProInt).by(kernel<std::int16_t, std::int8_t>),
    row({kINT16, kINT16}).in(kProInt).by(kernel<std::int16_t, std::int16_t>),
    row({kINT16, kINT32}).in(kProInt).by(kernel<std::int16_t, std::int32_t>),
    row({kINT32, kINT8}).in(kProInt).by(kernel<std::int32_t, std::int8_t>),
    row({kINT32, kINT16}).in(kProInt).by(kernel<std::int32_t, std::int16_t>),
    row({kINT32, kINT32}).in(kProInt).by(kernel<std::int32_t, std::int32_t>),
    row({kINT48, kINT8}).in(kExtInt16).by(kernel<std::int64_t, std::int8_t>),
    row({kINT48, kINT16}).in(kExtInt16).by(kernel<std::int64_t, std::int16_t>),
    row({kINT48, kINT32}).in(kExtInt16).by(kernel<std::int64_t, std::int32_t>),
};

}  // namespace

extern constexpr Definition kRESCALE = {Op::kRESCALE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
