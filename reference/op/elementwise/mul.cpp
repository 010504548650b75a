#include <limits>

#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kProductFits = found_by_kernel("output", "the shifted product must fit 32 bits");

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_t", "shape1"},
    {Category::kInput, "input2", "in_t", "shape2"},
    {Category::kInput, "shift", "i8_t", "[1]", 1, 1, false, true},
    {Category::kOutput, "output", "out_t", "shape"},
};

// Low bits of the product, which is all of it for in_t narrower than out_t.
template <class In, class Out>
Result<void> product(Call& call) {
  using U = std::make_unsigned_t<Out>;
  (void)binary<In, Out>(
      call, [](In a, In b) { return static_cast<Out>(static_cast<U>(static_cast<U>(a) * static_cast<U>(b))); });
  return {};
}

Result<void> rounded_product(Call& call) {
  const int shift = call.in_data<std::int8_t>(2)[0];
  if (shift <= 0 || shift > 63) return product<std::int32_t, std::int32_t>(call);
  using T = std::int32_t;
  const auto round = std::int64_t{1} << (shift - 1);
  const bool holds = binary<T, T>(call, [=](T a, T b, T& mark) {
    // For a shift of 63 the sum may reach 2^63, which wraps; its bits are those of the unsigned sum.
    const auto exact = std::int64_t{a} * b;
    const bool wraps = exact > std::numeric_limits<std::int64_t>::max() - round;
    const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(exact) + static_cast<std::uint64_t>(round));
    const auto result = wraps ? 1 : sum >> shift;
    mark |= result == static_cast<T>(result) ? 0 : -1;
    return static_cast<T>(result);
  });
  call.require(holds, kProductFits);
  return {};
}

constexpr Kernel kFloatProduct = kFloatBinary<[](auto a, auto b) { return a * b; }>;

constexpr std::string_view kTypes[] = {"in_t", "out_t"};
constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, product<std::int8_t, std::int32_t>},
    {{DType::kINT16, DType::kINT32}, kInProInt, 0, product<std::int16_t, std::int32_t>},
    {{DType::kINT32, DType::kINT32}, kInProIntOrFp, 0, rounded_product},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, product<std::int64_t, std::int64_t>},
    {{DType::kFP16, DType::kFP16}, kInProFp, 0, kFloatProduct},
    {{DType::kBF16, DType::kBF16}, kInExtBf16, 0, kFloatProduct},
    {{DType::kFP32, DType::kFP32}, kInProFp, 0, kFloatProduct},
};
constexpr Check kChecks[] = {
    {Rule::kRequire, "shift", "shift must be 0 to 63",
     [](const View& v) { return v.in_int(2) < 0 || v.in_int(2) > 63; }, value_of(2)},
    {Rule::kRequire, "shift", "shift must be 0 unless the inputs are int32",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT32 && v.in_int(2) != 0; }, value_of(2)},
    {Rule::kErrorIf, "output", kBroadcastRule, breaks_broadcast_pair},
    kProductFits,
};

}  // namespace

extern constexpr Definition kMUL = {Op::kMUL, kArguments, kTypes, kRows, kChecks, broadcast_pair_shapes};

}  // namespace macaw::tosa
