#include "sim/functional/findings/access.hpp"
#include "sim/functional/findings/block_dependency.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <fmt/format.h>

// Distances at which BLOCKDEP covers a dependency, and how far indices reach.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

constexpr int kRow = 4 * 16;  // bytes of a row of 4 pixels of 16 channels

FeatureMap map_at(std::uint64_t base, int rows) {
  FeatureMap map;
  map.region = 1;
  map.is_signed = true;
  map.base.fill(base);
  map.h = map.height0 = map.height1 = rows;
  map.w = map.width0 = 4;
  map.c = 16;
  map.stride_c = 1;
  map.stride_x = 16;
  map.stride_y = kRow;
  return map;
}

/// A copy in blocks of two rows.
BlockOperation copy(const Accelerator& a, std::uint64_t from, std::uint64_t to, int blocks) {
  BlockOperation op;
  op.family = a.family;
  op.kind = OpKind::kPool;
  op.pool = PoolMode::kAverage;
  op.ifm = map_at(from, 2 * blocks);
  op.ofm = map_at(to, 2 * blocks);
  op.block = {2, 4, 16};
  if (a.family == Family::kU85) op.ublock = {2, 2, 8};
  op.ib_end = 10;
  op.ab_start = 14;
  return op;
}

struct Places {
  std::vector<Memory> memories = {{.name = "arena", .size = 4096}};
  std::array<RegionBinding, 8> regions = {};
  Places() { regions[1] = {0, 0, 4096}; }
  [[nodiscard]] RegionLayout get() const { return {memories, regions, 2048}; }
};

/// Two rows of 16 bytes in region 1, whose indices lie at 3072.
DmaOperation two_rows_with_indices() {
  DmaOperation op;
  op.family = Family::kU85;
  op.src_region = op.dst_region = op.idx_region = 1;
  op.dimensions = 2;
  op.size0 = 2;
  op.len = 16;
  op.idx = 3072;
  return op;
}

}  // namespace

TEST_CASE("BLOCKDEP b covers what is written b blocks before it is read, and nothing later") {
  const Places layout;
  for (const char* name : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    const Accelerator& a = accelerator(name);
    for (int blocks = 1; blocks <= 9; ++blocks)
      for (int ahead = 0; ahead < blocks; ++ahead)  // block i of the second reads block i + ahead of the first
        for (int depth = 0; depth <= a.max_blockdep; ++depth) {
          const auto first = copy(a, 0, 1024, blocks);
          auto second = copy(a, 1024 + static_cast<std::uint64_t>(2 * kRow * ahead), 2560, blocks - ahead);
          second.blockdep = depth;
          INFO(name << ", " << blocks << " blocks, " << ahead << " ahead, BLOCKDEP " << depth);
          // Block i may be read while the last depth - i blocks are not written.
          const bool open = ahead + depth >= blocks;
          const auto conflict = uncovered_dependency(first, second, a, layout.get());
          REQUIRE(conflict.has_value() == (depth > 0 && open));
          if (!conflict) continue;
          CHECK(conflict->blocks == static_cast<std::uint64_t>(blocks));
          CHECK(conflict->block == conflict->step + static_cast<std::uint64_t>(ahead));
          CHECK(conflict->range.offset == 1024 + conflict->block * 2 * kRow);
        }
  }
}

TEST_CASE("nothing depends on an operation that stores nothing or elsewhere") {
  const Places layout;
  const Accelerator& a = accelerator("ethos-u85-256");
  auto second = copy(a, 1024, 2560, 2);
  second.blockdep = 7;
  auto first = copy(a, 0, 1024, 2);
  CHECK(uncovered_dependency(first, second, a, layout.get()));
  first.acc_output = false;
  CHECK_FALSE(uncovered_dependency(first, second, a, layout.get()));
  first.acc_output = true;
  first.ofm.storage = npu::Storage::kNone;
  CHECK_FALSE(uncovered_dependency(first, second, a, layout.get()));
  CHECK_FALSE(uncovered_dependency(copy(a, 0, 1024 + 4 * kRow, 2), second, a, layout.get()));
  CHECK(uncovered_dependency(copy(a, 0, 1024 + 4 * kRow - 1, 2), second, a, layout.get()));
}

TEST_CASE("a side with indices reaches as far as IDX_MAX allows and its region goes") {
  const Places layout;
  DmaOperation op = two_rows_with_indices();
  for (const bool source : {true, false}) {
    op.src_indexed = source;
    op.dst_indexed = !source;
    op.src = source ? 256 : 3500;
    op.dst = source ? 3500 : 256;
    op.src_stride0 = op.dst_stride0 = 16;
    (source ? op.src_stride0 : op.dst_stride0) = 48;
    for (const std::uint32_t idx_max : {0U, 1U, 2U, 5U, 79U, 80U, 1000U, ~0U}) {
      op.idx_max = idx_max;
      const auto found = accesses(op, layout.get());
      INFO("IDX_MAX " << idx_max << (source ? " of the source" : " of the destination"));
      CHECK(found.problems.empty());
      REQUIRE(found.list.size() == 3);
      const Access& side = source ? found.list.front() : found.list.back();
      // Row 79 is the last that ends within 4096 bytes.
      CHECK(side.bounds.first == 256);
      CHECK(side.bounds.last == 256 + 48 * std::uint64_t{std::min(idx_max, 79U)} + 16);
      CHECK(found.list[1].bounds.first == 3072);
      CHECK(found.list[1].bounds.last == 3072 + 2 * 4);
      CHECK(side.write == !source);
    }
  }
}

TEST_CASE("an indexed row may end with its region, and what ends behind it is told with its bytes") {
  const Places layout;
  DmaOperation op = two_rows_with_indices();
  op.src = 4096 - 16 - 48 * 75;
  op.src_stride0 = 48;
  op.src_indexed = true;
  op.idx_max = 1000;
  CHECK(accesses(op, layout.get()).list.at(0).bounds.last == 4096);
  op.src_indexed = false;
  op.dimensions = 1;
  op.src = 4090;
  const auto found = accesses(op, layout.get());
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0].range.offset == 4090);
  CHECK(found.problems[0].range.length == 16);
}

TEST_CASE("a nearest sample that lies between two rows is the lower one of them") {
  const Places layout;
  const Accelerator& a = accelerator("ethos-u85-256");
  auto rows = copy(a, 0, 1024, 1);
  rows.block.h = 1;
  auto resize = copy(a, 1024, 2560, 1);
  resize.kind = OpKind::kResize;
  resize.resize = ResizeFilter::kNearest;
  resize.ofm = map_at(2560, 1);
  resize.block.h = 1;
  resize.blockdep = 1;
  auto& r = resize.resize_step;
  r = {};
  r.n_x = r.one_step_int_x = r.one_step_int_y = 1;
  r.n_y = 4;
  // Sampled at a quarter of offset_y; the second row is the one that may not have been written.
  for (const int offset : {0, 1, 2, 3, 4}) {
    r.offset_y = offset;
    INFO("at " << offset << " of 4");
    CHECK(uncovered_dependency(rows, resize, a, layout.get()).has_value() == (offset >= 2));
  }
}
