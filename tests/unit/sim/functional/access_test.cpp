#include "sim/functional/findings/access.hpp"
#include "sim/functional/findings/block_dependency.hpp"
#include "sim/functional/findings/byte_set.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>

// Sets of bytes, elements of maps and what two accesses share, each beside a list that names every byte.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

using Bytes = std::set<std::uint64_t>;

Bytes bytes_of(const Access& access) {
  Bytes bytes;
  access.for_each([&](ByteRange run) {
    for (auto at = run.first; at < run.last; ++at) bytes.insert(at);
    return true;
  });
  return bytes;
}

Access access_of(std::vector<Transfer> runs, std::uint64_t origin = 0) {
  const auto bounds = bounds_of(runs);
  REQUIRE(bounds);
  return {"", false, 0, origin, {origin + bounds->first, origin + bounds->last}, std::move(runs)};
}

/// By the rules of u55_u65 3.1, element by element of the first tile.
Bytes elements(const FeatureMap& map, const Box& box) {
  Bytes bytes;
  for (int y = box.y0; y < box.y1; ++y)
    for (int x = box.x0; x < box.x1; ++x)
      for (int c = box.c0; c < box.c1; ++c) {
        const auto at = map.layout == Layout::kNHWC
                            ? y * map.stride_y + x * map.stride_x + std::int64_t{c} * map.bytes()
                            : y * map.stride_y + std::int64_t{x} * 16 * map.bytes() + c / 16 * map.stride_c +
                                  std::int64_t{c % 16} * map.bytes();
        for (int b = 0; b < map.bytes(); ++b) bytes.insert(map.base[0] + static_cast<std::uint64_t>(at + b));
      }
  return bytes;
}

FeatureMap random_map(std::mt19937& random) {
  FeatureMap map;
  map.layout = random() % 2 ? Layout::kNHWC : Layout::kNHCWB16;
  map.bits = 8 << random() % 3;
  map.h = map.height0 = map.height1 = 3;
  map.w = map.width0 = 4;
  map.c = 37;
  const bool bricks = map.layout == Layout::kNHCWB16;
  map.stride_x = bricks ? 16 * map.bytes() : (37 + static_cast<int>(random() % 3)) * map.bytes();
  map.stride_c = bricks ? 4 * map.stride_x + static_cast<int>(random() % 2) * 64 : 1;
  map.stride_y = bricks ? 3 * map.stride_c : 4 * map.stride_x + static_cast<int>(random() % 2) * 32;
  map.base.fill(64 * (random() % 4));
  return map;
}

Box random_box(std::mt19937& random) {
  const auto pair = [&](int most) {
    const int a = static_cast<int>(random() % static_cast<unsigned>(most));
    return std::pair(a, a + 1 + static_cast<int>(random() % static_cast<unsigned>(most - a)));
  };
  const auto [y0, y1] = pair(3);
  const auto [x0, x1] = pair(4);
  const auto [c0, c1] = pair(37);
  return {y0, y1, x0, x1, c0, c1};
}

}  // namespace

TEST_CASE("a set of bytes adds, copies and finds as a list of them does") {
  constexpr std::uint64_t kSize = 200;
  std::mt19937 random(3);
  ByteSet set(kSize), other(kSize);
  std::vector<bool> plain(kSize), plain_other(kSize);
  const auto any_range = [&] {
    const std::uint64_t a = random() % (kSize + 20), b = random() % (kSize + 20);
    return ByteRange{std::min(a, b), std::max(a, b)};
  };
  for (int step = 0; step < 3000; ++step) {
    const auto range = any_range();
    if (step % 3 == 0) {
      other.add(range);
      for (auto at = range.first; at < std::min(range.last, kSize); ++at) plain_other[at] = true;
    } else if (step % 3 == 1) {
      const std::uint64_t from = random() % kSize, to = random() % kSize, length = random() % 100;
      set.copy(other, from, to, length);
      for (std::uint64_t i = 0; i < length && to + i < kSize; ++i)
        plain[to + i] = from + i < kSize && plain_other[from + i];
    } else if (step % 30 == 2) {
      set.add(range);
      for (auto at = range.first; at < std::min(range.last, kSize); ++at) plain[at] = true;
    }
    if (step % 200 == 0) {
      other = ByteSet(kSize);
      plain_other.assign(kSize, false);
    }
    const auto asked = any_range();
    const auto find = [&](bool in) {
      for (auto at = asked.first; at < asked.last; ++at)
        if ((at < kSize && plain[at]) == in) return at;
      return asked.last;
    };
    if (set.first_in(asked) != find(true) || set.first_not_in(asked) != find(false)) FAIL("step " << step);
  }
}

TEST_CASE("the runs of a box are its elements, and two accesses share the bytes that both have") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const auto first_map = random_map(random), second_map = random_map(random);
    const auto first_box = random_box(random), second_box = random_box(random);
    const auto first = access_of(exact_runs(first_map, first_box), 16);
    const auto second = access_of(exact_runs(second_map, second_box), 16 + 8 * (random() % 4));
    INFO("round " << round);
    Bytes expected;
    for (const auto at : elements(first_map, first_box)) expected.insert(at + 16);
    const auto a = bytes_of(first), b = bytes_of(second);
    REQUIRE(a == expected);
    CHECK((first.bounds.first == *a.begin() && first.bounds.last == *a.rbegin() + 1));
    const auto shared = overlap(first, second);
    const bool any = std::ranges::any_of(b, [&](std::uint64_t at) { return a.contains(at); });
    REQUIRE(shared.has_value() == any);
    if (!shared) continue;
    CHECK(shared->memory == 0);
    CHECK(shared->length > 0);
    for (auto at = shared->offset; at < shared->offset + shared->length; ++at)
      REQUIRE((a.contains(at) && b.contains(at)));
  }
}

TEST_CASE("neighbours in a memory share nothing, nor do bytes of two memories") {
  const auto run = [](std::uint64_t first, std::uint64_t length) {
    return access_of({contiguous(Channel::kReadIfm, 1, first, length)});
  };
  CHECK_FALSE(overlap(run(0, 16), run(16, 16)));
  CHECK_FALSE(overlap(run(16, 16), run(0, 16)));
  const auto one = overlap(run(0, 17), run(16, 16));
  REQUIRE(one);
  CHECK((one->offset == 16 && one->length == 1));
  auto elsewhere = run(0, 16);
  elsewhere.memory = 1;
  CHECK_FALSE(overlap(run(0, 16), elsewhere));
}

TEST_CASE("a copy may use the NPU's own memory to its last byte") {
  const std::vector<Memory> memories = {{.name = "arena", .size = 4096}};
  std::array<RegionBinding, 8> regions;
  regions[1] = {0, 0, 4096};
  for (const std::uint64_t at : {2032u, 2033u, 4080u})
    for (const bool source : {true, false}) {
      DmaOperation op;
      op.family = Family::kU55;
      op.src_region = op.dst_region = 1;
      op.len = 16;
      (source ? op.src_internal : op.dst_internal) = true;
      (source ? op.src : op.dst) = at;
      const auto found = accesses(op, {memories, regions, 2048});
      INFO(at);
      CHECK(found.problems.size() == (at <= 2032 ? 0 : 1));
      CHECK(found.list.size() == (at <= 2032 ? 2 : 1));
      if (at > 2032) CHECK(found.problems[0].kind == FindingKind::kOutside);
    }
}

TEST_CASE("an operand that leaves its region is told with the place that the region has") {
  std::vector<Memory> memories = {{.name = "arena", .size = 4096},
                                  {.name = "constants", .size = 64, .read_only = true}};
  std::array<RegionBinding, 8> regions;
  regions[1] = {0, 512, 64};
  regions[2] = {1, 0, 64};
  DmaOperation op;
  op.family = Family::kU65;
  op.src_region = op.dst_region = 1;
  op.dst = 32;
  op.len = 16;
  const auto found = [&] { return accesses(op, {memories, regions, 2048}); };
  CHECK(found().problems.empty());
  CHECK((found().list[0].bounds.first == 512 && found().list[1].bounds.last == 512 + 48));
  CHECK((!found().list[0].write && found().list[1].write));
  op.dst = 48;
  CHECK(found().problems.empty());
  op.dst = 49;
  REQUIRE(found().problems.size() == 1);
  CHECK(found().problems[0].kind == FindingKind::kOutside);
  CHECK((found().problems[0].range.memory == 0 && found().problems[0].range.offset == 512 + 49));
  op.dst = 0;
  op.src_region = 2;
  CHECK(found().problems.empty());
  std::swap(op.src_region, op.dst_region);
  REQUIRE(found().problems.size() == 1);
  CHECK(found().problems[0].kind == FindingKind::kReadOnly);
  op.dst_region = 3;
  REQUIRE(found().problems.size() == 1);
  CHECK((found().problems[0].kind == FindingKind::kOutside && found().problems[0].range.memory == -1));
}

TEST_CASE("an interpolated row takes the one before it and, between two, the one behind") {
  // The last block of the copy is row 1. An output row at 0/4 takes row 0 alone, at 1/4 to 3/4 row 1 as well, and one
  // at 4/4 row 1 alone.
  const std::vector<Memory> memories = {{.name = "arena", .size = 4096}};
  std::array<RegionBinding, 8> regions;
  regions[1] = {0, 0, 4096};
  const auto& a = accelerator("ethos-u85-256");
  const auto rows_at = [](std::uint64_t base, int rows) {
    FeatureMap map{.region = 1, .is_signed = true, .h = rows, .w = 4, .c = 16};
    map.base.fill(base);
    map.height0 = map.height1 = rows;
    map.width0 = 4;
    map.stride_x = 16;
    map.stride_y = 64;
    return map;
  };
  BlockOperation copy;
  copy.family = Family::kU85;
  copy.kind = OpKind::kPool;
  copy.pool = PoolMode::kAverage;
  copy.ifm = rows_at(0, 2);
  copy.ofm = rows_at(1024, 2);
  copy.block = {1, 4, 16};
  copy.ublock = {1, 4, 8};
  auto resize = copy;
  resize.kind = OpKind::kResize;
  resize.resize = ResizeFilter::kBilinear;
  resize.ifm = rows_at(1024, 2);
  resize.ofm = rows_at(2560, 1);
  resize.blockdep = 1;
  auto& r = resize.resize_step;
  r.n_x = r.one_step_int_x = r.one_step_int_y = 1;
  r.n_y = 4;
  for (const int offset : {0, 1, 2, 3, 4, 5}) {
    r.offset_y = offset;
    INFO("at " << offset << " of 4");
    CHECK(uncovered_dependency(copy, resize, a, {memories, regions, 2048}).has_value() == (offset >= 1));
  }
  // Rows 0 and 1 of what is resized are the last block and what lies behind it.
  resize.ifm = rows_at(1024 + 64, 2);
  for (const int offset : {0, 1, 3, 4}) {
    r.offset_y = offset;
    INFO("behind, at " << offset << " of 4");
    CHECK(uncovered_dependency(copy, resize, a, {memories, regions, 2048}).has_value() == (offset < 4));
  }
  // The first of two blocks written, the other way round.
  resize.ifm = rows_at(1024 - 64, 3);
  r.offset_y = 5;
  CHECK(uncovered_dependency(copy, resize, a, {memories, regions, 2048}).has_value());
  r.offset_y = 4;
  CHECK_FALSE(uncovered_dependency(copy, resize, a, {memories, regions, 2048}).has_value());
}

TEST_CASE("a fast stream is read alone, others one for each decoder or core") {
  const std::vector<Memory> memories = {{.name = "arena", .size = 4096}};
  std::array<RegionBinding, 8> regions;
  regions[1] = {0, 512, 2048};
  BlockOperation op;
  op.family = Family::kU85;
  op.kind = OpKind::kConv;
  op.ifm.h = op.ofm.h = 0;
  for (std::size_t i = 0; i < 4; ++i) op.weights[i] = {1, 64 * i, i < 3 ? 64u : 0u};
  op.scales[0] = {1, 1024, 160};
  for (const bool fast : {false, true}) {
    op.fast_weights = fast;
    const auto found = accesses(op, accelerator("ethos-u85-1024"), {memories, regions, 2048});
    CHECK(found.problems.empty());
    std::vector<std::uint64_t> places;
    for (const auto& access : found.list) places.push_back(access.bounds.first);
    using Places = std::vector<std::uint64_t>;
    CHECK(places == (fast ? Places{512, 1536} : Places{512, 576, 640, 1536}));
    CHECK(found.list.back().bounds.last == 1536 + 160);
  }
}

TEST_CASE("a dependency is found where two regions meet in their memory") {
  const std::vector<Memory> memories = {{.name = "arena", .size = 4096}};
  std::array<RegionBinding, 8> regions;
  regions[1] = {0, 512, 2048};
  regions[2] = {0, 0, 4096};
  const auto& a = accelerator("ethos-u55-128");
  const auto pixel = [](int region, std::uint64_t base) {
    FeatureMap map{.region = region, .h = 1, .w = 1, .c = 16};
    map.base.fill(base);
    map.width0 = map.height0 = map.height1 = 1;
    map.stride_x = map.stride_y = 16;
    return map;
  };
  BlockOperation first;
  first.kind = OpKind::kPool;
  first.pool = PoolMode::kAverage;
  first.ifm = pixel(2, 4000);
  first.ofm = pixel(1, 64);
  first.block = {2, 2, 16};
  first.ib_end = 10;
  first.ab_start = 14;
  auto second = first;
  second.blockdep = 1;
  second.ofm = pixel(2, 3000);
  for (const std::uint64_t base : {64u, 560u, 576u, 591u, 592u}) {
    second.ifm = pixel(2, base);
    const auto conflict = uncovered_dependency(first, second, a, {memories, regions, 2048});
    INFO(base);
    CHECK(conflict.has_value() == (base > 560 && base < 592));
    if (conflict) CHECK(conflict->range.offset == base);
  }
}
