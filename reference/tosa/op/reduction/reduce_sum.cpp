#include "reference/tosa/kernels/reduce/float_fold.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::REDUCE_SUM {
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
    // The bound is the sum of the magnitudes (reference/tosa/kernels/window/dot_product.hpp).
    if (call.bounds) float_reduce(call, T{0}, [](T a, T b) { return a + std::fabs(b); });
    else float_reduce(call, T{0}, [](T a, T b) { return a + b; });
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT32, kINT32}).in(kProInt).by(kernel<std::int32_t>),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
    row({kFP16, kFP16}).in(kProFp).by(float_kernel<Float>),
    row({kBF16, kFP32}).in(kExtBf16).by(float_kernel<Float>),
    row({kFP32, kFP32}).in(kProFp).by(float_kernel<Float>),
};
constexpr Check kChecks[] = {kAxisInRange, kReducedShape, kSumFits};

}  // namespace

extern constexpr Definition kDefinition = {Op::kREDUCE_SUM, kReductionArguments, kTypes, kRows,
                                           kChecks,         reduced_shapes};

}  // namespace macaw::tosa::REDUCE_SUM
