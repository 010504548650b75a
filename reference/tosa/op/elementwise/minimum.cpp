#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::MINIMUM {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1"),
    input("input2").type("in_out_t").shape("shape2"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("in_out_t").shape("shape"),
};

template <class T>
constexpr Kernel kKernel = binary_kernel<T, T, [](T a, T b) { return a < b ? a : b; }>;

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    return ignores_nan(call) ? FloatBinary<float_min<true, T>>::template run<T>(call)
                             : FloatBinary<float_min<false, T>>::template run<T>(call);
  }
};

constexpr TypeRow kRows[] = {
    row({kINT32}).in(kProInt).by(kKernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kKernel<std::int64_t>),
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kMINIMUM, kArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::MINIMUM
