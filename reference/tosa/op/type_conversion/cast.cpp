#include "reference/tosa/kernels/convert/blocks.hpp"
#include "reference/tosa/kernels/convert/cast_float.hpp"
#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::CAST {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("shape"),
    attribute("input_unsigned").type("bool_t").optional(),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

/// Between integers and bool: sign extension (zero extension if the attribute is unsigned) or truncation.
template <class In, class Out>
Result<void> integer(Call& call) {
  using Unsigned = std::make_unsigned_t<std::conditional_t<std::is_same_v<In, bool>, std::int8_t, In>>;
  if constexpr (std::is_same_v<Out, bool>) {
    (void)unary<In, bool>(call, [](In a) { return a != 0; });
  } else if (std::is_same_v<In, bool> || call.attr(Attr::k_input_unsigned) != 0) {
    (void)unary<Unsigned, Out>(call, [](Unsigned a) { return static_cast<Out>(a); });
  } else if constexpr (!std::is_same_v<In, bool>) {
    (void)unary<In, Out>(call, [](In a) { return static_cast<Out>(a); });
  }
  return {};
}

/// To or from floating point: output[i] = convert(input[i]).
template <class In, class Out, class F>
void convert(const In& input, const Out& output, F convert) {
  for (std::size_t i = 0; i < output.size(); ++i) output[i] = convert(input[i]);
}

/// Fast's kernels, or as their scalar ones pseudocode/operators/CAST.tosac: every conversion rounds once.
template <class In>
struct FromInteger {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels != Kernels::kScalar) return CastFromInteger<In>::template run<T>(call);
    Scratch<double> output(static_cast<std::size_t>(call.out(0).size()));
    if constexpr (std::is_same_v<In, bool>) {
      convert(call.in_data<bool>(0), output.span(), [](bool value) { return value; });
    } else {
      const bool is_unsigned = call.attr(Attr::k_input_unsigned) != 0;
      convert(call.in_data<In>(0), output.span(), [=](In value) -> double {
        return is_unsigned ? static_cast<std::make_unsigned_t<In>>(value) : double(value);
      });
    }
    store_floats<double>(output.span(), call.out(0));
    return {};
  }
};

template <class Out>
struct ToInteger {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels != Kernels::kScalar) return CastToInteger<Out>::template run<T>(call);
    using Limits = std::numeric_limits<Out>;
    convert(FloatInput<T>(call.in(0)), call.out_data<Out>(0), [](double value) {
      return static_cast<Out>(value != value ? 0
                                             : std::clamp<double>(std::nearbyint(value), Limits::min(), Limits::max()));
    });
    return {};
  }
};

struct BetweenFloats {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels != Kernels::kScalar) return CastBetweenFloats::run<T>(call);
    store_floats<T>(FloatInput<T>(call.in(0)).span(), call.out(0));
    return {};
  }
};

template <class In>
constexpr auto from_integer = float_kernel<FromInteger<In>>;
template <class Out>
constexpr auto to_integer = float_kernel<ToInteger<Out>>;
constexpr auto to_bool = float_kernel<CastToBool>;
constexpr auto between_floats = float_kernel<BetweenFloats>;

struct FromBlocks {
  template <class T>
  static Result<void> run(Call& call) {
    multiply_blocks<T>(call, blocks_of(call.in(0), call.in(0).bytes().data()));
    return {};
  }
};

template <DType Values>
struct ToBlocks {
  template <class T>
  static Result<void> run(Call& call) {
    divide_blocks<T>(call, Values, blocks_of(call.out(0), call.out(0).uninitialized_bytes().data()));
    return {};
  }
};

constexpr TypeRow kPlain[] = {
    row({kBOOL, kINT8}).in(kProInt).by(integer<bool, std::int8_t>),
    row({kBOOL, kINT16}).in(kProInt).by(integer<bool, std::int16_t>),
    row({kBOOL, kINT32}).in(kProInt).by(integer<bool, std::int32_t>),
    row({kBOOL, kINT64}).in(kExtInt64).since(1, 1).by(integer<bool, std::int64_t>),
    row({kINT32, kINT64}).in(kExtInt64).since(1, 1).by(integer<std::int32_t, std::int64_t>),
    row({kINT8, kBOOL}).in(kProInt).by(integer<std::int8_t, bool>),
    row({kINT16, kBOOL}).in(kProInt).by(integer<std::int16_t, bool>),
    row({kINT32, kBOOL}).in(kProInt).by(integer<std::int32_t, bool>),
    row({kINT64, kBOOL}).in(kExtInt64).since(1, 1).by(integer<std::int64_t, bool>),
    row({kINT64, kINT32}).in(kExtInt64).since(1, 1).by(integer<std::int64_t, std::int32_t>),
    row({kINT8, kINT16}).in(kProInt).by(integer<std::int8_t, std::int16_t>),
    row({kINT8, kINT32}).in(kProInt).by(integer<std::int8_t, std::int32_t>),
    row({kINT16, kINT8}).in(kProInt).by(integer<std::int16_t, std::int8_t>),
    row({kINT16, kINT32}).in(kProInt).by(integer<std::int16_t, std::int32_t>),
    row({kINT32, kINT8}).in(kProInt).by(integer<std::int32_t, std::int8_t>),
    row({kINT32, kINT16}).in(kProInt).by(integer<std::int32_t, std::int16_t>),
    row({kINT8, kFP16}).in(kProFp).by(from_integer<std::int8_t>),
    row({kINT16, kFP16}).in(kProFp).by(from_integer<std::int16_t>),
    row({kINT32, kFP16}).in(kProFp).by(from_integer<std::int32_t>),
    row({kINT8, kFP32}).in(kProFp).by(from_integer<std::int8_t>),
    row({kINT16, kFP32}).in(kProFp).by(from_integer<std::int16_t>),
    row({kINT32, kFP32}).in(kProFp).by(from_integer<std::int32_t>),
    row({kINT8, kBF16}).in(kExtBf16).by(from_integer<std::int8_t>),
    row({kINT16, kBF16}).in(kExtBf16).by(from_integer<std::int16_t>),
    row({kINT32, kBF16}).in(kExtBf16).by(from_integer<std::int32_t>),
    row({kFP16, kINT8}).in(kProFp).by(to_integer<std::int8_t>),
    row({kFP16, kINT16}).in(kProFp).by(to_integer<std::int16_t>),
    row({kFP16, kINT32}).in(kProFp).by(to_integer<std::int32_t>),
    row({kFP32, kINT8}).in(kProFp).by(to_integer<std::int8_t>),
    row({kFP32, kINT16}).in(kProFp).by(to_integer<std::int16_t>),
    row({kFP32, kINT32}).in(kProFp).by(to_integer<std::int32_t>),
    row({kBF16, kINT8}).in(kExtBf16).by(to_integer<std::int8_t>),
    row({kBF16, kINT16}).in(kExtBf16).by(to_integer<std::int16_t>),
    row({kBF16, kINT32}).in(kExtBf16).by(to_integer<std::int32_t>),
    row({kFP16, kFP32}).in(kProFp).by(between_floats),
    row({kFP32, kFP16}).in(kProFp).by(between_floats),
    row({kFP32, kBF16}).in(kExtBf16).by(between_floats),
    row({kBF16, kFP32}).in(kExtBf16).by(between_floats),
    row({kFP16, kFP8E4M3}).in(kExtFp8E4M3).by(between_floats),
    row({kFP8E4M3, kFP16}).in(kExtFp8E4M3).by(between_floats),
    row({kFP32, kFP8E4M3}).in(kExtFp8E4M3).by(between_floats),
    row({kFP8E4M3, kFP32}).in(kExtFp8E4M3).by(between_floats),
    row({kBF16, kFP8E4M3}).in(kExtBf16, kExtFp8E4M3).by(between_floats),
    row({kFP8E4M3, kBF16}).in(kExtBf16, kExtFp8E4M3).by(between_floats),
    row({kFP16, kFP8E5M2}).in(kExtFp8E5M2).by(between_floats),
    row({kFP8E5M2, kFP16}).in(kExtFp8E5M2).by(between_floats),
    row({kFP32, kFP8E5M2}).in(kExtFp8E5M2).by(between_floats),
    row({kFP8E5M2, kFP32}).in(kExtFp8E5M2).by(between_floats),
    row({kBF16, kFP8E5M2}).in(kExtBf16, kExtFp8E5M2).by(between_floats),
    row({kFP8E5M2, kBF16}).in(kExtBf16, kExtFp8E5M2).by(between_floats),
    row({kBOOL, kFP32}).in(kProFp).since(1, 1).by(from_integer<bool>),
    row({kFP32, kBOOL}).in(kProFp).since(1, 1).by(to_bool),
};

/// Between every block-scaled type and every type of kMixedTypes; elements of blocks are read as value times scale.
constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes) * kMixedTypes.size();
  std::array<TypeRow, 2 * kCount> rows{};
  auto* to = rows.data();
  for (const auto& [values, composite, extension] : kBlockScaledTypes)
    for (const auto type : kMixedTypes) {
      const auto support = support_of(type, composite);
      *to++ = row({type, composite}).in(support).since(1, 1).by(kernel_of<ToBlocks>(values));
      *to++ = row({composite, type}).in(support).since(1, 1).by(float_kernel<FromBlocks>);
    }
  return join_rows(kPlain, rows);
}();

constexpr Check kChecks[] = {
    kScalarOfBlocks<V, "input">,
    kSplitBlock<V, "input">,
    kScalarOfBlocks<V, "output">,
    kSplitBlock<V, "output">,
    error_if("input_unsigned", "input_unsigned needs an integer input",
             [](const V& v) {
               const auto in = v.dtype("input");
               const bool is_integer = in == kINT8 || in == kINT16 || in == kINT32 || in == kINT48 || in == kINT64;
               return v.attr(Attr::k_input_unsigned) != 0 && !is_integer;
             }),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kCAST, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::CAST
