#include "reference/fast/reduce/float_fold.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kSumFits = found_by_kernel("output", "every sum must fit the accumulator");

constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

template <class T>
Result<void> kernel(Call& call) {
  using U = std::make_unsigned_t<T>;
  const bool holds = reduce<T>(call, 0, [](T a, T b, T& mark) {
    const auto result = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    mark |= (a ^ result) & (b ^ result);
    return result;
  });
  call.require(holds, kSumFits);
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    // The bound is the sum of the magnitudes (reference/fast/window/dot_product.hpp).
    if (call.bounds) float_reduce(call, T{0}, [](T a, T b) { return a + std::fabs(b); });
    else float_reduce(call, T{0}, [](T a, T b) { return a + b; });
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT32, DType::kINT32}, kInProInt, 0, kernel<std::int32_t>},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
    {{DType::kFP16, DType::kFP16}, kInProFp, 0, float_kernel<Float>},
    {{DType::kBF16, DType::kFP32}, kInExtBf16, 0, float_kernel<Float>},
    {{DType::kFP32, DType::kFP32}, kInProFp, 0, float_kernel<Float>},
};
constexpr Check kChecks[] = {kReductionChecks[0], kReductionChecks[1], kSumFits};

}  // namespace

extern constexpr Definition kREDUCE_SUM = {Op::kREDUCE_SUM, kReductionArguments, kTypes, kRows,
                                           kChecks,         reduced_shapes};

}  // namespace macaw::tosa
