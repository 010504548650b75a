#include "reference/tosa/kernels/convert/rescale.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/convert/clip_block.hpp"
#include "reference/tosa/kernels/convert/scale_block.hpp"
#include "reference/tosa/kernels/elementwise/table_lookup.hpp"
#include "reference/tosa/kernels/fusion.hpp"
#include "reference/tosa/kernels/workers.hpp"

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

// Least number of elements for a thread: each takes several times as long as one that is only moved or added.
constexpr std::size_t kLeastScaled = kLeastElements / 4;

// Elements of a block, which stays in the first-level cache as it is widened, scaled and clipped, and of its rows.
constexpr std::size_t kBlock = 2048, kBlockColumns = 256;

ApplyScale function_of(const Call& call, const Rescale& params) {
  if (size_of(call.in(0).dtype()) == 8) return ApplyScale::k48;
  if (!params.scale32) return ApplyScale::k16;
  return params.rounds_twice() ? ApplyScale::k32Twice : ApplyScale::k32;
}

/// Bits of an element less its zero point: a bit more than the element's where there is a zero point.
int value_bits(DType in) { return size_of(in) == 8 ? 48 : std::min(8 * static_cast<int>(size_of(in)) + 1, 32); }

/// A RESCALE of tensors of any types, by blocks: the types matter where a block is loaded and where it is stored.
class BlockRescale {
 public:
  BlockRescale(const Call& call, const Rescale& params)
      : call_(call),
        params_(params),
        row_(params.scales, function_of(call, params), value_bits(call.in(0).dtype())),
        clip_(params.out_zp, params.low, params.high),
        in_size_(size_of(call.in(0).dtype())),
        out_size_(size_of(call.out(0).dtype())) {}

  RescaleRequirements run() {
    for_each_tile(call_, row_.period(), kLeastScaled / row_.period() + 1,
                  [&](const Tile& tile, std::byte* to, std::size_t pitch) {
                    if (tile.rows == 1) flat(tile, to);
                    else rows(place_of(tile.first), tile, to, pitch);
                  });
    return {scale_fits_, sum_fits_};
  }

 private:
  /// The place in the row of scales of the tensor's element `first`.
  [[nodiscard]] std::size_t place_of(std::size_t first) const {
    const auto place = first % row_.period();
    // An even one, where the scales are the same.
    return place % 2 == 0 ? place : (place + params_.scales.size()) % row_.period();
  }

  /// Processes all rows of consecutive elements, so that their scales are read once.
  void flat(const Tile& tile, std::byte* to) {
    const auto period = row_.period();
    auto at = place_of(tile.first);
    for (std::size_t done = 0; done < tile.columns; at = 0) {
      const auto left = tile.columns - done, width = std::min(period - at, left);
      const auto height = at == 0 ? left / width : 1;
      rows(at, {0, height, width, width, tile.data + done * in_size_, width}, to + done * out_size_, width);
      done += height * width;
    }
  }

  /// Rows that have the scales from the place `at` on.
  void rows(std::size_t at, const Tile& tile, std::byte* to, std::size_t pitch) {
    const auto width = std::min(tile.columns, kBlockColumns), height = kBlock / width;
    for (std::size_t row = 0; row < tile.rows; row += height)
      for (std::size_t column = 0; column < tile.columns; column += width)
        block(
            at + column,
            tile.part(row, std::min(height, tile.rows - row), column, std::min(width, tile.columns - column), in_size_),
            to + (row * pitch + column) * out_size_, pitch);
  }

  void block(std::size_t at, const Tile& tile, std::byte* out, std::size_t pitch) {
    alignas(64) std::array<std::int32_t, kBlock> scaled;
    // int32 needs no clipping, and its zero point is 0.
    if (out_size_ == 4) {
      if (!scale(at, tile, reinterpret_cast<std::int32_t*>(out), pitch)) scale_fits_ = false;
      return;
    }
    if (!scale(at, tile, scaled.data(), tile.columns)) scale_fits_ = false;
    const bool is_dense = pitch == tile.columns;
    const auto runs = is_dense ? 1 : tile.rows, length = is_dense ? tile.rows * tile.columns : tile.columns;
    for (std::size_t run = 0; run < runs; ++run)
      if (!store(scaled.data() + run * length, length, out + run * pitch * out_size_)) sum_fits_ = false;
  }

  template <class T>
  void widen_rows(const Tile& tile, std::int32_t* to, std::size_t pitch) const {
    const auto widen_row = best_version<widen<T>>(call_.kernels);
    for (std::size_t row = 0; row < tile.rows; ++row)
      widen_row(reinterpret_cast<const T*>(tile.data) + row * tile.pitch, static_cast<std::int32_t>(params_.in_zp),
                to + row * pitch, tile.columns);
  }

  bool scale(std::size_t at, const Tile& tile, std::int32_t* to, std::size_t pitch) const {
    ScaleBlock block{row_, at, tile.columns, to, to, nullptr, static_cast<std::int32_t>(params_.in_zp)};
    block.rows = tile.rows;
    block.pitch = tile.pitch;
    block.out_pitch = pitch;
    switch (in_size_) {
      case 8: {
        bool holds = true;
        for (std::size_t row = 0; row < tile.rows; ++row)
          holds &= scale_block(ScaleBlock48{row_, at, tile.columns,
                                            reinterpret_cast<const std::int64_t*>(tile.data) + row * tile.pitch,
                                            to + row * pitch});
        return holds;
      }
      case 4: block.values = reinterpret_cast<const std::int32_t*>(tile.data); break;
      case 2:
        params_.from_unsigned ? widen_rows<std::uint16_t>(tile, to, pitch) : widen_rows<std::int16_t>(tile, to, pitch);
        block.pitch = pitch;
        break;
      default:
        if (params_.from_unsigned) {
          widen_rows<std::uint8_t>(tile, to, pitch);
          block.pitch = pitch;
        } else {
          block.bytes = reinterpret_cast<const std::int8_t*>(tile.data);
        }
    }
    return scale_block(block);
  }

  bool store(const std::int32_t* values, std::size_t count, std::byte* out) const {
    if (out_size_ == 2)
      return params_.to_unsigned ? store_as<std::uint16_t>(values, count, out)
                                 : store_as<std::int16_t>(values, count, out);
    return params_.to_unsigned ? store_as<std::uint8_t>(values, count, out) : store_as<std::int8_t>(values, count, out);
  }
  template <class Out>
  bool store_as(const std::int32_t* values, std::size_t count, std::byte* out) const {
    auto* to = reinterpret_cast<Out*>(out);
    if (!row_.results_are_small() && params_.out_zp != 0)
      return best_version<clip_checked<Out>>(call_.kernels)(values, clip_, to, count);
    clip_block(values, clip_, to, count);
    return true;
  }

  const Call& call_;
  const Rescale& params_;
  ScaleRow row_;
  OutputClip clip_;
  std::size_t in_size_, out_size_;
  std::atomic<bool> scale_fits_ = true, sum_fits_ = true;
};

/// The results of all bytes as a table, by the encodings less 128 of look_up_bytes; nothing if one breaks a REQUIRE.
std::optional<std::array<std::int8_t, 256>> table_of(const Rescale& params) {
  std::array<std::int8_t, 256> table;
  for (int i = 0; i < 256; ++i) {
    const auto encoding = static_cast<std::int8_t>(i - 128);
    const auto element =
        params.from_unsigned ? std::int64_t{static_cast<std::uint8_t>(encoding)} : std::int64_t{encoding};
    bool holds = true;
    const auto sum = params.apply_scale(element - params.in_zp, 0, holds) + params.out_zp;
    if (!holds || sum != static_cast<std::int32_t>(sum)) return std::nullopt;
    table[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(std::clamp(sum, params.low, params.high));
  }
  return table;
}

bool rescale_by_table(const Call& call, const Rescale& params) {
  const auto &in = call.in(0), &out = call.out(0);
  if (params.scales.size() != 1 || size_of(in.dtype()) != 1 || size_of(out.dtype()) != 1) return false;
  const auto table = table_of(params);
  if (!table) return false;
  for_each_tile(call, kTileStep, kLeastElements / kTileStep, [&](const Tile& tile, std::byte* to, std::size_t pitch) {
    for (std::size_t row = 0; row < tile.rows; ++row)
      look_up_bytes(table->data(), reinterpret_cast<const std::int8_t*>(tile.data) + row * tile.pitch,
                    reinterpret_cast<std::int8_t*>(to) + row * pitch, tile.columns);
  });
  return true;
}

}  // namespace

RescaleRequirements rescale_fast(const Call& call, const Rescale& params) {
  if (rescale_by_table(call, params)) return {};
  return BlockRescale(call, params).run();
}

}  // namespace macaw::tosa
