#include <cmath>

#include "reference/tosa/arith/reciprocal_root.hpp"
#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::RSQRT {
namespace {

struct ReciprocalRoot {
  template <class T>
  static Result<void> run(Call& call) {
    if constexpr (std::is_same_v<T, double>) {
      return FloatUnary<[](double x) { return 1 / std::sqrt(x); }>::template run<T>(call);
    } else {
      const auto root = [](float x) { return static_cast<float>(reciprocal_root(x)); };
      const auto loop = best_version<unary_block<float, float, decltype(root)>>(call.kernels);
      for_each_function_block(call, [=](const float* in, float* out, std::size_t n) { loop(in, out, n, root); });
      return {};
    }
  }
};

constexpr Kernel kKernel = float_kernel<ReciprocalRoot>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kRSQRT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::RSQRT
