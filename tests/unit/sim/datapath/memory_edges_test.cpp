#include "tests/unit/sim/datapath/random_maps.hpp"

#include "sim/datapath/dma.hpp"

#include <cstring>

// Where maps and copies begin and end, and what lies one byte behind.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

TEST_CASE("a map needs the memory up to its last byte and no more") {
  Dice dice(9);
  for (int round = 0; round < 500; ++round) {
    Maps maps(dice);
    const int bits = dice.of({8, 16, 32, 64});
    const FeatureMap map = maps.place(dice.pick(1, 5), dice.pick(1, 5), dice.pick(1, 40), bits, true);
    Bench bench("ethos-u55-128");
    maps.fill(bench);
    std::size_t first = bench.arena.size();
    for (int y = 0; y < map.h; ++y)
      for (int x = 0; x < map.w; ++x)
        for (int c = 0; c < map.c; ++c) first = std::min(first, plain::address(map, y, x, c));
    const auto view = FeatureMapView::create(map, bench.arena, "map");
    REQUIRE(view);
    CHECK(view->range().first == first);
    CHECK(view->range().last == bench.arena.size());
    bench.arena.pop_back();
    CHECK_FALSE(FeatureMapView::create(map, bench.arena, "map"));
  }
}

TEST_CASE("rows are read as narrow numbers only if all their values fit") {
  struct Row {
    int bits;
    bool is_signed;
    std::int32_t zero_point;
    bool fits;
  };
  for (const Row& row :
       {Row{8, true, -128, true}, Row{8, false, 255, true}, Row{8, true, 32640, true}, Row{8, true, 32641, false},
        Row{16, true, 0, true}, Row{16, true, 1, false}, Row{16, true, -1, false}, Row{16, false, 32768, true},
        Row{16, false, 32767, false}, Row{16, false, 32769, false}, Row{32, true, 0, false}}) {
    FeatureMap map = feature_map(0, 1, 1, 1, row.bits);
    map.is_signed = row.is_signed;
    map.zero_point = row.zero_point;
    INFO(row.bits << " bits, zero point " << row.zero_point);
    CHECK(fits_int16(map) == row.fits);
  }
}

TEST_CASE("a chained map is one of the same extents and width") {
  Bench bench("ethos-u85-256");
  BlockOperation op = operation(OpKind::kElementwise, feature_map(0, 2, 3, 4, 8), feature_map(64, 2, 3, 4, 16));
  op.family = Family::kU85;
  op.elementwise = ElementwiseMode::kAbs;
  op.ofm.storage = npu::Storage::kChained;
  REQUIRE(bench.run(op));
  BlockOperation next = op;
  next.ifm = op.ofm;
  next.ofm = feature_map(64, 2, 3, 4, 16);
  REQUIRE(bench.run(next));
  for (int FeatureMap::*extent : {&FeatureMap::h, &FeatureMap::w, &FeatureMap::c}) {
    BlockOperation other = next;
    other.ifm.*extent = 1;
    const auto done = bench.run(other);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kHardwareFault);
  }
  next.ifm.bits = 8;
  CHECK_FALSE(bench.run(next));
}

namespace {

/// The copy of u55_u65 6.5 and u85 6.5, byte by byte; false if it leaves the arena or an index is out of bounds.
bool copied(const DmaOperation& op, const std::vector<std::uint8_t>& from, std::vector<std::uint8_t>& to) {
  const bool u85 = op.family == Family::kU85, indexed = op.src_indexed || op.dst_indexed;
  const std::int64_t rows = op.dimensions > 1 ? op.size0 : 1, planes = op.dimensions > 2 ? op.size1 : 1;
  const auto len = static_cast<std::int64_t>(op.len), size = static_cast<std::int64_t>(from.size());
  auto src = static_cast<std::int64_t>(op.src), dst = static_cast<std::int64_t>(op.dst);
  auto at = static_cast<std::int64_t>(op.idx);
  for (std::int64_t j = 0; j < planes; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int32_t n = static_cast<std::int32_t>(i);
      if (indexed) {
        if (at < 0 || at + 4 > size) return false;
        std::memcpy(&n, from.data() + at, 4);
        at += 4;
        if (n < 0 || static_cast<std::uint32_t>(n) > op.idx_max) return false;
      }
      std::int64_t s = src, d = dst;
      if (u85) {
        s = src + j * op.src_stride1 + (op.src_indexed ? n : i) * op.src_stride0;
        d = dst + j * op.dst_stride1 + (op.dst_indexed ? n : i) * op.dst_stride0;
      }
      if (s < 0 || d < 0 || s + len > size || d + len > size) return false;
      std::copy_n(from.begin() + s, len, to.begin() + d);
      if (u85) continue;
      src += len;
      dst += len + op.skip0;
    }
    at += op.idx_skip1;
    if (!u85) dst += op.skip1;
  }
  return true;
}

DmaOperation random_copy(Dice& dice, Family family) {
  DmaOperation op;
  op.family = family;
  op.src_region = op.dst_region = op.idx_region = 1;
  op.dimensions = family == Family::kU55 ? 1 : dice.pick(1, 3);
  op.len = static_cast<std::uint64_t>(dice.pick(1, 24));
  op.size0 = static_cast<std::uint32_t>(dice.pick(1, 4));
  op.size1 = static_cast<std::uint32_t>(dice.pick(1, 3));
  op.src = static_cast<std::uint64_t>(dice.pick(0, 300));
  op.dst = static_cast<std::uint64_t>(dice.pick(1000, 1400));
  op.skip0 = dice.pick(0, 20);
  op.skip1 = dice.pick(0, 40);
  if (family != Family::kU85) return op;
  op.src_stride0 = dice.pick(-30, 30);
  op.src_stride1 = dice.pick(-60, 60);
  // Rows of the destination lie apart, so that their order does not count.
  op.dst_stride0 = 24;
  op.dst_stride1 = 24 * 8;
  const int indexed = op.dimensions > 1 ? dice.pick(0, 2) : 0;
  op.src_indexed = indexed == 1;
  op.dst_indexed = indexed == 2;
  op.idx = 700;
  op.idx_max = static_cast<std::uint32_t>(dice.pick(4, 7));
  op.idx_skip1 = 4 * dice.pick(0, 3);
  return op;
}

}  // namespace

TEST_CASE("copies of random make move the bytes that the rules say, and leave memory never") {
  Dice dice(10);
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    Bench bench(accelerator);
    for (int round = 0; round < 700; ++round) {
      for (auto& byte : bench.arena) byte = static_cast<std::uint8_t>(dice.bits(8));
      for (int i = 0; i < 20; ++i) {
        const std::int32_t index = dice.one_in(60) ? dice.of({-1, 8, 9, INT32_MIN}) : dice.pick(0, dice.pick(3, 7));
        std::memcpy(bench.arena.data() + 700 + 4 * i, &index, 4);
      }
      const DmaOperation op = random_copy(dice, bench.accelerator->family);
      auto expected = bench.arena;
      bench.arena.resize(static_cast<std::size_t>(dice.one_in(3) ? dice.pick(1000, 1400) : 2000));
      expected = bench.arena;
      const bool inside = copied(op, bench.arena, expected);
      INFO(accelerator << " round " << round);
      const auto done = execute(op, bench.map());
      REQUIRE(done.has_value() == inside);
      if (inside) CHECK(std::equal(expected.begin(), expected.end(), bench.arena.begin()));
    }
  }
}

TEST_CASE("a copy may end with the last byte of its region and no further") {
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    Bench bench(accelerator);
    DmaOperation op;
    op.family = bench.accelerator->family;
    op.src_region = op.dst_region = 1;
    op.len = 48;
    for (std::uint64_t DmaOperation::*side : {&DmaOperation::src, &DmaOperation::dst}) {
      op.src = 256;
      op.dst = 512;
      op.*side = bench.arena.size() - 48;
      CHECK(execute(op, bench.map()));
      op.*side += 16;
      CHECK_FALSE(execute(op, bench.map()));
    }
    op.src = op.dst = 0;
    op.dst_internal = true;
    op.dst = bench.internal.size() - 48;
    CHECK(execute(op, bench.map()));
    op.dst += 1;
    CHECK_FALSE(execute(op, bench.map()));
  }
}
