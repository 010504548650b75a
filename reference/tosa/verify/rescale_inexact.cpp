#include <fmt/format.h>

#include <concepts>

#include "reference/tosa/verify/judgement.hpp"

// reference_model src/verify/verify_rescale_inexact.cpp: the reference run gives the smallest value that INEXACT_ROUND
// allows, the bounds run the largest.
namespace macaw::tosa::verify {
namespace {

template <std::integral T>
Result<Judgement> judge_range(const Operands& operands) {
  const auto values = operands.result.data<T>();
  const auto lowest = operands.reference.data<T>();
  const auto highest = operands.bounds->data<T>();
  Findings findings("RESCALE_INEXACT", operands.result);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (lowest[i] > highest[i])
      return fail(ErrorCode::kMismatch, fmt::format("the reference at {} is {}, above the bounds tensor's {}",
                                                    position(index, operands.result.shape()), lowest[i], highest[i]));
    if (values[i] < lowest[i] || values[i] > highest[i]) {
      const auto low = static_cast<double>(lowest[i]);
      findings.outside(index, {static_cast<double>(values[i]), low, low, static_cast<double>(highest[i])});
    }
  }
  return findings.judgement();
}

}  // namespace

Result<Judgement> judge_rescale_inexact(const Operands& operands, const mode::RescaleInexact& mode) {
  const auto dtype = operands.result.dtype();
  switch (dtype) {
    case DType::kINT32:
      if (!mode.unsigned_data) return judge_range<std::int32_t>(operands);
      break;
    case DType::kINT16:
      return mode.unsigned_data ? judge_range<std::uint16_t>(operands) : judge_range<std::int16_t>(operands);
    case DType::kINT8:
      return mode.unsigned_data ? judge_range<std::uint8_t>(operands) : judge_range<std::int8_t>(operands);
    default: break;
  }
  return fail(ErrorCode::kUnsupported, fmt::format("RESCALE_INEXACT is not defined for {}{} results",
                                                   mode.unsigned_data ? "unsigned " : "", macaw::to_string(dtype)));
}

}  // namespace macaw::tosa::verify
