#include <cmath>
#include <concepts>

#include "reference/tosa/verify/block_reader.hpp"
#include "reference/tosa/verify/bound_check.hpp"

namespace macaw::tosa::verify {
namespace {

template <std::integral T>
Judgement judge_integers(const Operands& operands) {
  const auto values = operands.result.data<T>();
  const auto references = operands.reference.data<T>();
  Findings findings("EXACT", operands.result);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == references[i]) continue;
    const auto reference = static_cast<double>(references[i]);
    findings.outside(static_cast<std::int64_t>(i), {static_cast<double>(values[i]), reference, reference, reference});
  }
  return findings.judgement();
}

/// For a block-scaled tensor both the value and the scale of an element must be equal.
Judgement judge_blocks(const Operands& operands) {
  const BlockReader results(operands.result), references(operands.reference);
  const auto differ = [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a != b; };
  Findings findings("EXACT", operands.result);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [value, scale] = results[i];
    const auto [reference, reference_scale] = references[i];
    if (differ(scale, reference_scale))
      findings.outside(static_cast<std::int64_t>(i), {scale, reference_scale, reference_scale, reference_scale});
    else if (differ(value, reference))
      findings.outside(static_cast<std::int64_t>(i), {value, reference, reference, reference});
  }
  return findings.judgement();
}

/// FP8 has to keep subnormals and has no overflow of its own here: values must be equal, or both NaN.
Judgement judge_values(const Operands& operands, const FloatFormat& format) {
  const FloatReader values(format, operands.result);
  const auto references = operands.reference.data<double>();
  Findings findings("EXACT", operands.result);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const double value = values[i], reference = references[i];
    if (std::isnan(reference) ? !std::isnan(value) : value != reference)
      findings.outside(static_cast<std::int64_t>(i), {value, reference, reference, reference});
  }
  return findings.judgement();
}

}  // namespace

Judgement judge_exact(const Operands& operands, const FloatFormat* format) {
  if (is_block_scale(operands.result.dtype())) return judge_blocks(operands);
  if (format && !format->flush_subnormals) return judge_values(operands, *format);
  if (format) return check_elements("EXACT", operands, *format, [](double, double) { return ErrorBound{0, 0}; });
  switch (operands.result.dtype()) {
    case DType::kUINT8: return judge_integers<std::uint8_t>(operands);
    case DType::kUINT16: return judge_integers<std::uint16_t>(operands);
    case DType::kUINT32: return judge_integers<std::uint32_t>(operands);
    default: break;
  }
  switch (size_of(operands.result.dtype())) {
    case 1: return judge_integers<std::int8_t>(operands);
    case 2: return judge_integers<std::int16_t>(operands);
    case 4: return judge_integers<std::int32_t>(operands);
    default: return judge_integers<std::int64_t>(operands);
  }
}

}  // namespace macaw::tosa::verify
