#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/elementwise/table_lookup.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/elementwise/table_lookup.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
using D = hn::ScalableTag<std::int8_t>;
using V = hn::Vec<D>;

// 16 entries of each of the eight parts of half a table, but for the first one xor the part before.
struct HalfTable {
  explicit HalfTable(const std::int8_t* entries) {
    for (int i = 0; i < 128; ++i)
      parts[i] = static_cast<std::int8_t>(i < 16 ? entries[i] : entries[i] ^ entries[i - 16]);
  }
  alignas(16) std::int8_t parts[128];
};

// Entries of numbers that are not negative, 0 for others. PSHUFB gives 0 for a negative index and takes the low four
// bits of any other, so that a number meets the parts up to its own, which together are its entry.
HWY_INLINE V look_up(const HalfTable& table, V numbers) {
  const D d;
  auto entries = hn::TableLookupBytesOr0(hn::LoadDup128(d, table.parts), numbers);
  for (int part = 1; part < 8; ++part) {
    const auto index = hn::SaturatedSub(numbers, hn::Set(d, static_cast<std::int8_t>(16 * part)));
    entries = hn::Xor(entries, hn::TableLookupBytesOr0(hn::LoadDup128(d, table.parts + 16 * part), index));
  }
  return entries;
}

void look_up_all(const std::int8_t* table, const std::int8_t* in, std::int8_t* out, std::size_t size) {
  const D d;
  const HalfTable below(table), above(table + 128);
  const auto sign = hn::Set(d, std::int8_t{-128});
  const auto lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto numbers = hn::LoadU(d, in + i);
    hn::StoreU(hn::Xor(look_up(above, numbers), look_up(below, hn::Xor(numbers, sign))), d, out + i);
  }
  look_up_bytes_scalar(table, in + i, out + i, size - i);
}
#else
void look_up_all(const std::int8_t* table, const std::int8_t* in, std::int8_t* out, std::size_t size) {
  look_up_bytes_scalar(table, in, out, size);
}
#endif

void interpolate_all(const std::int32_t* steps, const std::int16_t* in, std::int32_t* out, std::size_t size) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  const auto lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto numbers = hn::PromoteTo(d, hn::LoadU(d16, in + i));
    const auto step = hn::GatherIndex(d, steps, hn::ShiftRight<7>(hn::Add(numbers, hn::Set(d, 32768))));
    const auto slope = hn::ShiftRight<16>(hn::ShiftLeft<16>(step));
    const auto product = hn::Mul(slope, hn::And(numbers, hn::Set(d, 0x7F)));
    hn::StoreU(hn::Add(hn::ShiftLeft<7>(hn::ShiftRight<16>(step)), product), d, out + i);
  }
  interpolate_scalar(steps, in + i, out + i, size - i);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(look_up_all);
HWY_EXPORT(interpolate_all);
}  // namespace

void look_up_bytes(const std::int8_t* table, const std::int8_t* in, std::int8_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(look_up_all)(table, in, out, size);
}
void interpolate(const std::int32_t* steps, const std::int16_t* in, std::int32_t* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(interpolate_all)(steps, in, out, size);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
