#include "reference/tosa/kernels/fusion.hpp"

#include <algorithm>
#include <array>

#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {

namespace {
// Bytes of results that are passed on together; they stay in the first-level cache.
constexpr std::size_t kTileBytes = std::size_t{1} << 13;
}  // namespace

bool Fusion::run(FunctionRef<void(const Tile&)> take) {
  has_run_ = true;
  take_ = &take;
  first_(this);
  return produces_tiles_;
}

void Fusion::finish() {
  if (std::exchange(has_run_, true)) return;
  first_(nullptr);
}

void Fusion::pass_tile(Tile tile) const {
  if (tile.columns == tile.stride && tile.columns == tile.pitch) {
    tile.columns *= std::exchange(tile.rows, 1);
    tile.stride = tile.pitch = tile.columns;
  }
  (*take_)(tile);
}

void for_each_tile(const Call& call, std::size_t unit, std::size_t least,
                   FunctionRef<void(const Tile&, std::byte*, std::size_t)> compute) {
  const auto input = call.before ? call.before->input() : 0;
  const auto size = static_cast<std::size_t>(call.out(0).size());
  const auto in_size = size_of(call.in(input).dtype()), out_size = size_of(call.out(0).dtype());
  if (call.after) call.after->start();
  auto* const out = call.after ? nullptr : call.out(0).uninitialized_bytes().data();
  const auto take = [&](const Tile& tile) {
    if (!call.after) return compute(tile, out + tile.first * out_size, tile.stride);
    alignas(64) std::array<std::byte, kTileBytes> results;
    const auto most = kTileBytes / out_size, width = std::min(tile.columns, most);
    const auto height = std::min(tile.rows, most / std::max<std::size_t>(width, 1));
    for (std::size_t row = 0; row < tile.rows; row += height)
      for (std::size_t column = 0; column < tile.columns; column += width) {
        auto part =
            tile.part(row, std::min(height, tile.rows - row), column, std::min(width, tile.columns - column), in_size);
        compute(part, results.data(), part.columns);
        part.data = results.data();
        part.pitch = part.columns;
        call.after->pass_tile(part);
      }
  };
  if (call.before && call.before->run(take)) return;
  const auto* in = call.in(input).bytes().data();
  split(call, (size + unit - 1) / unit, least, [&](std::size_t first_unit, std::size_t end_unit) {
    const auto first = first_unit * unit, count = std::min(end_unit * unit, size) - first;
    take({first, 1, count, count, in + first * in_size, count});
  });
}

}  // namespace macaw::tosa
