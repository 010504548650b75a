#include "reference/arith/float_tensor.hpp"

#include <array>
#include <limits>
#include <type_traits>

#include "reference/arith/float_format.hpp"

namespace macaw::tosa {
namespace {

// All values of a narrow format.
template <DType D>
const auto& values_of() {
  static const auto table = [] {
    std::array<float, std::size_t{1} << (8 * sizeof(Storage<D>))> values;
    for (unsigned bits = 0; bits < values.size(); ++bits) {
      if constexpr (D == DType::kFP8UE8M0) values[bits] = decode_ue8m0(bits);
      else if constexpr (D == DType::kMXINT8) values[bits] = decode_mxint8(bits);
      else values[bits] = decode(kFormat<D>, bits);
    }
    return values;
  }();
  return table;
}

// decode() and encode() of 16-bit formats as loops over whole vectors.

float fp16_value(std::uint16_t bits) {
  constexpr std::uint32_t kExponent = 0x7C00;
  const std::uint32_t magnitude = bits & 0x7FFFu, sign = (bits & 0x8000u) << 16;
  // The bias is 112 less; the product makes subnormal numbers normal.
  const auto number = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f) | sign;
  const auto infinity = 0x7F800000u | sign;
  const auto special = magnitude > kExponent ? 0x7FC00000u : infinity;
  return std::bit_cast<float>(magnitude >= kExponent ? special : number);
}

std::uint16_t fp16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu, sign = (bits & 0x80000000u) >> 16;
  // To nearest even: half the last bit kept less one, and one if that is odd.
  const auto normal = (magnitude - (112u << 23) + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  // 0.5 has the least fp16 number in its last bit: the sum rounds there.
  const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const auto number = magnitude < (113u << 23) ? subnormal : normal;
  // 65520, half way beyond the greatest number, and above is infinity.
  const auto finite = magnitude < 0x477FF000u ? number : 0x7C00u;
  return static_cast<std::uint16_t>(magnitude > 0x7F800000u ? 0x7E00u : finite | sign);
}

std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded);
}

template <DType D, class T>
void load(const Tensor& tensor, std::span<T> out) {
  const auto in = tensor.data<Storage<D>>();
  if constexpr (D == DType::kFP32 || D == DType::kFP64) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(in[i]);
  } else if constexpr (D == DType::kBF16) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::bit_cast<float>(std::uint32_t{in[i]} << 16);
  } else if constexpr (D == DType::kFP16) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = fp16_value(static_cast<std::uint16_t>(in[i]));
  } else {
    const auto& values = values_of<D>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[static_cast<std::make_unsigned_t<Storage<D>>>(in[i])];
  }
}

template <DType D, class T>
void store(std::span<const T> values, Tensor& tensor) {
  const auto out = tensor.data_to_fill<Storage<D>>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto value = values[i];
    if constexpr (D == DType::kFP32 || D == DType::kFP64)
      out[i] = value != value ? std::numeric_limits<Storage<D>>::quiet_NaN() : static_cast<Storage<D>>(value);
    else if constexpr (D == DType::kFP16 && std::is_same_v<T, float>) out[i] = fp16_bits(value);
    else if constexpr (D == DType::kBF16 && std::is_same_v<T, float>) out[i] = bf16_bits(value);
    else if constexpr (D == DType::kFP8UE8M0)
      out[i] = static_cast<Storage<D>>(encode_ue8m0(static_cast<double>(value)));
    else if constexpr (D == DType::kMXINT8) out[i] = static_cast<Storage<D>>(encode_mxint8(static_cast<double>(value)));
    else out[i] = static_cast<Storage<D>>(encode(kFormat<D>, static_cast<double>(value)));
  }
}

/// Calls f.operator()<D>() for the type.
template <class F>
void with_float_type(DType dtype, F f) {
  switch (dtype) {
    case DType::kFP64: return f.template operator()<DType::kFP64>();
    case DType::kFP32: return f.template operator()<DType::kFP32>();
    case DType::kFP16: return f.template operator()<DType::kFP16>();
    case DType::kBF16: return f.template operator()<DType::kBF16>();
    case DType::kFP8E4M3: return f.template operator()<DType::kFP8E4M3>();
    case DType::kFP8E5M2: return f.template operator()<DType::kFP8E5M2>();
    case DType::kFP8UE8M0: return f.template operator()<DType::kFP8UE8M0>();
    case DType::kMXINT8: return f.template operator()<DType::kMXINT8>();
    case DType::kFP6E2M3: return f.template operator()<DType::kFP6E2M3>();
    case DType::kFP6E3M2: return f.template operator()<DType::kFP6E3M2>();
    case DType::kFP4E2M1: return f.template operator()<DType::kFP4E2M1>();
    default: return;  // not a type of the callers'
  }
}

}  // namespace

Tensor to_precise(const Tensor& tensor) {
  const auto dtype = precise_type(tensor.dtype());
  if (dtype == tensor.dtype()) return tensor;
  Tensor result(dtype, tensor.shape());
  load_floats(tensor, result.data<double>());
  return result;
}

template <class T>
void load_floats(const Tensor& tensor, std::span<T> out) {
  with_float_type(tensor.dtype(), [&]<DType D>() { load<D>(tensor, out); });
}

template <class T>
void store_floats(std::span<const T> values, Tensor& tensor) {
  with_float_type(tensor.dtype(), [&]<DType D>() { store<D>(values, tensor); });
}

template void load_floats<float>(const Tensor&, std::span<float>);
template void load_floats<double>(const Tensor&, std::span<double>);
template void store_floats<float>(std::span<const float>, Tensor&);
template void store_floats<double>(std::span<const double>, Tensor&);

}  // namespace macaw::tosa
