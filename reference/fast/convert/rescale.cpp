#include "reference/fast/convert/rescale.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "reference/fast/best_version.hpp"
#include "reference/fast/convert/clip_block.hpp"
#include "reference/fast/convert/scale_block.hpp"
#include "reference/fast/elementwise/table_lookup.hpp"
#include "reference/fast/workers.hpp"

namespace macaw::tosa {
namespace {

template <class In>
void widen(const In* in, std::int32_t zero_point, std::int32_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i] - zero_point;
}

/// Clips where sums with the zero point may leave 32 bits; false if one does.
template <class Out>
bool clip_checked(const std::int32_t* values, OutputClip clip, Out* out, std::size_t count) {
  std::int32_t mark = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mark |= clip.overflows(values[i]);
    out[i] = static_cast<Out>(clip.apply(values[i]));
  }
  return mark >= 0;
}

// Elements that are worth a thread's while: each takes several times as long as one that is only moved or added.
constexpr std::size_t kLeastScaled = kLeastElements / 4;

// Elements of a block, which stays in the first-level cache as it is widened, scaled and clipped.
constexpr std::size_t kBlock = 1024;

ApplyScale function_of(const Call& call, const Rescale& how) {
  if (size_of(call.in(0).dtype()) == 8) return ApplyScale::k48;
  if (!how.scale32) return ApplyScale::k16;
  return how.rounds_twice() ? ApplyScale::k32Twice : ApplyScale::k32;
}

/// Bits of an element less its zero point: a bit more than the element's where there is a zero point.
int value_bits(DType in) { return size_of(in) == 8 ? 48 : std::min(8 * static_cast<int>(size_of(in)) + 1, 32); }

/// A RESCALE of tensors of any types, by blocks: the types matter where a block is loaded and where it is stored.
class BlockRescale {
 public:
  BlockRescale(const Call& call, const Rescale& how)
      : call_(call),
        how_(how),
        row_(how.scales, function_of(call, how), value_bits(call.in(0).dtype())),
        clip_(how.out_zp, how.low, how.high),
        in_(call.in(0).bytes().data()),
        out_(call.out(0).bytes_to_fill().data()) {}

  RescaleHeld run() {
    const auto size = static_cast<std::size_t>(call_.out(0).size()), period = row_.period();
    // Threads begin where the row does.
    split(call_, (size + period - 1) / period, kLeastScaled / period + 1,
          [&](std::size_t first_row, std::size_t end_row) {
            const auto end = std::min(end_row * period, size);
            for (auto first = first_row * period; first < end;) {
              const auto at = first % period, count = std::min({kBlock, period - at, end - first});
              block(first, at, count);
              first += count;
            }
          });
    return {scale_holds_, sum_holds_};
  }

 private:
  void block(std::size_t first, std::size_t at, std::size_t count) {
    alignas(64) std::array<std::int32_t, kBlock> scaled;
    // int32 needs no clipping, and its zero point is 0.
    const bool is_wide = size_of(call_.out(0).dtype()) == 4;
    auto* to = is_wide ? reinterpret_cast<std::int32_t*>(out_) + first : scaled.data();
    if (!scale(first, at, count, to)) scale_holds_ = false;
    if (!is_wide && !store(scaled.data(), first, count)) sum_holds_ = false;
  }

  template <class T>
  [[nodiscard]] const T* in(std::size_t first) const {
    return reinterpret_cast<const T*>(in_) + first;
  }

  template <class T>
  void widen_to(std::size_t first, std::size_t count, std::int32_t* to) const {
    best_version<widen<T>>(call_.kernels)(in<T>(first), static_cast<std::int32_t>(how_.in_zp), to, count);
  }

  bool scale(std::size_t first, std::size_t at, std::size_t count, std::int32_t* to) const {
    ScaleBlock block{row_, at, count, to, to, nullptr, static_cast<std::int32_t>(how_.in_zp)};
    switch (size_of(call_.in(0).dtype())) {
      case 8: return scale_block(ScaleBlock48{row_, at, count, in<std::int64_t>(first), to});
      case 4: block.values = in<std::int32_t>(first); break;
      case 2:
        how_.from_unsigned ? widen_to<std::uint16_t>(first, count, to) : widen_to<std::int16_t>(first, count, to);
        break;
      default:
        if (how_.from_unsigned) widen_to<std::uint8_t>(first, count, to);
        else block.bytes = in<std::int8_t>(first);
    }
    return scale_block(block);
  }

  bool store(const std::int32_t* values, std::size_t first, std::size_t count) const {
    if (size_of(call_.out(0).dtype()) == 2)
      return how_.to_unsigned ? store_as<std::uint16_t>(values, first, count)
                              : store_as<std::int16_t>(values, first, count);
    return how_.to_unsigned ? store_as<std::uint8_t>(values, first, count)
                            : store_as<std::int8_t>(values, first, count);
  }
  template <class Out>
  bool store_as(const std::int32_t* values, std::size_t first, std::size_t count) const {
    auto* to = reinterpret_cast<Out*>(out_) + first;
    if (!row_.results_are_small() && how_.out_zp != 0)
      return best_version<clip_checked<Out>>(call_.kernels)(values, clip_, to, count);
    clip_block(values, clip_, to, count);
    return true;
  }

  const Call& call_;
  const Rescale& how_;
  ScaleRow row_;
  OutputClip clip_;
  const std::byte* in_;
  std::byte* out_;
  std::atomic<bool> scale_holds_ = true, sum_holds_ = true;
};

/// The results of all bytes as a table, by the encodings less 128 of look_up_bytes; nothing if one breaks a REQUIRE.
std::optional<std::array<std::int8_t, 256>> table_of(const Rescale& how) {
  std::array<std::int8_t, 256> table;
  for (int i = 0; i < 256; ++i) {
    const auto encoding = static_cast<std::int8_t>(i - 128);
    const auto element = how.from_unsigned ? std::int64_t{static_cast<std::uint8_t>(encoding)} : std::int64_t{encoding};
    bool holds = true;
    const auto sum = how.apply_scale(element - how.in_zp, 0, holds) + how.out_zp;
    if (!holds || sum != static_cast<std::int32_t>(sum)) return std::nullopt;
    table[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(std::clamp(sum, how.low, how.high));
  }
  return table;
}

bool rescale_by_table(const Call& call, const Rescale& how) {
  const auto &in = call.in(0), &out = call.out(0);
  if (how.scales.size() != 1 || size_of(in.dtype()) != 1 || size_of(out.dtype()) != 1) return false;
  const auto table = table_of(how);
  if (!table) return false;
  const auto* from = reinterpret_cast<const std::int8_t*>(in.bytes().data());
  auto* to = reinterpret_cast<std::int8_t*>(call.out(0).bytes_to_fill().data());
  split(call, static_cast<std::size_t>(out.size()), kLeastElements, [&](std::size_t first, std::size_t end) {
    look_up_bytes(table->data(), from + first, to + first, end - first);
  });
  return true;
}

}  // namespace

RescaleHeld rescale_fast(const Call& call, const Rescale& how) {
  if (rescale_by_table(call, how)) return {};
  return BlockRescale(call, how).run();
}

}  // namespace macaw::tosa
