// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK
#undef MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK
#else
#define MACAW_REFERENCE_FAST_ELEMENTWISE_QUICK
#endif

#include "reference/tosa/arith/numbers.hpp"

// Functions in float, to within a bound; a vector holds twice as many floats as doubles. If two numbers within the
// bound round to different results, the element is uncertain: it is computed again as in elementary.hpp, so that
// results are the same. The functions are fast because tables of 32 entries fit in registers, which requires AVX-512.

#undef MACAW_HAS_QUICK
#define MACAW_HAS_QUICK (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

#if MACAW_HAS_QUICK
HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE::elementary {

using QuickTag = hn::Full512<float>;
using QuickVector = hn::Vec<QuickTag>;
using QuickBits = Bits<QuickVector>;
inline constexpr std::size_t kQuickLanes = 16;

/// Entries by the low five bits of integers.
HWY_INLINE QuickVector of_32(const float (&table)[32], QuickBits index) {
  const QuickTag d;
  return QuickVector{_mm512_permutex2var_ps(hn::LoadU(d, table).raw, index.raw, hn::LoadU(d, table + 16).raw)};
}
/// A sum of a number below 2^(22 - kPlaces) with this has kPlaces bits below the point.
template <int kPlaces>
inline constexpr float kRounding = 0x1.8p23f / (1 << kPlaces);

/// The uncertain elements of a block.
class Uncertain {
 public:
  static constexpr std::size_t kBlock = 1024;

  HWY_INLINE void add(std::size_t first, __mmask16 which) {
    const hn::RebindToUnsigned<QuickTag> d;
    // hn::Iota() stores one number after the other.
    static constexpr std::uint32_t kLanes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const auto indices = hn::LoadU(d, kLanes) + hn::Set(d, static_cast<std::uint32_t>(first));
    hn::StoreU(QuickBits{_mm512_maskz_compress_epi32(which, indices.raw)}, d, at_ + count_);
    count_ += static_cast<std::size_t>(std::popcount(which));
  }
  void add_range(std::size_t first, std::size_t end) {
    for (; first < end; ++first) at_[count_++] = static_cast<std::uint32_t>(first);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  template <class T>
  void gather(const T* from, T* to) const {
    for (std::size_t i = 0; i < count_; ++i) to[i] = from[at_[i]];
  }
  template <class T>
  void scatter(const T* from, T* to) const {
    for (std::size_t i = 0; i < count_; ++i) to[at_[i]] = from[i];
  }

 private:
  std::uint32_t at_[kBlock + kQuickLanes];
  std::size_t count_ = 0;
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();
#endif

#endif
