#pragma once
#include <cmath>

#include "reference/arith/block_scale.hpp"
#include "reference/op/elementwise/float_blocks.hpp"

// Casts between plain numbers and values with a scale for each 32 of them. Values and scales are in one tensor of a
// block-scaled type or in two tensors.

namespace macaw::tosa {

/// Where values and scales are; Byte is std::byte or const std::byte.
template <class Byte>
struct ScaledBlocks {
  DType value, scale;
  Byte *values, *scales;

  [[nodiscard]] Byte* values_from(std::size_t element) const { return values + element * size_of(value); }
  [[nodiscard]] Byte* scales_from(std::size_t element) const {
    return scales + element / kInnermostBlockSize * size_of(scale);
  }
};

/// Of one tensor, whose bytes these are.
template <class Byte>
ScaledBlocks<Byte> blocks_of(const Tensor& tensor, Byte* bytes) {
  const auto& type = *block_scale(tensor.dtype());
  return {type.value, type.scale, bytes, bytes + static_cast<std::size_t>(tensor.size()) * size_of(type.value)};
}

/// Calls f(first element, elements) for whole blocks, at most kFloatBlock elements at a time, on the call's threads.
template <class F>
void for_each_piece(const Call& call, std::size_t elements, F f) {
  static_assert(kFloatBlock % kInnermostBlockSize == 0);
  split(call, elements / kInnermostBlockSize, kLeastElements / kInnermostBlockSize,
        [&](std::size_t first, std::size_t end) {
          for (auto at = first * kInnermostBlockSize; at < end * kInnermostBlockSize; at += kFloatBlock)
            f(at, std::min<std::size_t>(kFloatBlock, end * kInnermostBlockSize - at));
        });
}

/// The first output: every value times the scale of its block; in a run for bounds the scale.
template <class T>
void multiply_blocks(Call& call, const ScaledBlocks<const std::byte>& in) {
  const BlockOutput<T> output(call.out(0));
  for_each_piece(call, static_cast<std::size_t>(call.out(0).size()), [&](std::size_t first, std::size_t count) {
    std::array<T, kFloatBlock / kInnermostBlockSize> scales;
    decode_floats<T>(in.scale, in.scales_from(first), {scales.data(), count / kInnermostBlockSize});
    output.fill(first, first + count, [&](std::size_t, std::size_t, T* out) {
      decode_floats<T>(in.value, in.values_from(first), {out, count});
      for (std::size_t i = 0; i < count; ++i) {
        const auto scale = scales[i / kInnermostBlockSize];
        out[i] = call.bounds ? scale : stored(out[i] * scale);
      }
    });
  });
}

/// The scale of each block of the first input, from its greatest magnitude, and the elements divided by it. `values` is
/// the type that decides the scales: that of the row, where a precise run stores double.
template <class T>
void divide_blocks(Call& call, DType values, const ScaledBlocks<std::byte>& out) {
  const auto& in = call.in(0);
  for_each_piece(call, static_cast<std::size_t>(in.size()), [&](std::size_t first, std::size_t count) {
    alignas(64) std::array<T, kFloatBlock> numbers;
    std::array<T, kFloatBlock / kInnermostBlockSize> scales;
    decode_floats<T>(in.dtype(), in.bytes().data() + first * size_of(in.dtype()), {numbers.data(), count});
    for (std::size_t block = 0; block < count / kInnermostBlockSize; ++block) {
      auto* number = numbers.data() + block * kInnermostBlockSize;
      T greatest = 0;
      for (std::size_t i = 0; i < kInnermostBlockSize; ++i) greatest = float_max<false>(greatest, std::fabs(number[i]));
      scales[block] = static_cast<T>(calc_block_scale(greatest, values));
      for (std::size_t i = 0; i < kInnermostBlockSize; ++i) number[i] /= scales[block];
    }
    encode_floats<T>({numbers.data(), count}, out.value, out.values_from(first));
    encode_floats<T>({scales.data(), count / kInnermostBlockSize}, out.scale, out.scales_from(first));
  });
}

/// The member of a family of kernels that is for values of a type: a precise run does not show it.
template <template <DType> class Kernels>
constexpr Kernel kernel_of(DType values) {
  switch (values) {
    case DType::kFP4E2M1: return float_kernel<Kernels<DType::kFP4E2M1>>;
    case DType::kFP6E2M3: return float_kernel<Kernels<DType::kFP6E2M3>>;
    case DType::kFP6E3M2: return float_kernel<Kernels<DType::kFP6E3M2>>;
    case DType::kFP8E4M3: return float_kernel<Kernels<DType::kFP8E4M3>>;
    case DType::kFP8E5M2: return float_kernel<Kernels<DType::kFP8E5M2>>;
    default: return float_kernel<Kernels<DType::kMXINT8>>;
  }
}

}  // namespace macaw::tosa
