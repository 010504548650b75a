#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "reference/tosa/kernels/elementwise/float_blocks.hpp"

// CAST to and from floating-point types, as kernels for TypeRow. Loops without branches, so that they become vectors.

namespace macaw::tosa {

/// To nearest even and clipped to Out. The specification leaves NaN open: it gives 0.
template <class Out>
struct CastToInteger {
  template <class T>
  static Result<void> run(Call& call) {
    apply_to_blocks<T>(call, [](T value) {
      using Limits = std::numeric_limits<Out>;
      // A sum with a number from here on has no bits below the point.
      constexpr T kWhole = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
      const T number = value == value ? value : T{0};
      if constexpr (Limits::digits + 2 < std::numeric_limits<T>::digits && sizeof(Out) < sizeof(T)) {
        const T raised = number < Limits::min() ? T{Limits::min()} : number;
        const T clipped = raised > Limits::max() ? T{Limits::max()} : raised;
        // The integer is in the low bits of the sum.
        using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
        return static_cast<Out>(std::bit_cast<Bits>(clipped + kWhole * T(1.5)));
      } else {
        // The greatest float below 2^31 lacks the low bits of the greatest integer.
        constexpr std::int32_t kLowBits = 0x7F;
        constexpr T kMin = Limits::min(), kMax = static_cast<T>(Limits::max() - kLowBits);
        const T raised = number < kMin ? kMin : number, clipped = raised > kMax ? kMax : raised;
        const T shift = std::copysign(std::fabs(clipped) < kWhole ? kWhole : T{0}, clipped);
        return static_cast<std::int32_t>((clipped + shift) - shift) | (raised > kMax ? kLowBits : 0);
      }
    });
    return {};
  }
};

/// An integer as a number that rounds to a type of up to 8 significant bits as the integer does: float holds the
/// integers of this size only if their low bits are joined into one.
template <class In>
[[nodiscard]] float nearly(In value) {
  constexpr In kLow = 0x1FF, kLimit = In{1} << 17;
  const In joined = (value & ~kLow) | ((value & kLow) != 0 ? In{0x100} : In{0});
  const bool is_large = value >= kLimit || (std::is_signed_v<In> && value <= -kLimit);
  return static_cast<float>(is_large ? joined : value);
}

template <class In, class T, bool kJoin>
void integer_block(const In* in, T* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if constexpr (kJoin) out[i] = nearly(in[i]);
    else out[i] = static_cast<T>(in[i]);
}

/// Each integer rounds once: float holds those of 16 bits, and those of 32 that FP16 holds, or rounds to FP32.
template <class In>
struct CastFromInteger {
  template <class T>
  static Result<void> run(Call& call) {
    if constexpr (std::is_same_v<In, bool>) convert<std::uint8_t, T, false>(call);
    else if (call.attr(Attr::k_input_unsigned) != 0) choose<std::make_unsigned_t<In>, T>(call);
    else choose<In, T>(call);
    return {};
  }

 private:
  template <class Element, class T>
  static void choose(Call& call) {
    if constexpr (sizeof(Element) == sizeof(float) && std::is_same_v<T, float>)
      if (call.out(0).dtype() == DType::kBF16) return convert<Element, T, true>(call);
    convert<Element, T, false>(call);
  }

  template <class Element, class T, bool kJoin>
  static void convert(Call& call) {
    const auto* in = call.in_data<Element>(0).data();
    const auto loop = best_version<integer_block<Element, T, kJoin>>(call.kernels);
    BlockOutput<T> out(call.out(0));
    split(call, static_cast<std::size_t>(call.out(0).size()), kLeastElements, [&](std::size_t first, std::size_t end) {
      out.fill(first, end, [&](std::size_t at, std::size_t count, T* to) { loop(in + at, to, count); });
    });
  }
};

struct CastToBool {
  template <class T>
  static Result<void> run(Call& call) {
    apply_to_blocks<T>(call, [](T value) { return value != 0; });
    return {};
  }
};

struct CastBetweenFloats {
  template <class T>
  static Result<void> run(Call& call) {
    const BroadcastWalk walk(call.out(0).shape(), call.inputs);
    const BlockOutput<T> output(call.out(0));
    const auto keep = [](T value) { return value; };
    const auto copy = best_version<unary_block<T, T, decltype(keep)>>(call.kernels);
    split(call, walk.size(), kLeastElements, [&](std::size_t first, std::size_t end) {
      BlockInput<T> input(call, walk, 0);
      for (std::size_t count = 0; first < end; first += count) {
        count = std::min(kFloatBlock, end - first);
        const auto* values = input.read(first, count);
        if (auto* out = output.in_place(first)) copy(values, out, count, keep);
        else output.encode(first, {values, count});
      }
    });
    return {};
  }
};

}  // namespace macaw::tosa
