#include <fmt/format.h>

#include "reference/tosa/verify/judgement.hpp"
#include "reference/tosa/verify/overloaded.hpp"

namespace macaw::tosa {
namespace {

Result<void> check_operand(const char* what, const Tensor& tensor, DType dtype, const Shape& shape) {
  if (tensor.dtype() != dtype)
    return fail(ErrorCode::kMismatch, fmt::format("the {} is of type {}, expected {}", what,
                                                  macaw::to_string(tensor.dtype()), macaw::to_string(dtype)));
  if (tensor.shape() != shape)
    return fail(ErrorCode::kMismatch, fmt::format("the {} is of shape {}, expected {}", what,
                                                  macaw::to_string(tensor.shape()), macaw::to_string(shape)));
  return {};
}

Result<Judgement> apply(const verify::Operands& operands, const Mode& mode) {
  const auto dtype = operands.result.dtype();
  const auto* format = verify::find_format(dtype);
  return std::visit(
      verify::Overloaded{[&](const mode::Exact&) -> Result<Judgement> { return verify::judge_exact(operands, format); },
                         [&](const mode::ToBlock& m) { return verify::judge_block_scale(operands, m); },
                         [&](const mode::RescaleInexact& m) { return verify::judge_rescale_inexact(operands, m); },
                         [&](const auto& m) -> Result<Judgement> {
                           if (format) return verify::judge_as(operands, *format, m);
                           return fail(ErrorCode::kUnsupported, fmt::format("{} is not defined for {} results",
                                                                            to_string(mode), macaw::to_string(dtype)));
                         }},
      mode);
}

}  // namespace

DType reference_dtype(DType result) {
  if (is_block_scale(result)) return DType::kBS32_FP64_FP64;
  return is_float(result) || result == DType::kMXINT8 ? DType::kFP64 : result;
}

bool needs_bounds(const Mode& mode) {
  return std::holds_alternative<mode::AbsError>(mode) || std::holds_alternative<mode::FpSpecial>(mode) ||
         std::holds_alternative<mode::DotProduct>(mode) || std::holds_alternative<mode::RescaleInexact>(mode) ||
         std::holds_alternative<mode::FromBlock>(mode);
}

Result<Judgement> judge(const Tensor& result, const Tensor& reference, const Tensor* bounds,
                        const Compliance& compliance) {
  const auto* blocks = block_scale(compliance.dtype);
  if (is_float(compliance.dtype) && !verify::find_format(blocks ? blocks->value : compliance.dtype))
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} results cannot be judged", macaw::to_string(compliance.dtype)));
  const auto& shape = compliance.shape ? *compliance.shape : reference.shape();
  const auto dtype = reference_dtype(compliance.dtype);
  MACAW_CHECK(check_operand("reference", reference, dtype, shape));
  const bool bounded = needs_bounds(compliance.mode);
  if (bounded && !bounds)
    return fail(ErrorCode::kUsage, fmt::format("{} needs a bounds tensor", to_string(compliance.mode)));
  if (bounded) MACAW_CHECK(check_operand("bounds tensor", *bounds, dtype, shape));
  if (const auto fits = check_operand("result", result, compliance.dtype, shape); !fits)
    return Judgement{false, fmt::format("{}: {}", to_string(compliance.mode), fits.error().message)};
  // Only a list of dimensions can be empty: a tensor has at least one element.
  if (result.size() == 0 && compliance.dtype != DType::kSHAPE)
    return Judgement{false, fmt::format("{}: the result has no elements", to_string(compliance.mode))};
  return apply({result, reference, bounded ? bounds : nullptr}, compliance.mode);
}

}  // namespace macaw::tosa
