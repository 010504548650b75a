#pragma once
#include <macaw/npu/accelerator.hpp>

#include "sim/blocks/box.hpp"

#include <algorithm>

namespace macaw::npu {

/// OFM blocks in hardware order: height outermost, then width, depth innermost; clipped to the OFM (timing 2.1).
class BlockOrder {
 public:
  BlockOrder(Hwc ofm, Hwc block) : ofm_(ofm), block_(block) {}

  [[nodiscard]] std::uint64_t rows() const { return pieces(ofm_.h, block_.h); }
  [[nodiscard]] std::uint64_t columns() const { return pieces(ofm_.w, block_.w); }
  [[nodiscard]] std::uint64_t depths() const { return pieces(ofm_.c, block_.c); }
  [[nodiscard]] std::uint64_t count() const { return rows() * columns() * depths(); }

  /// Box of block `index`, 0 <= index < count().
  [[nodiscard]] Box box(std::uint64_t index) const {
    const auto c = index % depths();
    const auto x = index / depths() % columns();
    const auto y = index / depths() / columns();
    Box box;
    set(box.y0, box.y1, y, block_.h, ofm_.h);
    set(box.x0, box.x1, x, block_.w, ofm_.w);
    set(box.c0, box.c1, c, block_.c, ofm_.c);
    return box;
  }

 private:
  static std::uint64_t pieces(int extent, int piece) {
    return (std::uint64_t(extent) + std::uint64_t(piece) - 1) / std::uint64_t(piece);
  }
  static void set(int& begin, int& end, std::uint64_t number, int piece, int extent) {
    begin = static_cast<int>(number * std::uint64_t(piece));
    end = static_cast<int>(std::min<std::uint64_t>(std::uint64_t(begin) + std::uint64_t(piece), std::uint64_t(extent)));
  }
  Hwc ofm_, block_;
};

}  // namespace macaw::npu
