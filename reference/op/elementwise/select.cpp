#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "bool_t", "shape1"},
    {Category::kInput, "input2", "in_out_t", "shape2"},
    {Category::kInput, "input3", "in_out_t", "shape3"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};

template <class T>
Result<void> kernel(Call& call) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs);
  const auto* choice = call.in_data<bool>(0).data();
  const auto* yes = call.in_data<T>(1).data();
  const auto* no = call.in_data<T>(2).data();
  auto* out = call.out_data<T>(0).data();
  const std::int64_t step_choice = walk.advances(0), step_yes = walk.advances(1), step_no = walk.advances(2);
  const auto length = walk.length();
  walk.for_each_run([&](const BroadcastWalk::Run& run) {
    const auto* c = choice + run.in[0];
    const auto* a = yes + run.in[1];
    const auto* b = no + run.in[2];
    auto* to = out + run.out;
    if (step_choice && step_yes && step_no) {
      for (std::int64_t i = 0; i < length; ++i) {
        const auto left = a[i], right = b[i];  // both read, so that the loop has no branch
        to[i] = c[i] ? left : right;
      }
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = c[i * step_choice] ? a[i * step_yes] : b[i * step_no];
    }
  });
  return {};
}

template <class T>
Result<void> kernel_of_float(Call& call) {
  return call.precise ? kernel<std::uint64_t>(call) : kernel<T>(call);
}

// Elements are only moved, so types of one size share a kernel.
constexpr TypeRow kRows[] = {
    {{DType::kBOOL}, kInProIntOrFp, 0, kernel<bool>},
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInProInt, 0, kernel<std::int16_t>},
    {{DType::kINT32}, kInProInt, 0, kernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
    {{DType::kFP16}, kInProFp, 0, kernel_of_float<std::uint16_t>},
    {{DType::kBF16}, kInExtBf16, 0, kernel_of_float<std::uint16_t>},
    {{DType::kFP32}, kInProFp, 0, kernel_of_float<std::uint32_t>},
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kSELECT = {Op::kSELECT, kArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa
