#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tosa/verify/float_format.hpp"
#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::verify::FloatFormat;

/// Bits of the number of the format that is nearest to a magnitude, found among all that the format has.
std::uint32_t nearest(const FloatFormat& format, double magnitude) {
  const std::uint32_t all_ones = (1U << (format.exponent_bits + format.mantissa_bits)) - 1;
  if (std::isnan(magnitude))
    return format.has_infinity
               ? ((1U << format.exponent_bits) - 1) << format.mantissa_bits | 1U << (format.mantissa_bits - 1)
               : all_ones;
  const std::uint32_t beyond =
      format.has_infinity ? ((1U << format.exponent_bits) - 1) << format.mantissa_bits : all_ones;
  // Patterns of positive numbers are in their order; `low` is the last that is not above the magnitude.
  std::uint32_t low = 0, high = beyond;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (tosa::verify::decode(format, middle) <= magnitude ? low : high) = middle;
  }
  const double below = tosa::verify::decode(format, low);
  // The step up from the greatest number is as long as the one below it.
  const double above =
      high < beyond ? tosa::verify::decode(format, high) : 2 * below - tosa::verify::decode(format, low - 1);
  const double down = magnitude - below, up = above - magnitude;
  return down < up || (down == up && low % 2 == 0) ? low : high;
}

}  // namespace

std::int64_t int_at(const Tensor& tensor, std::int64_t at) {
  const auto i = static_cast<std::size_t>(at);
  switch (tensor.dtype()) {
    case DType::kBOOL: return tensor.data<std::uint8_t>()[i] != 0;
    case DType::kINT4:
    case DType::kINT8: return tensor.data<std::int8_t>()[i];
    case DType::kUINT8: return tensor.data<std::uint8_t>()[i];
    case DType::kINT16: return tensor.data<std::int16_t>()[i];
    case DType::kUINT16: return tensor.data<std::uint16_t>()[i];
    case DType::kINT32: return tensor.data<std::int32_t>()[i];
    default: return tensor.data<std::int64_t>()[i];
  }
}

double double_at(const Tensor& tensor, std::int64_t at) {
  if (is_block_scale(tensor.dtype())) return scaled_at(tensor, at);
  const auto i = static_cast<std::size_t>(at);
  if (tensor.dtype() == DType::kFP32) return tensor.data<float>()[i];
  std::uint32_t bits = 0;
  const auto size = size_of(tensor.dtype());
  std::memcpy(&bits, tensor.bytes().data() + i * size, size);
  return tosa::verify::decode(*tosa::verify::find_format(tensor.dtype()), bits);
}

void put_int(Tensor& tensor, std::int64_t at, std::int64_t value) {
  std::memcpy(tensor.bytes().data() + static_cast<std::size_t>(at) * size_of(tensor.dtype()), &value,
              size_of(tensor.dtype()));
}

void put_double(Tensor& tensor, std::int64_t at, double value) {
  const auto i = static_cast<std::size_t>(at);
  if (tensor.dtype() == DType::kFP32) {
    tensor.data<float>()[i] = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
    return;
  }
  const auto& format = *tosa::verify::find_format(tensor.dtype());
  auto bits = nearest(format, std::fabs(value));
  const bool is_nan = std::isnan(tosa::verify::decode(format, bits));
  if (std::signbit(value) && !is_nan) bits |= 1U << (format.exponent_bits + format.mantissa_bits);
  std::memcpy(tensor.bytes().data() + i * size_of(tensor.dtype()), &bits, size_of(tensor.dtype()));
}

void copy_element(Tensor& to, std::int64_t i, const Tensor& from, std::int64_t j) {
  const auto size = size_of(to.dtype());
  std::memcpy(to.bytes().data() + static_cast<std::size_t>(i) * size,
              from.bytes().data() + static_cast<std::size_t>(j) * size, size);
  // Blocks do not reach over the end of a row.
  if (is_block_scale(to.dtype()))
    to.bytes()[static_cast<std::size_t>(to.size() + i / 32)] =
        from.bytes()[static_cast<std::size_t>(from.size() + j / 32)];
}

std::int64_t maximum(DType dtype) {
  return static_cast<std::int64_t>((std::uint64_t{1} << (info(dtype).bits - 1)) - 1);
}
std::int64_t minimum(DType dtype) { return -maximum(dtype) - 1; }

std::int64_t checked(Wide value, DType dtype) {
  require(value >= minimum(dtype) && value <= maximum(dtype));
  return static_cast<std::int64_t>(value);
}

std::int64_t offset(const Shape& shape, const Shape& index) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) at = at * shape[i] + index[i];
  return at;
}

Shape index_of(const Shape& shape, std::int64_t at) {
  Shape index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; at /= shape[i]) index[i] = at % shape[i];
  return index;
}

std::int64_t broadcast_offset(const Shape& shape, const Shape& out_index) {
  Shape index = out_index;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 1) index[i] = 0;
  return offset(shape, index);
}

std::int64_t apply_scale_32(std::int64_t value, std::int64_t multiplier, std::int64_t shift, bool double_round) {
  require(multiplier >= 0 && shift >= 2 && shift <= 62);
  require(value >= -(Wide{1} << (shift - 1)) && value < (Wide{1} << (shift - 1)));
  Wide round = Wide{1} << (shift - 1);
  if (double_round && shift > 31) round += value >= 0 ? 1 << 30 : -(1 << 30);
  return static_cast<std::int64_t>((Wide{value} * multiplier + round) >> shift);
}

std::int64_t apply_scale_16(std::int64_t value, std::int64_t multiplier, std::int64_t shift) {
  require(multiplier >= 0 && shift >= 2 && shift <= 62);
  return checked((Wide{value} * multiplier + (Wide{1} << (shift - 1))) >> shift, DType::kINT32);
}

Compute find(tosa::Op op) {
  for (const auto table : {convolutions(), pools(), products(), fourier(), reductions(), integers(), floats(),
                           choices(), data_layout(), conversions(), block_scaled(), shapes()})
    for (const auto& entry : table)
      if (entry.op == op) return entry.compute;
  return nullptr;
}

}  // namespace macaw::test::naive
