#include "tests/bench/tosa/moving.hpp"

namespace macaw::bench {
namespace {

std::vector<Case> cases() {
  constexpr auto fp32 = DType::kFP32, fp16 = DType::kFP16;
  const Values a{fp32}, half{fp16};
  return {
      {"ADD/fp32", Op::kADD, {a, a}, {}, fp32},
      {"ADD/fp16", Op::kADD, {half, half}, {}, fp16},
      {"MUL/fp32", Op::kMUL, {a, a}, {zero_of(DType::kINT8)}, fp32},
      {"MAXIMUM/fp32", Op::kMAXIMUM, {a, a}, {}, fp32, kShape, {{Attr::k_nan_mode, std::int64_t{0}}}},
      {"NEGATE/fp32", Op::kNEGATE, {a}, {zero_of(fp32), zero_of(fp32)}, fp32},
      {"CAST/fp32_to_int32", Op::kCAST, {a}, {}, DType::kINT32},
      {"CAST/fp32_to_fp16", Op::kCAST, {a}, {}, fp16},
      {"CLAMP/fp32",
       Op::kCLAMP,
       {a},
       {},
       fp32,
       kShape,
       {{Attr::k_min_val, bytes_of(-50.f)}, {Attr::k_max_val, bytes_of(50.f)}, {Attr::k_nan_mode, std::int64_t{0}}}},
  };
}

const bool kRegistered = register_cases(cases());

}  // namespace
}  // namespace macaw::bench
