#include "tests/unit/sim/datapath/u85_support.hpp"

#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"

#include <numeric>

// Sums, regions and steps at the limit of what a shorter way may take.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

TEST_CASE("a range is read up to the last byte of its region, and none that begins or ends behind it") {
  std::vector<std::uint8_t> bytes(64);
  MemoryMap memory;
  memory.regions[0] = {bytes, true, false};
  memory.regions.back() = {bytes, true, true};
  struct Row {
    int region;
    std::uint64_t base, length;
    bool holds;
  };
  const int last = static_cast<int>(memory.regions.size()) - 1;
  for (const Row& row : {Row{0, 0, 64, true},
                         {0, 0, 65, false},
                         {0, 1, 63, true},
                         {0, 1, 64, false},
                         {0, 63, 1, true},
                         {0, 63, 2, false},
                         {0, 64, 0, true},
                         {0, 65, 0, false},
                         {0, 8, UINT64_MAX, false},
                         {0, UINT64_MAX, 2, false},
                         {last, 0, 64, true},
                         {last + 1, 0, 0, false},
                         {-1, 0, 0, false},
                         {1, 0, 0, false}}) {
    CAPTURE(row.region, row.base, row.length);
    const auto range = readable(memory, row.region, row.base, row.length, "it");
    REQUIRE(range.has_value() == row.holds);
    if (!row.holds) continue;
    CHECK(range->size() == row.length);
    CHECK(range->data() == bytes.data() + row.base);
  }
  CHECK(bound_region(memory, last, true, "it"));
  CHECK_FALSE(bound_region(memory, 0, true, "it"));
}

TEST_CASE("sums of bytes that leave 32 bits at one end alone are still sums") {
  Bench bench("ethos-u85-256");
  for (const bool is_signed : {false, true})
    for (const int zero_point : {0, is_signed ? -128 : 255, is_signed ? 127 : 128})
      for (const auto mode : {ElementwiseMode::kAdd, ElementwiseMode::kSub}) {
        auto op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, 4, 8), feature_map(1024, 1, 1, 4, 16));
        op.ifm2 = feature_map(512, 1, 1, 4, 8);
        op.elementwise = mode;
        op.ifm.is_signed = op.ifm2.is_signed = is_signed;
        op.ifm.zero_point = op.ifm2.zero_point = zero_point;
        // 255 * 2^23 is less than 2^31, twice as much is not.
        op.ifm_scale = op.ifm2_scale = {1 << 23, 0, Rounding::kNatural, 0};
        op.ofm_scale = {1, 20, Rounding::kNatural, 0};
        const int low = is_signed ? -128 : 0, high = low + 255;
        const Values a = {low, high, high, low}, b = {low, high, low, high};
        write(bench, op.ifm, a);
        write(bench, op.ifm2, b);
        const auto got = finish(bench, op);
        for (std::size_t i = 0; i < a.size(); ++i) {
          CAPTURE(is_signed, zero_point, a[i], b[i]);
          const auto second = b[i] - zero_point;
          CHECK(got[i] == 8 * (a[i] - zero_point + (mode == ElementwiseMode::kAdd ? second : -second)));
        }
      }
}

TEST_CASE("a matrix of wide weights has the strides of its kernel, along either axis") {
  for (const auto& [down, across] : {std::pair(1, 1), {1, 2}, {2, 1}, {3, 2}})
    for (const int weight : {255, 256, -255, -256, 1000}) {
      Bench bench("ethos-u85-256");
      auto op =
          operation_u85(OpKind::kConv, feature_map(0, 1 + down, 1 + across, 1, 16), feature_map(1024, 2, 2, 1, 32));
      op.ifm2 = feature_map(512, 1, 1, 1, 16);
      op.weights_from_ifm2 = true;
      op.kernel.stride_y = down;
      op.kernel.stride_x = across;
      op.acc_format = AccFormat::kI48;
      op.activation.clip = ClipRange::kNone;
      Values in(static_cast<std::size_t>((1 + down) * (1 + across)));
      std::iota(in.begin(), in.end(), -2);
      write(bench, op.ifm, in);
      write(bench, op.ifm2, {weight});
      const auto at = [&](int y, int x) {
        return weight * in[static_cast<std::size_t>(y * down * (1 + across) + x * across)];
      };
      CAPTURE(down, across, weight);
      CHECK(finish(bench, op) == Values{at(0, 0), at(0, 1), at(1, 0), at(1, 1)});
    }
}

TEST_CASE("the range of a map reaches over all of its bricks and tiles, in whatever order they lie") {
  FeatureMap bricks = feature_map(4096, 2, 3, 40, 16, Layout::kNHCWB16);
  const auto range = [](const FeatureMap& map) {
    const auto found = byte_range(map, "map");
    REQUIRE(found);
    return std::pair(found->first, found->last);
  };
  // Pixels of 16 channels of two bytes; the last brick has 8 channels.
  const std::uint64_t columns = 2 * 32, rows = static_cast<std::uint64_t>(bricks.stride_y);
  CHECK(range(bricks) == std::pair<std::uint64_t, std::uint64_t>{4096, 4096 + rows + columns + 2 * 96 + 16});
  bricks.stride_c = -96;
  CHECK(range(bricks) == std::pair<std::uint64_t, std::uint64_t>{4096 - 2 * 96, 4096 + rows + columns + 32});
  bricks.stride_c = 0;
  CHECK(range(bricks) == std::pair<std::uint64_t, std::uint64_t>{4096, 4096 + rows + columns + 32});
  // Three tiles of 2, 3 and 1 rows.
  FeatureMap tiles = feature_map(0, 6, 1, 1, 8);
  tiles.storage = npu::Storage::kTile3x1;
  tiles.height0 = 2, tiles.height1 = 3;
  tiles.base = {1000, 2000, 3000, 0};
  tiles.stride_y = 10;
  CHECK(range(tiles) == std::pair<std::uint64_t, std::uint64_t>{1000, 3001});
  tiles.h = 7;
  CHECK(range(tiles) == std::pair<std::uint64_t, std::uint64_t>{1000, 3011});
  tiles.h = 5;
  CHECK(range(tiles) == std::pair<std::uint64_t, std::uint64_t>{1000, 2021});
  tiles.h = 2;
  CHECK(range(tiles) == std::pair<std::uint64_t, std::uint64_t>{1000, 1011});
}
