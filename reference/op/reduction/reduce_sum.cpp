#include "reference/op/reduction/axis.hpp"

namespace macaw::tosa {
namespace {

constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

template <class T>
Result<void> kernel(Call& call) {
  using U = std::make_unsigned_t<T>;
  const bool holds = reduce<T>(call, 0, [](T a, T b, T& mark) {
    const auto result = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    mark |= (a ^ result) & (b ^ result);
    return result;
  });
  call.require(holds, "output", "every sum must fit the accumulator");
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT32, DType::kINT32}, kInProInt, 0, kernel<std::int32_t>},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
};

}  // namespace

extern constexpr Definition kREDUCE_SUM = {Op::kREDUCE_SUM, kReductionArguments, kTypes,
                                           kRows,           kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa
