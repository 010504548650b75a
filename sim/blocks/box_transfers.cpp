#include "sim/blocks/box_transfers.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kBrick = 16;  // channels of an NHCWB16 brick

using Level = Transfer::Level;

struct Part {
  Box box;
  int tile = 0;
  std::int64_t shift_y = 0, shift_x = 0;  // position of the tile in the feature map
};

std::uint64_t address(const FeatureMap& fm, int tile, std::int64_t y, std::int64_t x, std::int64_t c) {
  const std::int64_t bytes = fm.bytes();
  // Unsigned, so that hostile strides wrap instead of overflowing; the memory checks the range.
  const auto times = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  };
  const std::uint64_t start = fm.base[static_cast<std::size_t>(tile)] + times(y, fm.stride_y);
  if (fm.layout == Layout::kNHWC) return start + times(x, fm.stride_x) + times(c, bytes);
  return start + times(c / kBrick, fm.stride_c) + times(x, kBrick * bytes);
}

void append_part(TransferList& list, Channel channel, const FeatureMap& fm, const Part& part, PixelRuns runs) {
  const auto& box = part.box;
  const std::int64_t bytes = fm.bytes();
  const auto rows = static_cast<std::uint64_t>(box.h());
  const auto columns = static_cast<std::uint64_t>(box.w());
  Transfer transfer = contiguous(channel, fm.region, 0, 0);
  transfer.address = address(fm, part.tile, box.y0 - part.shift_y, box.x0 - part.shift_x, box.c0);

  if (fm.layout == Layout::kNHCWB16) {
    const int bricks = (box.c1 + kBrick - 1) / kBrick - box.c0 / kBrick;
    transfer.run = columns * static_cast<std::uint64_t>(kBrick * bytes);
    transfer.levels = {Level{static_cast<std::uint64_t>(bricks), fm.stride_c}, Level{rows, fm.stride_y}, Level{}};
    list.push_back(transfer);
    return;
  }

  const std::int64_t pixel = box.c() * bytes;
  const bool touching = runs.join && pixel == fm.stride_x;
  if (touching && (runs.chunk == 0 || box.c() <= kBrick)) {
    transfer.run = columns * static_cast<std::uint64_t>(pixel);
    transfer.levels = {Level{rows, fm.stride_y}, Level{}, Level{}};
    list.push_back(transfer);
    return;
  }
  if (runs.chunk == 0) {
    transfer.run = static_cast<std::uint64_t>(pixel);
    transfer.levels = {Level{columns, fm.stride_x}, Level{rows, fm.stride_y}, Level{}};
    list.push_back(transfer);
    return;
  }
  const int whole = box.c() / runs.chunk;
  if (whole != 0) {
    transfer.run = static_cast<std::uint64_t>(runs.chunk * bytes);
    transfer.levels = {Level{static_cast<std::uint64_t>(whole), runs.chunk * bytes}, Level{columns, fm.stride_x},
                       Level{rows, fm.stride_y}};
    list.push_back(transfer);
  }
  transfer.address += static_cast<std::uint64_t>(whole) * static_cast<std::uint64_t>(runs.chunk * bytes);
  transfer.run = static_cast<std::uint64_t>(box.c() % runs.chunk) * static_cast<std::uint64_t>(bytes);
  transfer.levels = {Level{columns, fm.stride_x}, Level{rows, fm.stride_y}, Level{}};
  list.push_back(transfer);
}

}  // namespace

void append_box(TransferList& list, Channel channel, const FeatureMap& fm, const Box& box, PixelRuns runs) {
  if (box.empty() || fm.storage == Storage::kChained || fm.storage == Storage::kNone) return;
  if (fm.storage == Storage::kTile3x1) {
    // Three tiles above each other; not found in any stream (u85 3.1).
    const std::int64_t ends[3] = {fm.height0, std::int64_t(fm.height0) + fm.height1, box.y1};
    std::int64_t begin = 0;
    for (int tile = 0; tile < 3; ++tile) {
      const auto y0 = std::max<std::int64_t>(box.y0, begin), y1 = std::min<std::int64_t>(box.y1, ends[tile]);
      if (y0 < y1) {
        const Box part{static_cast<int>(y0), static_cast<int>(y1), box.x0, box.x1, box.c0, box.c1};
        append_part(list, channel, fm, {part, tile, begin, 0}, runs);
      }
      begin = ends[tile];
    }
    return;
  }
  // Columns from WIDTH0 on belong to the right-hand tiles, rows from HEIGHT0 (right: HEIGHT1) on to the lower ones.
  const int split_x = std::clamp(fm.width0, box.x0, box.x1);
  for (int right = 0; right < 2; ++right) {
    const int x0 = right != 0 ? split_x : box.x0;
    const int x1 = right != 0 ? box.x1 : split_x;
    if (x0 == x1) continue;
    const int height = right != 0 ? fm.height1 : fm.height0;
    const int split_y = std::clamp(height, box.y0, box.y1);
    const int shift_x = right != 0 ? fm.width0 : 0;
    for (int low = 0; low < 2; ++low) {
      const int y0 = low != 0 ? split_y : box.y0;
      const int y1 = low != 0 ? box.y1 : split_y;
      if (y0 == y1) continue;
      const int shift_y = low != 0 ? height : 0;
      append_part(list, channel, fm, {{y0, y1, x0, x1, box.c0, box.c1}, right + 2 * low, shift_y, shift_x}, runs);
    }
  }
}

}  // namespace macaw::npu
