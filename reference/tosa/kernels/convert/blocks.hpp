#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "reference/tosa/arith/block_scale.hpp"
#include "reference/tosa/kernels/elementwise/float_blocks.hpp"

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

/// Returns the blocks of one tensor; `bytes` is its data.
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

template <class T>
void multiply_loop(T* numbers, const T* scales, std::size_t count) {
  for (std::size_t block = 0; block < count / kInnermostBlockSize; ++block)
    for (std::size_t i = block * kInnermostBlockSize; i < (block + 1) * kInnermostBlockSize; ++i)
      numbers[i] = stored(numbers[i] * scales[block]);
}

/// The first output: every value times the scale of its block; in a run for bounds the scale.
template <class T>
void multiply_blocks(Call& call, const ScaledBlocks<const std::byte>& in) {
  const BlockOutput<T> output(call.out(0));
  const auto multiply = best_version<multiply_loop<T>>(call.kernels);
  for_each_piece(call, static_cast<std::size_t>(call.out(0).size()), [&](std::size_t first, std::size_t count) {
    alignas(64) std::array<T, kFloatBlock / kInnermostBlockSize> scales;
    decode_floats<T>(in.scale, in.scales_from(first),
                     {scales.data(), static_cast<std::size_t>(count / kInnermostBlockSize)});
    output.fill(first, first + count, [&](std::size_t, std::size_t, T* out) {
      if (call.bounds) std::fill_n(out, count, T{1});
      else decode_floats<T>(in.value, in.values_from(first), {out, count});
      multiply(out, scales.data(), count);
    });
  });
}

/// Divides numbers by the scales of their blocks, which it finds.
template <class T>
void divide_loop(T* numbers, T* scales, std::size_t count, DType values) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
  for (std::size_t block = 0; block < count / kInnermostBlockSize; ++block) {
    auto* number = numbers + block * kInnermostBlockSize;
    Bits greatest = 0;  // magnitudes are in the order of their bits, NaNs last
    for (std::size_t i = 0; i < kInnermostBlockSize; ++i) {
      const auto magnitude = std::bit_cast<Bits>(number[i]) & (~Bits{0} >> 1);
      greatest = magnitude > greatest ? magnitude : greatest;
    }
    const auto scale = calc_block_scale(std::bit_cast<T>(greatest), values);
    scales[block] = static_cast<T>(scale);
    const auto inverse = static_cast<T>(1 / scale);  // a power of two as well
    for (std::size_t i = 0; i < kInnermostBlockSize; ++i) number[i] *= inverse;
  }
}

/// The scale of each block of the first input, from its greatest magnitude, and the elements divided by it. `values` is
/// the type that decides the scales: that of the row, where a precise run stores double.
template <class T>
void divide_blocks(Call& call, DType values, const ScaledBlocks<std::byte>& out) {
  const auto& in = call.in(0);
  const auto divide = best_version<divide_loop<T>>(call.kernels);
  for_each_piece(call, static_cast<std::size_t>(in.size()), [&](std::size_t first, std::size_t count) {
    alignas(64) std::array<T, kFloatBlock> numbers;
    alignas(64) std::array<T, kFloatBlock / kInnermostBlockSize> scales;
    decode_floats<T>(in.dtype(), in.bytes().data() + first * size_of(in.dtype()), {numbers.data(), count});
    divide(numbers.data(), scales.data(), count, values);
    encode_floats<T>({numbers.data(), count}, out.value, out.values_from(first));
    encode_floats<T>({scales.data(), static_cast<std::size_t>(count / kInnermostBlockSize)}, out.scale,
                     out.scales_from(first));
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
