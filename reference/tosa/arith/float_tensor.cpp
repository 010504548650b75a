#include "reference/tosa/arith/float_tensor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "reference/tosa/arith/float_format.hpp"
#include "reference/tosa/arith/narrow_float.hpp"

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

template <DType D, class T>
constexpr bool kInVectors = (has_format(D) || D == DType::kMXINT8) && std::is_same_v<T, float>;

template <DType D, class T>
void decode_type(const std::byte* bytes, std::span<T> out) {
  const auto* in = reinterpret_cast<const Storage<D>*>(bytes);
  if constexpr (D == DType::kFP32 || D == DType::kFP64) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(in[i]);
  } else if constexpr (kInVectors<D, T>) {
    decode_narrow(D, bytes, out.size(), out.data());
  } else if constexpr (D == DType::kBF16) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::bit_cast<float>(std::uint32_t{in[i]} << 16);
  } else {
    const auto& values = values_of<D>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[static_cast<std::make_unsigned_t<Storage<D>>>(in[i])];
  }
}

template <DType D, class T>
void encode_type(std::span<const T> values, std::byte* bytes) {
  auto* out = reinterpret_cast<Storage<D>*>(bytes);
  if constexpr (kInVectors<D, T>) return encode_narrow(D, values.data(), values.size(), bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = values[i];
    if constexpr (D == DType::kFP32 || D == DType::kFP64)
      out[i] = value != value ? std::numeric_limits<Storage<D>>::quiet_NaN() : static_cast<Storage<D>>(value);
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

/// Multiplies values, the first of which is element `first` of a tensor, by the scales of their blocks; the last block
/// of a row may be short.
template <class T>
void multiply(const Tensor& tensor, std::int64_t first, std::span<T> values) {
  const auto scale_type = block_scale(tensor.dtype())->scale;
  const auto* scales = tensor.bytes().data() + static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype());
  const auto row = tensor.shape().empty() ? 1 : tensor.shape().back();
  const auto blocks = (row + kInnermostBlockSize - 1) / kInnermostBlockSize;
  for (std::int64_t at = 0; at < std::ssize(values);) {
    const auto column = (first + at) % row;
    const auto block = static_cast<std::size_t>((first + at) / row * blocks + column / kInnermostBlockSize);
    T scale;
    decode_floats(scale_type, scales + block * size_of(scale_type), std::span(&scale, 1));
    const auto left = std::min<std::int64_t>(row - column, kInnermostBlockSize - column % kInnermostBlockSize);
    for (const auto end = std::min<std::int64_t>(at + left, std::ssize(values)); at < end; ++at)
      values[static_cast<std::size_t>(at)] *= scale;
  }
}

}  // namespace

Tensor to_precise(const Tensor& tensor) {
  const auto dtype = precise_type(tensor.dtype());
  if (dtype == tensor.dtype()) return tensor;
  Tensor result(dtype, tensor.shape());
  if (!is_block_scale(dtype)) {
    load_floats(tensor, result.data<double>());
    return result;
  }
  const std::span all(reinterpret_cast<double*>(result.bytes().data()), result.bytes().size() / sizeof(double));
  const auto count = static_cast<std::size_t>(tensor.size());
  load_floats(tensor.values(), all.first(count));
  load_floats(tensor.scales(), all.subspan(count));
  return result;
}

template <class T>
void decode_floats(DType dtype, const std::byte* bytes, std::span<T> out) {
  with_float_type(dtype, [&]<DType D>() { decode_type<D>(bytes, out); });
}

template <class T>
void encode_floats(std::span<const T> values, DType dtype, std::byte* bytes) {
  with_float_type(dtype, [&]<DType D>() { encode_type<D>(values, bytes); });
}

template <class T>
void load_floats(const Tensor& tensor, std::int64_t first, std::span<T> out) {
  const auto* scaled = block_scale(tensor.dtype());
  decode_floats(scaled ? scaled->value : tensor.dtype(),
                tensor.bytes().data() + static_cast<std::size_t>(first) * size_of(tensor.dtype()), out);
  if (scaled) multiply(tensor, first, out);
}

template <class T>
void store_floats(std::span<const T> values, Tensor& tensor) {
  encode_floats(values, tensor.dtype(), tensor.uninitialized_bytes().data());
}

template void decode_floats<float>(DType, const std::byte*, std::span<float>);
template void decode_floats<double>(DType, const std::byte*, std::span<double>);
template void encode_floats<float>(std::span<const float>, DType, std::byte*);
template void encode_floats<double>(std::span<const double>, DType, std::byte*);
template void load_floats<float>(const Tensor&, std::int64_t, std::span<float>);
template void load_floats<double>(const Tensor&, std::int64_t, std::span<double>);
template void store_floats<float>(std::span<const float>, Tensor&);
template void store_floats<double>(std::span<const double>, Tensor&);

}  // namespace macaw::tosa
