#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/tosa/verify/block_reader.hpp"
#include "reference/tosa/verify/bound_check.hpp"

// TOSA specification, tosa_reference_check_scale (pseudocode/library/tosa_reference_check.tosac). Its last line passes
// the recomputed reference as the value to test and the value as the reference; then a value that rounds to zero could
// never comply. They are taken here in the order in which tosa_reference_check_fp declares them.
namespace macaw::tosa {
namespace verify {
namespace {

/// tosa_reference_check_fp.
std::optional<Element> check(const FloatFormat& format, double value, double reference, double units) {
  const double error = ulp(format, reference) * units;
  return check_bound(format, value, reference, {error, error});
}

}  // namespace

BlockReader::BlockReader(const Tensor& tensor) {
  const auto read = [](const Tensor& part, std::vector<double>& out) {
    if (part.dtype() == DType::kFP64) {
      const auto data = part.data<double>();
      out.assign(data.begin(), data.end());
      return;
    }
    const FloatReader reader(*find_format(part.dtype()), part);
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.size()); ++i) out.push_back(reader[i]);
  };
  read(tensor.values(), values_);
  read(tensor.scales(), scales_);
  if (tensor.rank() == 0) return;
  row_ = static_cast<std::size_t>(tensor.shape().back());
  scales_in_row_ = static_cast<std::size_t>(scale_shape(tensor.shape()).back());
}

Result<Judgement> judge_block_scale(const Operands& operands, const mode::ToBlock&) {
  const auto* type = block_scale(operands.result.dtype());
  if (!type)
    return fail(ErrorCode::kUnsupported,
                fmt::format("BLOCK_SCALE is not defined for {} results", macaw::to_string(operands.result.dtype())));
  const auto &values = *find_format(type->value), &scales = *find_format(type->scale);
  const double units = type->value == DType::kFP8E4M3 ? 2 : 1;
  const BlockReader results(operands.result), references(operands.reference);
  Findings findings("BLOCK_SCALE", operands.result);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [value, scale] = results[i];
    const auto [reference, reference_scale] = references[i];
    if (std::isnan(reference_scale)) continue;
    auto wrong = check(scales, scale, reference_scale, 1);
    if (!wrong) wrong = check(values, value, reference_scale * reference / scale, units);
    if (wrong) findings.outside(static_cast<std::int64_t>(i), *wrong);
  }
  return findings.judgement();
}

}  // namespace verify

Result<Tensor> join_blocks(const Tensor& values, const Tensor& scales) {
  const auto type = std::ranges::find_if(
      kBlockScales, [&](const BlockScale& row) { return row.value == values.dtype() && row.scale == scales.dtype(); });
  if (type == std::end(kBlockScales))
    return fail(ErrorCode::kMismatch, fmt::format("there is no block-scaled type of {} values and {} scales",
                                                  macaw::to_string(values.dtype()), macaw::to_string(scales.dtype())));
  if (values.rank() == 0 || values.shape().back() % kInnermostBlockSize != 0 ||
      scales.shape() != scale_shape(values.shape()))
    return fail(ErrorCode::kMismatch,
                fmt::format("scales of shape {} do not fit values of shape {}: expected one for 32 of them",
                            macaw::to_string(scales.shape()), macaw::to_string(values.shape())));
  MACAW_ASSIGN(auto joined, Tensor::create(type->dtype, values.shape(), TensorMemory::ZeroFill::kLazy));
  std::ranges::copy(scales.bytes(), std::ranges::copy(values.bytes(), joined.uninitialized_bytes().begin()).out);
  return joined;
}

}  // namespace macaw::tosa
