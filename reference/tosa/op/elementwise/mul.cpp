#include <limits>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::MUL {
namespace {

constexpr Check kProductFits = found_by_kernel("output", "the shifted product must fit 32 bits");

constexpr Argument kArguments[] = {
    input("input1").type("in_t").shape("shape1"),
    input("input2").type("in_t").shape("shape2"),
    input("shift").type("i8_t").shape("[1]").rank(1).compile_time_constant(),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;

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
    row({kINT8, kINT32}).in(kProInt).by(product<std::int8_t, std::int32_t>),
    row({kINT16, kINT32}).in(kProInt).by(product<std::int16_t, std::int32_t>),
    row({kINT32, kINT32}).in(kProIntOrFp).by(rounded_product),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(product<std::int64_t, std::int64_t>),
    row({kFP16, kFP16}).in(kProFp).by(kFloatProduct),
    row({kBF16, kBF16}).in(kExtBf16).by(kFloatProduct),
    row({kFP32, kFP32}).in(kProFp).by(kFloatProduct),
};
constexpr Check kChecks[] = {
    require_that("shift", "shift must be 0 to 63",
                 [](const V& v) { return v.integer("shift") >= 0 && v.integer("shift") <= 63; })
        .reads("shift"),
    require_that("shift", "shift must be 0 unless the inputs are int32",
                 [](const V& v) { return v.dtype("input1") == kINT32 || v.integer("shift") == 0; })
        .reads("shift"),
    error_if("output", kBroadcastRule, breaks_broadcast_pair),
    kProductFits,
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kMUL, kArguments, kTypes, kRows, kChecks, broadcast_pair_shapes};

}  // namespace macaw::tosa::MUL
