#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1"},
    {Category::kInput, "input2", "in_out_t", "shape2"},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "in_out_t", "shape"},
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
    {{DType::kINT32}, kInProInt, 0, kKernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kKernel<std::int64_t>},
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kMINIMUM = {Op::kMINIMUM, kArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa
