#include "sim/blocks/box_transfers.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace macaw::npu;

namespace {

using Bytes = std::map<std::uint64_t, int>;  // address -> how often

// Element by element, with the tile rule of u55_u65 3.1.
Bytes expected(const FeatureMap& fm, const Box& box) {
  Bytes bytes;
  const int es = fm.bytes();
  const bool bricks = fm.layout == Layout::kNHCWB16;
  const int c0 = bricks ? box.c0 / 16 * 16 : box.c0;
  const int c1 = bricks ? (box.c1 + 15) / 16 * 16 : box.c1;
  for (int row = box.y0; row < box.y1; ++row)
    for (int column = box.x0; column < box.x1; ++column) {
      const bool right = column >= fm.width0;
      const int x = right ? column - fm.width0 : column;
      const int limit = right ? fm.height1 : fm.height0;
      const bool low = row >= limit;
      const int y = low ? row - limit : row;
      const auto base = static_cast<std::int64_t>(fm.base[(right ? 1U : 0U) + (low ? 2U : 0U)]);
      for (int c = c0; c < c1; ++c) {
        const std::int64_t start = bricks ? base + y * fm.stride_y + c / 16 * fm.stride_c + (x * 16 + c % 16) * es
                                          : base + y * fm.stride_y + x * fm.stride_x + c * es;
        for (int b = 0; b < es; ++b) ++bytes[static_cast<std::uint64_t>(start + b)];
      }
    }
  return bytes;
}

Bytes touched(const TransferList& list) {
  Bytes bytes;
  for (const auto& transfer : list)
    for (std::uint64_t i = 0; i < transfer.runs(); ++i)
      for (std::uint64_t b = 0; b < transfer.run; ++b) ++bytes[transfer.run_address(i) + b];
  return bytes;
}

}  // namespace

TEST_CASE("the transfers of a box cover its elements, each once, through all tiles") {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return low + static_cast<int>(random() % unsigned(high - low + 1)); };
  for (int round = 0; round < 3000; ++round) {
    FeatureMap fm;
    fm.layout = pick(0, 1) == 0 ? Layout::kNHWC : Layout::kNHCWB16;
    fm.bits = 8 << pick(0, 2);
    const int h = pick(1, 6), w = pick(1, 6), c = pick(1, 40);
    fm.width0 = pick(1, w), fm.height0 = pick(1, h), fm.height1 = pick(1, h);
    fm.stride_c = w * 16 * fm.bytes();
    fm.stride_x = c * fm.bytes() + (pick(0, 1) == 0 ? 0 : pick(1, 20));
    fm.stride_y = fm.layout == Layout::kNHWC ? w * fm.stride_x : (c + 15) / 16 * fm.stride_c;
    for (std::size_t tile = 0; tile < 4; ++tile)
      fm.base[tile] = 1'000'000 * (tile + 1) + (fm.layout == Layout::kNHWC ? unsigned(pick(0, 30)) : 0U);
    Box box;
    box.y0 = pick(0, h - 1), box.y1 = pick(box.y0 + 1, h);
    box.x0 = pick(0, w - 1), box.x1 = pick(box.x0 + 1, w);
    box.c0 = pick(0, c - 1), box.c1 = pick(box.c0 + 1, c);
    for (const PixelRuns runs : {PixelRuns{0}, PixelRuns{16}, PixelRuns{32}}) {
      TransferList list;
      append_box(list, Channel::kWriteOfm, fm, box, runs);
      CAPTURE(round, runs.chunk);
      REQUIRE(touched(list) == expected(fm, box));
    }
  }
}

TEST_CASE("of three tiles above each other each begins where the one before ends") {
  FeatureMap fm;
  fm.storage = Storage::kTile3x1;
  fm.height0 = 2, fm.height1 = 3;
  fm.stride_c = 1, fm.stride_x = 4, fm.stride_y = 100;
  fm.base = {10'000, 20'000, 30'000, 0};
  TransferList list;
  append_box(list, Channel::kReadIfm, fm, {1, 7, 0, 1, 0, 1}, {});
  CHECK(touched(list) == Bytes{{10'100, 1}, {20'000, 1}, {20'100, 1}, {20'200, 1}, {30'000, 1}, {30'100, 1}});
}

TEST_CASE("negative strides are followed downwards") {
  FeatureMap fm;
  fm.width0 = fm.height0 = fm.height1 = 4;
  fm.base[0] = 1000;
  fm.stride_x = -4, fm.stride_y = -16;
  TransferList list;
  append_box(list, Channel::kReadIfm, fm, {0, 4, 0, 4, 0, 4}, {});
  CHECK(touched(list) == expected(fm, {0, 4, 0, 4, 0, 4}));
}

TEST_CASE("a chained or absent feature map has no traffic") {
  FeatureMap fm;
  fm.width0 = fm.height0 = fm.height1 = 4;
  TransferList list;
  for (const auto storage : {macaw::npu::Storage::kChained, macaw::npu::Storage::kNone}) {
    fm.storage = storage;
    append_box(list, Channel::kReadIfm, fm, {0, 4, 0, 4, 0, 4}, {16});
  }
  CHECK(list.empty());
}

TEST_CASE("pixels that touch are one run of a row, or a run each where they are kept apart") {
  FeatureMap fm;
  fm.h = fm.height0 = fm.height1 = 4;
  fm.w = fm.width0 = 8;
  fm.c = 3;
  fm.stride_c = 1, fm.stride_x = 3, fm.stride_y = 24;
  for (const bool join : {true, false}) {
    TransferList list;
    append_box(list, Channel::kWriteOfm, fm, {0, 4, 0, 8, 0, 3}, {.chunk = 16, .join = join});
    CAPTURE(join);
    CHECK(list.bytes() == 96);
    // Two of eight 3-byte pixels in 3 words span two words.
    CHECK(list.beats(8) == (join ? 4 * 3 : 4 * (8 + 2)));
  }
}
