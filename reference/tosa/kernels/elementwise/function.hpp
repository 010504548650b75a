#pragma once
#include <cstring>
#include <numeric>

#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/kernels/elementwise/function_block.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"

// Functions that take longer than moving operands and results. A normal run computes them as
// reference/tosa/arith/elementary.hpp does, a precise or a bounds run as the C library does.

namespace macaw::tosa {

/// Elements of a 16-bit type from which on the results of all encodings are computed first and looked up then. The
/// table takes a sixteenth of the memory of operand and result.
inline constexpr std::size_t kLeastLookedUp = std::size_t{1} << 19, kEncodings = std::size_t{1} << 16;

/// out[i] = results[in[i]]
inline void look_up_results(const std::uint16_t* results, const std::uint16_t* in, std::uint16_t* out,
                            std::size_t count) {
  std::size_t i = 0;
  // Four operands are loaded at a time: loads take longest.
  for (; i + 4 <= count; i += 4) {
    std::uint64_t four;
    std::memcpy(&four, in + i, sizeof four);
    for (std::size_t k = 0; k < 4; ++k) out[i + k] = results[static_cast<std::uint16_t>(four >> (16 * k))];
  }
  for (; i < count; ++i) out[i] = results[in[i]];
}

/// for_each_block() of one input.
template <class Loop>
void for_each_function_block(const Call& call, Loop loop) {
  const auto dtype = call.in(0).dtype();
  const auto size = static_cast<std::size_t>(call.in(0).size());
  if (size_of(dtype) != 2 || size < kLeastLookedUp || call.kernels == Kernels::kScalar)
    return for_each_block<float, float, 1>(call, loop);
  Scratch<std::uint16_t> table(kEncodings);
  split(call, kEncodings / kFloatBlock, 1, [&](std::size_t first, std::size_t end) {
    std::array<std::uint16_t, kFloatBlock> encodings;
    alignas(64) std::array<float, kFloatBlock> values, results;
    for (auto at = first * kFloatBlock; at < end * kFloatBlock; at += kFloatBlock) {
      std::iota(encodings.begin(), encodings.end(), static_cast<std::uint16_t>(at));
      decode_floats<float>(dtype, reinterpret_cast<const std::byte*>(encodings.data()), values);
      loop(values.data(), results.data(), kFloatBlock);
      encode_floats<float>(results, dtype, reinterpret_cast<std::byte*>(table.data() + at));
    }
  });
  const auto* in = call.in_data<std::uint16_t>(0).data();
  auto* out = call.fill_data<std::uint16_t>(0).data();
  split(call, size, kLeastElements, [&](std::size_t first, std::size_t end) {
    look_up_results(table.data(), in + first, out + first, end - first);
  });
}

/// out[i] = the function of in[i]; in a precise run Library(in[i]), in a bounds run Bound(in[i]).
template <Function kFunction, auto Library, auto Bound = NoBound{}>
struct FloatFunction {
  template <class T>
  static Result<void> run(Call& call) {
    if constexpr (std::is_same_v<T, double>) {
      return FloatUnary<Library, Bound>::template run<T>(call);
    } else {
      for_each_function_block(call, function_block(kFunction, call.kernels));
      return {};
    }
  }
};
template <Function kFunction, auto Library, auto Bound = NoBound{}>
inline constexpr Kernel kFloatFunction = float_kernel<FloatFunction<kFunction, Library, Bound>>;

}  // namespace macaw::tosa
