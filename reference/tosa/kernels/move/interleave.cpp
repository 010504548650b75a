#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/move/interleave.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/move/interleave.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void split_lines(const T* in, std::int64_t lines, std::int64_t count, T* out, std::int64_t pitch) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> a, b, c, e;
  for (; i + lanes <= count; i += lanes) {
    if (lines == 2) hn::LoadInterleaved2(d, in + i * lines, a, b);
    else if (lines == 3) hn::LoadInterleaved3(d, in + i * lines, a, b, c);
    else hn::LoadInterleaved4(d, in + i * lines, a, b, c, e);
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + pitch + i);
    if (lines > 2) hn::StoreU(c, d, out + 2 * pitch + i);
    if (lines > 3) hn::StoreU(e, d, out + 3 * pitch + i);
  }
#endif
  for (; i < count; ++i)
    for (std::int64_t line = 0; line < lines; ++line) out[line * pitch + i] = in[i * lines + line];
}

template <class T>
HWY_INLINE void join_lines(const T* in, std::int64_t pitch, std::int64_t lines, std::int64_t count, T* out) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::LoadU(d, in + i), b = hn::LoadU(d, in + pitch + i);
    if (lines == 2) hn::StoreInterleaved2(a, b, d, out + i * lines);
    else if (lines == 3) hn::StoreInterleaved3(a, b, hn::LoadU(d, in + 2 * pitch + i), d, out + i * lines);
    else
      hn::StoreInterleaved4(a, b, hn::LoadU(d, in + 2 * pitch + i), hn::LoadU(d, in + 3 * pitch + i), d,
                            out + i * lines);
  }
#endif
  for (; i < count; ++i)
    for (std::int64_t line = 0; line < lines; ++line) out[i * lines + line] = in[line * pitch + i];
}

void deinterleave8(const std::uint8_t* in, std::int64_t lines, std::int64_t count, std::uint8_t* out,
                   std::int64_t pitch) {
  split_lines(in, lines, count, out, pitch);
}
void interleave8(const std::uint8_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                 std::uint8_t* out) {
  join_lines(in, pitch, lines, count, out);
}
void deinterleave16(const std::uint16_t* in, std::int64_t lines, std::int64_t count, std::uint16_t* out,
                    std::int64_t pitch) {
  split_lines(in, lines, count, out, pitch);
}
void interleave16(const std::uint16_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                  std::uint16_t* out) {
  join_lines(in, pitch, lines, count, out);
}
void deinterleave32(const std::uint32_t* in, std::int64_t lines, std::int64_t count, std::uint32_t* out,
                    std::int64_t pitch) {
  split_lines(in, lines, count, out, pitch);
}
void interleave32(const std::uint32_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                  std::uint32_t* out) {
  join_lines(in, pitch, lines, count, out);
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(deinterleave8);
HWY_EXPORT(interleave8);
HWY_EXPORT(deinterleave16);
HWY_EXPORT(interleave16);
HWY_EXPORT(deinterleave32);
HWY_EXPORT(interleave32);
}  // namespace

void deinterleave(const std::uint8_t* in, std::int64_t lines, std::int64_t count, std::uint8_t* out,
                  std::int64_t pitch) {
  HWY_DYNAMIC_DISPATCH(deinterleave8)(in, lines, count, out, pitch);
}
void interleave(const std::uint8_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(interleave8)(in, pitch, lines, count, out);
}
void deinterleave(const std::uint16_t* in, std::int64_t lines, std::int64_t count, std::uint16_t* out,
                  std::int64_t pitch) {
  HWY_DYNAMIC_DISPATCH(deinterleave16)(in, lines, count, out, pitch);
}
void interleave(const std::uint16_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(interleave16)(in, pitch, lines, count, out);
}
void deinterleave(const std::uint32_t* in, std::int64_t lines, std::int64_t count, std::uint32_t* out,
                  std::int64_t pitch) {
  HWY_DYNAMIC_DISPATCH(deinterleave32)(in, lines, count, out, pitch);
}
void interleave(const std::uint32_t* in, std::int64_t pitch, std::int64_t lines, std::int64_t count,
                std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(interleave32)(in, pitch, lines, count, out);
}

}  // namespace macaw::tosa
#endif  // HWY_ONCE
