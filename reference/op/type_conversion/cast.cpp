#include "reference/op/def.hpp"

namespace macaw::tosa {
namespace {

// The 1.1 draft's optional attribute input_unsigned is false where a graph does not have it; the file schema cannot
// hold it.
constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "shape"},
    {Category::kOutput, "output", "out_t", "shape"},
};
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

/// Between integers and bool: sign extension (zero extension if the attribute says unsigned) or truncation.
template <class In, class Out>
Result<void> integer(Call& call) {
  const auto in = call.in_data<In>(0);
  const auto out = call.out_data<Out>(0);
  if constexpr (std::is_same_v<Out, bool>) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i] != 0;
  } else if constexpr (std::is_same_v<In, bool>) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(in[i]);
  } else if (call.attr(Attr::k_input_unsigned) != 0) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<Out>(static_cast<std::make_unsigned_t<In>>(in[i]));
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(in[i]);
  }
  return {};
}

constexpr TypeRow kRows[] = {
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
};
constexpr Check kChecks[] = {
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
