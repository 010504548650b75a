#include <fmt/format.h>

#include <cmath>

#include "reference/tosa/verify/bound_check.hpp"

namespace macaw::tosa {

Result<mode::Tolerance> default_tolerance(DType dtype) {
  switch (dtype) {
    case DType::kFP32: return mode::Tolerance{1e-3};
    case DType::kFP16:
    case DType::kBF16: return mode::Tolerance{2e-2};
    case DType::kFP8E4M3:
    case DType::kFP8E5M2: return mode::Tolerance{1.3e-1};
    default: return fail(ErrorCode::kUnsupported, fmt::format("{} results have no tolerance", macaw::to_string(dtype)));
  }
}

namespace verify {
namespace {

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value * value;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Tolerance& mode) {
  const double rms = root_mean_square(operands.reference.data<double>());
  return check_elements("TOLERANCE", operands, format, [&](double reference, double) {
    const double error = std::isfinite(reference) ? mode.share * (std::abs(reference) + rms) : 0;
    return ErrorBound{error, error};
  });
}

}  // namespace verify
}  // namespace macaw::tosa
