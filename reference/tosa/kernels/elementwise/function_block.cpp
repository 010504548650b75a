#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/elementwise/function_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "reference/tosa/arith/elementary.hpp"
#include "reference/tosa/arith/narrow_float.hpp"
#include "reference/tosa/kernels/elementwise/function_block.hpp"
#include "reference/tosa/kernels/elementwise/quick_erf.hpp"
#include "reference/tosa/kernels/elementwise/quick_power.hpp"

// The emulated target narrows no double beyond the range of float to infinity; vectors of a size that the compiler does
// not know have no operators.
#undef MACAW_HAS_VECTORS
#define MACAW_HAS_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE)

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace elementary {

// A float, or a vector of them, and the same as double.
template <class Given, class Wide>
struct Operand {
  Given given;
  Wide wide;
};
using Number = Operand<float, double>;
HWY_INLINE Number load(const float* from) { return {*from, *from}; }
HWY_INLINE Number operand(float x) { return {x, x}; }
HWY_INLINE float narrowed(double x) { return static_cast<float>(x); }

#if MACAW_HAS_VECTORS
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using Wide = Pair<hn::Vec<hn::ScalableTag<double>>>;
using Numbers = Operand<V, Wide>;
HWY_INLINE Numbers load_vector(const float* from) {
  const hn::ScalableTag<double> d;
  const hn::Half<D> half;
  return {hn::LoadU(D(), from),
          {hn::PromoteTo(d, hn::LoadU(half, from)), hn::PromoteTo(d, hn::LoadU(half, from + hn::Lanes(half)))}};
}
HWY_INLINE Numbers operand(V x) {
  const hn::ScalableTag<double> d;
  const hn::Half<D> half;
  return {x, {hn::PromoteTo(d, hn::LowerHalf(half, x)), hn::PromoteTo(d, hn::UpperHalf(half, x))}};
}
HWY_INLINE V narrowed(Wide x) {
  const hn::Half<D> half;
  return hn::Combine(D(), hn::DemoteTo(half, x.second), hn::DemoteTo(half, x.first));
}

// Two vectors, which keep the processor busy while it waits for one.
using Twice = Operand<Pair<V>, Pair<Wide>>;
HWY_INLINE Twice load_two(const float* from) {
  const auto first = load_vector(from), second = load_vector(from + hn::Lanes(D()));
  return {{first.given, second.given}, {first.wide, second.wide}};
}
HWY_INLINE Pair<V> narrowed(Pair<Wide> x) { return {narrowed(x.first), narrowed(x.second)}; }
#endif

template <class F, class R, class... Given>
HWY_INLINE R finished(R result, Given... given) {
  if constexpr (kIsPair<R>) {
    return {F::finish(given.first..., result.first), F::finish(given.second..., result.second)};
  } else {
    return F::finish(given..., result);
  }
}
template <class F>
struct Direct {
  template <class... N>
  static HWY_INLINE auto of(N... x) {
    return finished<F>(narrowed(F::value(x.wide...)), x.given...);
  }
};
template <int kQuarters>
struct Angle {
  template <class N>
  static HWY_INLINE auto of(N x) {
    return chosen(x.given, Direct<Sine<kQuarters>>::of(x));
  }

 private:
  template <class G>
  static HWY_INLINE G chosen(G given, G small) {
    if constexpr (kIsPair<G>) {
      return {chosen(given.first, small.first), chosen(given.second, small.second)};
    } else {
      const auto is_small = is_less(magnitude(given), number<G>(kLeastLargeAngle));
      if (HWY_LIKELY(all_hold<G>(is_small))) return small;
      return choose(is_small, small, Direct<LargeSine<kQuarters>>::of(operand(given)));
    }
  }
};

struct PlainBlock {
  /// out[i] = F::of(in[i]...)
  template <class F, class... In>
  static void run(In... in, float* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = F::of(load(in + i)...);
  }
};
#if MACAW_HAS_VECTORS
struct VectorBlock {
  // The processor's own prefetching ends with the page.
  static constexpr std::size_t kAhead = 512;

  template <class F, class... In>
  static void run(In... in, float* out, std::size_t count) {
    const D d;
    const auto lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      for (const std::size_t ahead : {i + kAhead, i + kAhead + lanes}) {
        (__builtin_prefetch(in + ahead), ...);
        __builtin_prefetch(out + ahead, 1);
      }
      const auto two = F::of(load_two(in + i)...);
      hn::StoreU(two.first, d, out + i);
      hn::StoreU(two.second, d, out + i + lanes);
    }
    if (i + lanes <= count) {
      hn::StoreU(F::of(load_vector(in + i)...), d, out + i);
      i += lanes;
    }
    if (i == count) return;
    HWY_ALIGN float last[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(F::of(some(in + i, count - i)...), d, last);
    std::copy_n(last, count - i, out + i);
  }

 private:
  static HWY_INLINE Numbers some(const float* from, std::size_t count) {
    HWY_ALIGN float values[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy_n(from, count, values);
    return load_vector(values);
  }
};
#else
using VectorBlock = PlainBlock;
#endif

#if MACAW_HAS_QUICK
/// QuickErf, and Erf for the elements that it leaves uncertain.
struct QuickErfBlock {
  static void run(const float* in, float* out, std::size_t count) {
    for (std::size_t block = 0; count > 0; in += block, out += block, count -= block) {
      block = std::min(count, Uncertain::kBlock);
      Uncertain uncertain;
      const auto quick = block / kQuickLanes * kQuickLanes;
      QuickErf::run(in, out, quick, uncertain);
      uncertain.add_range(quick, block);
      if (uncertain.count() == 0) continue;
      float again[Uncertain::kBlock], results[Uncertain::kBlock];
      uncertain.gather(in, again);
      VectorBlock::run<Direct<Erf>, const float*>(again, results, uncertain.count());
      uncertain.scatter(results, out);
    }
  }
};

/// QuickPower, and the exact function for the elements that it leaves uncertain; only the latter returns NaN.
template <DType kType>
struct QuickPowerBlock {
  static bool run(const std::uint16_t* base, const std::uint16_t* exponent, std::uint16_t* out, std::size_t count) {
    using Quick = QuickPower<kFormat<kType>>;
    bool has_nan = false;
    for (std::size_t block = 0; count > 0; base += block, exponent += block, out += block, count -= block) {
      block = std::min(count, Uncertain::kBlock);
      Uncertain uncertain;
      const auto quick = block / Quick::kStep * Quick::kStep;
      Quick::run(base, exponent, out, quick, uncertain);
      uncertain.add_range(quick, block);
      if (uncertain.count() == 0) continue;
      float bases[Uncertain::kBlock], exponents[Uncertain::kBlock], results[Uncertain::kBlock];
      const auto gather = [&](const std::uint16_t* from, float* to) {
        std::uint16_t again[Uncertain::kBlock];
        uncertain.gather(from, again);
        decode_narrow(kType, reinterpret_cast<const std::byte*>(again), uncertain.count(), to);
      };
      gather(base, bases);
      gather(exponent, exponents);
      VectorBlock::run<Direct<Pow>, const float*, const float*>(bases, exponents, results, uncertain.count());
      for (std::size_t i = 0; i < uncertain.count(); ++i) has_nan |= results[i] != results[i];
      std::uint16_t narrow[Uncertain::kBlock];
      encode_narrow(kType, results, uncertain.count(), reinterpret_cast<std::byte*>(narrow));
      uncertain.scatter(narrow, out);
    }
    return has_nan;
  }
};
#endif

template <class Block>
FunctionBlock block_of(Function function) {
  using In = const float*;
  switch (function) {
    case Function::kExp: return &Block::template run<Direct<Exp>, In>;
    case Function::kLog: return &Block::template run<Direct<Log>, In>;
    case Function::kTanh: return &Block::template run<Direct<Tanh>, In>;
    case Function::kSigmoid: return &Block::template run<Direct<Sigmoid>, In>;
    case Function::kErf: return &Block::template run<Direct<Erf>, In>;
    case Function::kSin: return &Block::template run<Angle<0>, In>;
    case Function::kCos: return &Block::template run<Angle<1>, In>;
  }
  return nullptr;
}
template <class Block>
PowerBlock power_of() {
  return &Block::template run<Direct<Pow>, const float*, const float*>;
}

}  // namespace elementary

FunctionBlock vector_function(Function function) {
#if MACAW_HAS_QUICK
  if (function == Function::kErf) return &elementary::QuickErfBlock::run;
#endif
  return elementary::block_of<elementary::VectorBlock>(function);
}
NarrowPowerBlock vector_narrow_power([[maybe_unused]] DType dtype) {
#if MACAW_HAS_QUICK
  if (dtype == DType::kFP16) return &elementary::QuickPowerBlock<DType::kFP16>::run;
  if (dtype == DType::kBF16) return &elementary::QuickPowerBlock<DType::kBF16>::run;
#endif
  return nullptr;
}
PowerBlock vector_power() { return elementary::power_of<elementary::VectorBlock>(); }
// For each target, too: calls of fma() take longer than all else.
FunctionBlock plain_function(Function function) { return elementary::block_of<elementary::PlainBlock>(function); }
PowerBlock plain_power() { return elementary::power_of<elementary::PlainBlock>(); }

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(vector_function);
HWY_EXPORT(vector_power);
HWY_EXPORT(vector_narrow_power);
HWY_EXPORT(plain_function);
HWY_EXPORT(plain_power);
}  // namespace

FunctionBlock function_block(Function function, Kernels kernels) {
  if (kernels == Kernels::kScalar) return HWY_DYNAMIC_DISPATCH(plain_function)(function);
  return HWY_DYNAMIC_DISPATCH(vector_function)(function);
}
PowerBlock power_block(Kernels kernels) {
  if (kernels == Kernels::kScalar) return HWY_DYNAMIC_DISPATCH(plain_power)();
  return HWY_DYNAMIC_DISPATCH(vector_power)();
}
NarrowPowerBlock narrow_power_block(DType dtype, Kernels kernels) {
  if (kernels == Kernels::kScalar) return nullptr;
  return HWY_DYNAMIC_DISPATCH(vector_narrow_power)(dtype);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
