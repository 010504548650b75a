#include "reference/tflite/to_tosa/lowering.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

constexpr FixedMultiplier kOne{1 << 30, 1};
constexpr int kLeastShift = 2, kMostShift = 62;

std::int32_t offset_of(const Operand& operand) { return operand.value->dtype() == DType::kUINT8 ? 128 : 0; }

template <class T>
Tensor list(DType dtype, const std::vector<T>& values) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}

/// One number for all if they are equal.
void merge(std::vector<FixedMultiplier>& by) {
  const auto same = [&](const FixedMultiplier& m) {
    return m.multiplier == by.front().multiplier && m.shift == by.front().shift;
  };
  if (std::ranges::all_of(by, same)) by.resize(1);
}

Attributes rescale_attributes(bool is_wide, bool is_double, bool is_per_channel) {
  const auto rounding = is_double ? tosa::RoundingMode::kDoubleRound : tosa::RoundingMode::kSingleRound;
  return {{Attr::k_scale32, std::int64_t{is_wide ? 0 : 1}},
          {Attr::k_rounding_mode, static_cast<std::int64_t>(rounding)},
          {Attr::k_per_channel, std::int64_t{is_per_channel}},
          {Attr::k_input_unsigned, std::int64_t{0}},
          {Attr::k_output_unsigned, std::int64_t{0}}};
}

}  // namespace

Interval scaled(Interval values, FixedMultiplier by) {
  const double factor = std::ldexp(double(by.multiplier), by.shift - 31);
  const auto bound = [&](std::int64_t x) { return static_cast<std::int64_t>(static_cast<double>(x) * factor); };
  return {bound(values.min) - 1, bound(values.max) + 1};
}

Result<DType> type_in_tosa(DType dtype) {
  switch (dtype) {
    case DType::kBOOL:
    case DType::kINT8:
    case DType::kINT16:
    case DType::kINT32:
    case DType::kFP32: return dtype;
    case DType::kUINT8:
    case DType::kINT4: return DType::kINT8;
    default: return unsupported(fmt::format("TOSA has no tensors of {}", to_string(dtype)));
  }
}

Result<ValueId> add_constant(Emitter& tosa, const Tensor& tensor) {
  MACAW_ASSIGN(const DType dtype, type_in_tosa(tensor.dtype()));
  Tensor copy(dtype, tensor.shape());
  std::ranges::copy(tensor.bytes(), copy.bytes().begin());
  if (tensor.dtype() == DType::kUINT8)
    for (auto& byte : copy.bytes()) byte ^= std::byte{0x80};
  return tosa.constant(std::move(copy));
}

Result<ValueId> Lowering::input(std::size_t index) {
  auto& id = operands_.inputs[index];
  if (!id) {
    MACAW_ASSIGN(const Tensor* tensor, call.input(index));
    MACAW_ASSIGN(id, add_constant(tosa, *tensor));
  }
  return *id;
}

Result<void> Lowering::expect_constant(std::size_t index) const {
  if (index >= call.inputs.size() || !call.inputs[index].value || is_constant(index)) return {};
  return unsupported(fmt::format("input {} is not a constant", index));
}

Result<void> Lowering::output(ValueId id, std::size_t index) {
  operands_.outputs[index] = tosa.reshape(id, call.output(index).shape());
  return {};
}

Result<Affine> Lowering::affine(const Operand& operand) const {
  MACAW_ASSIGN(Affine result, tflite::affine(operand));
  result.zero_point -= offset_of(operand);
  return result;
}

Result<Range> Lowering::range(schema::ActivationFunctionType activation) const {
  const Operand& out = call.outputs[0];
  MACAW_ASSIGN(const Affine to, tflite::affine(out));
  MACAW_ASSIGN(Range result, activation_range(activation, out.value->dtype(), to));
  result.min -= offset_of(out);
  result.max -= offset_of(out);
  return result;
}

Interval Lowering::offset_values(const Operand& operand, Affine affine) {
  const std::int64_t limit = std::int64_t{1} << (8 * size_of(operand.value->dtype()) - 1);
  return {-limit - affine.zero_point, limit - 1 - affine.zero_point};
}

Result<ValueId> Lowering::rescale(ValueId x, const Rescaling& how) {
  std::vector<FixedMultiplier> by = how.by;
  merge(by);
  if ((how.in_zero != 0 && tosa.dtype(x) != DType::kINT8) || (how.out_zero != 0 && how.to != DType::kINT8))
    return unsupported("a zero point of elements that are not bytes");
  std::vector<std::int32_t> multipliers;
  std::vector<std::int8_t> shifts;
  bool is_double = false;
  for (const auto& m : by) {
    // Beside a zero any value may stand.
    const int shift = m.multiplier == 0 ? kMostShift : 31 - m.shift;
    if (shift < kLeastShift || shift > kMostShift)
      return unsupported(fmt::format("a scale of 2^{} or more", m.shift - 1));
    const std::int64_t limit = std::int64_t{1} << (shift - 1);
    if (m.multiplier != 0 && (how.values.min < -limit || how.values.max >= limit))
      return unsupported(fmt::format("values from {} to {} by a scale of 2^{} or more, which 32 bits need not hold",
                                     how.values.min, how.values.max, m.shift - 1));
    is_double |= m.multiplier != 0 && shift > 31;
    multipliers.push_back(m.multiplier);
    shifts.push_back(static_cast<std::int8_t>(shift));
  }
  const auto m = tosa.constant(list(DType::kINT32, multipliers)), s = tosa.constant(list(DType::kINT8, shifts));
  const auto in_zero = tosa.scalar(tosa.dtype(x), how.in_zero), out_zero = tosa.scalar(how.to, how.out_zero);
  return tosa.add(Op::kRESCALE, {x, m, s, in_zero, out_zero}, how.to, Shape(tosa.shape(x)),
                  rescale_attributes(false, is_double, by.size() > 1));
}

Result<ValueId> Lowering::rescale_wide(ValueId x, std::vector<FixedMultiplier> by, std::int64_t most) {
  merge(by);
  std::vector<std::int16_t> multipliers;
  std::vector<std::int8_t> shifts;
  for (const auto& m : by) {
    const int shift = m.multiplier == 0 ? 15 : 15 - m.shift;
    if (shift < kLeastShift || shift > kMostShift) return unsupported(fmt::format("a scale of 2^{}", m.shift));
    if (m.multiplier != 0 && std::ldexp(static_cast<double>(most), m.shift) >= std::ldexp(1.0, 31))
      return unsupported(
          fmt::format("values up to {} by a scale of up to 2^{}, which 32 bits need not hold", most, m.shift));
    multipliers.push_back(reduced_multiplier(m));
    shifts.push_back(static_cast<std::int8_t>(shift));
  }
  return rescale_48(x, list(DType::kINT16, multipliers), list(DType::kINT8, shifts), DType::kINT16);
}

ValueId Lowering::narrow(ValueId x) {
  return rescale_48(x, list<std::int16_t>(DType::kINT16, {1 << 14}), list<std::int8_t>(DType::kINT8, {14}),
                    DType::kINT32);
}

ValueId Lowering::rescale_48(ValueId x, Tensor multipliers, Tensor shifts, DType to) {
  const bool is_per_channel = multipliers.size() > 1;
  const auto m = tosa.constant(std::move(multipliers)), s = tosa.constant(std::move(shifts));
  const auto in_zero = tosa.scalar(DType::kINT48, 0), out_zero = tosa.scalar(to, 0);
  return tosa.add(Op::kRESCALE, {x, m, s, in_zero, out_zero}, to, Shape(tosa.shape(x)),
                  rescale_attributes(true, false, is_per_channel));
}

// Double rounding adds 2^30 to the product of a positive number, and takes it from one of a negative. So halves go away
// from zero, and nothing else changes: a product is 3/2 * 2^30 or more from the next half that it does not lie on, less
// what rounding up the multiplier adds, once for every unit of x.
Result<ValueId> Lowering::divide_tripled(ValueId x, std::int64_t n, Interval values, DType to, std::int32_t out_zero) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 29;
  if (n >= kLimit || 3 * std::max(-values.min, values.max) >= kLimit) return unsupported("a sum of so many elements");
  const int shift = 30 + std::bit_width(static_cast<std::uint64_t>(3 * n));
  const auto multiplier = static_cast<std::int32_t>(((std::int64_t{1} << shift) + 3 * n - 1) / (3 * n));
  return rescale(
      x,
      {.by = {{multiplier, 31 - shift}}, .to = to, .out_zero = out_zero, .values = {3 * values.min, 3 * values.max}});
}

Result<ValueId> Lowering::widen(ValueId x, std::int32_t in_zero) {
  if (tosa.dtype(x) == DType::kINT32) return x;
  constexpr std::int64_t kLimit = 1 << 17;
  return rescale(x, {.by = {kOne}, .in_zero = in_zero, .values = {-kLimit, kLimit}});
}

Result<void> Lowering::finish(ValueId x, FixedMultiplier by, Interval values, Affine to, Range range) {
  MACAW_ASSIGN(const DType dtype, type_in_tosa(call.output().dtype()));
  MACAW_ASSIGN(const auto scaled, rescale(x, {.by = {by}, .to = dtype, .out_zero = to.zero_point, .values = values}));
  return output(tosa.clamp(scaled, range.min, range.max));
}

Result<Tensor> Lowering::evaluate(std::size_t index, const Tensor& values) const {
  MACAW_ASSIGN(auto result, Tensor::create(call.output().dtype(), values.shape()));
  Call other{.name = call.name,
             .options = call.options,
             .inputs = call.inputs,
             .outputs = call.outputs,
             .max_work = call.max_work};
  // Constants of one element, of any rank, are broadcast to the values' one axis.
  std::vector<Tensor> flat;
  flat.reserve(other.inputs.size());
  for (auto& operand : other.inputs) {
    if (!operand.value || operand.value->size() != 1) continue;
    flat.push_back(*operand.value);
    flat.back().reshape({1});
    operand.value = &flat.back();
  }
  other.inputs[index].value = &values;
  other.outputs[0] = {.value = &result, .writable = &result, .quantization = call.outputs[0].quantization};
  MACAW_CHECK(execute(definition_, other));
  return result;
}

}  // namespace macaw::tflite
