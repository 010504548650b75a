#include "reference/fast/convert/blocks.hpp"
#include "reference/fast/convert/cast_float.hpp"
#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/op/float_rows.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "shape"},
    {Category::kAttribute, "input_unsigned", "bool_t", "", 0, Argument::kMaxRank, false, false, "", false, true},
    {Category::kOutput, "output", "out_t", "shape"},
};
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

/// Between integers and bool: sign extension (zero extension if the attribute says unsigned) or truncation.
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

template <class In>
constexpr auto from_integer = float_kernel<CastFromInteger<In>>;
template <class Out>
constexpr auto to_integer = float_kernel<CastToInteger<Out>>;
constexpr auto to_bool = float_kernel<CastToBool>;
constexpr auto between_floats = float_kernel<CastBetweenFloats>;

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
    divide_blocks<T>(call, Values, blocks_of(call.out(0), call.out(0).bytes_to_fill().data()));
    return {};
  }
};

constexpr TypeRow kPlain[] = {
    {{DType::kBOOL, DType::kINT8}, kInProInt, 0, integer<bool, std::int8_t>},
    {{DType::kBOOL, DType::kINT16}, kInProInt, 0, integer<bool, std::int16_t>},
    {{DType::kBOOL, DType::kINT32}, kInProInt, 0, integer<bool, std::int32_t>},
    {{DType::kBOOL, DType::kINT64}, kInExtInt64, 1, integer<bool, std::int64_t>},
    {{DType::kINT32, DType::kINT64}, kInExtInt64, 1, integer<std::int32_t, std::int64_t>},
    {{DType::kINT8, DType::kBOOL}, kInProInt, 0, integer<std::int8_t, bool>},
    {{DType::kINT16, DType::kBOOL}, kInProInt, 0, integer<std::int16_t, bool>},
    {{DType::kINT32, DType::kBOOL}, kInProInt, 0, integer<std::int32_t, bool>},
    {{DType::kINT64, DType::kBOOL}, kInExtInt64, 1, integer<std::int64_t, bool>},
    {{DType::kINT64, DType::kINT32}, kInExtInt64, 1, integer<std::int64_t, std::int32_t>},
    {{DType::kINT8, DType::kINT16}, kInProInt, 0, integer<std::int8_t, std::int16_t>},
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, integer<std::int8_t, std::int32_t>},
    {{DType::kINT16, DType::kINT8}, kInProInt, 0, integer<std::int16_t, std::int8_t>},
    {{DType::kINT16, DType::kINT32}, kInProInt, 0, integer<std::int16_t, std::int32_t>},
    {{DType::kINT32, DType::kINT8}, kInProInt, 0, integer<std::int32_t, std::int8_t>},
    {{DType::kINT32, DType::kINT16}, kInProInt, 0, integer<std::int32_t, std::int16_t>},
    {{DType::kINT8, DType::kFP16}, kInProFp, 0, from_integer<std::int8_t>},
    {{DType::kINT16, DType::kFP16}, kInProFp, 0, from_integer<std::int16_t>},
    {{DType::kINT32, DType::kFP16}, kInProFp, 0, from_integer<std::int32_t>},
    {{DType::kINT8, DType::kFP32}, kInProFp, 0, from_integer<std::int8_t>},
    {{DType::kINT16, DType::kFP32}, kInProFp, 0, from_integer<std::int16_t>},
    {{DType::kINT32, DType::kFP32}, kInProFp, 0, from_integer<std::int32_t>},
    {{DType::kINT8, DType::kBF16}, kInExtBf16, 0, from_integer<std::int8_t>},
    {{DType::kINT16, DType::kBF16}, kInExtBf16, 0, from_integer<std::int16_t>},
    {{DType::kINT32, DType::kBF16}, kInExtBf16, 0, from_integer<std::int32_t>},
    {{DType::kFP16, DType::kINT8}, kInProFp, 0, to_integer<std::int8_t>},
    {{DType::kFP16, DType::kINT16}, kInProFp, 0, to_integer<std::int16_t>},
    {{DType::kFP16, DType::kINT32}, kInProFp, 0, to_integer<std::int32_t>},
    {{DType::kFP32, DType::kINT8}, kInProFp, 0, to_integer<std::int8_t>},
    {{DType::kFP32, DType::kINT16}, kInProFp, 0, to_integer<std::int16_t>},
    {{DType::kFP32, DType::kINT32}, kInProFp, 0, to_integer<std::int32_t>},
    {{DType::kBF16, DType::kINT8}, kInExtBf16, 0, to_integer<std::int8_t>},
    {{DType::kBF16, DType::kINT16}, kInExtBf16, 0, to_integer<std::int16_t>},
    {{DType::kBF16, DType::kINT32}, kInExtBf16, 0, to_integer<std::int32_t>},
    {{DType::kFP16, DType::kFP32}, kInProFp, 0, between_floats},
    {{DType::kFP32, DType::kFP16}, kInProFp, 0, between_floats},
    {{DType::kFP32, DType::kBF16}, kInExtBf16, 0, between_floats},
    {{DType::kBF16, DType::kFP32}, kInExtBf16, 0, between_floats},
    {{DType::kFP16, DType::kFP8E4M3}, kInExtFp8E4M3, 0, between_floats},
    {{DType::kFP8E4M3, DType::kFP16}, kInExtFp8E4M3, 0, between_floats},
    {{DType::kFP32, DType::kFP8E4M3}, kInExtFp8E4M3, 0, between_floats},
    {{DType::kFP8E4M3, DType::kFP32}, kInExtFp8E4M3, 0, between_floats},
    {{DType::kBF16, DType::kFP8E4M3}, all_of(Profile::kExtBf16, Profile::kExtFp8E4M3), 0, between_floats},
    {{DType::kFP8E4M3, DType::kBF16}, all_of(Profile::kExtBf16, Profile::kExtFp8E4M3), 0, between_floats},
    {{DType::kFP16, DType::kFP8E5M2}, kInExtFp8E5M2, 0, between_floats},
    {{DType::kFP8E5M2, DType::kFP16}, kInExtFp8E5M2, 0, between_floats},
    {{DType::kFP32, DType::kFP8E5M2}, kInExtFp8E5M2, 0, between_floats},
    {{DType::kFP8E5M2, DType::kFP32}, kInExtFp8E5M2, 0, between_floats},
    {{DType::kBF16, DType::kFP8E5M2}, all_of(Profile::kExtBf16, Profile::kExtFp8E5M2), 0, between_floats},
    {{DType::kFP8E5M2, DType::kBF16}, all_of(Profile::kExtBf16, Profile::kExtFp8E5M2), 0, between_floats},
    {{DType::kBOOL, DType::kFP32}, kInProFp, 1, from_integer<bool>},
    {{DType::kFP32, DType::kBOOL}, kInProFp, 1, to_bool},
};

/// Between every block-scaled type and every type of kMixedTypes; elements of blocks are read as value times scale.
constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes) * kMixedTypes.size();
  std::array<TypeRow, 2 * kCount> rows{};
  auto* row = rows.data();
  for (const auto& [values, composite, extension] : kBlockScaledTypes)
    for (const auto type : kMixedTypes) {
      const auto support = support_of(type, composite);
      *row++ = {{type, composite}, support, 1, kernel_of<ToBlocks>(values)};
      *row++ = {{composite, type}, support, 1, float_kernel<FromBlocks>};
    }
  return join_rows(kPlain, rows);
}();

constexpr Check kChecks[] = {
    scalar_of_blocks_in("input"),
    split_block_in("input"),
    scalar_of_blocks_out("output"),
    split_block_out("output"),
    {Rule::kErrorIf, "input_unsigned", "input_unsigned needs an integer input",
     [](const View& v) {
       const auto in = v.inputs[0].dtype;
       const bool is_integer = in == DType::kINT8 || in == DType::kINT16 || in == DType::kINT32 ||
                               in == DType::kINT48 || in == DType::kINT64;
       return v.attr(Attr::k_input_unsigned) != 0 && !is_integer;
     }},
};

}  // namespace

extern constexpr Definition kCAST = {Op::kCAST, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
