#include "sim/functional/findings/registers.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

// Each rule of a register at the last value that it allows and the first that it does not (u55_u65 2.4, 3.2, 6,
// u85 4.2).
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

std::vector<std::string> problems(const BlockOperation& op, FindingKind kind) {
  const char* name = op.family == Family::kU85 ? "ethos-u85-256" : "ethos-u55-128";
  std::vector<std::string> found;
  check_registers(op, accelerator(name), [&](FindingKind of, const std::string& message) {
    if (of == kind) found.push_back(message);
  });
  return found;
}

bool broken(const BlockOperation& op) { return !problems(op, FindingKind::kRegisters).empty(); }
std::vector<std::string> unaligned(const BlockOperation& op) { return problems(op, FindingKind::kUnaligned); }

/// An operation that no rule is against: blocks of 2x4x16, and 24 banks on U55.
BlockOperation legal(Family family, OpKind kind) {
  BlockOperation op;
  op.family = family;
  op.kind = kind;
  op.pool = PoolMode::kAverage;
  op.elementwise = ElementwiseMode::kAdd;
  op.ublock = {2, 2, 8};
  op.block = {2, 4, 16};
  op.ib_end = 8;
  op.ab_start = 8;
  op.ib2_start = 4;
  op.activation.max = 255;
  for (auto* map : {&op.ifm, &op.ifm2, &op.ofm}) {
    map->h = map->w = map->width0 = map->height0 = map->height1 = 4;
    map->c = 1;
    map->stride_x = map->stride_c = 16;
    map->stride_y = 64;
  }
  return op;
}

template <class Change>
bool breaks(Family family, OpKind kind, Change change) {
  auto op = legal(family, kind);
  CHECK_FALSE(broken(op));
  change(op);
  return broken(op);
}

constexpr OpKind kAll[] = {OpKind::kConv, OpKind::kDepthwise, OpKind::kPool, OpKind::kElementwise};
bool windowed(OpKind kind) { return kind != OpKind::kElementwise; }
bool is_mac(OpKind kind) { return kind == OpKind::kConv || kind == OpKind::kDepthwise; }

}  // namespace

TEST_CASE("blocks of operations with a window are whole micro-blocks in every direction") {
  for (const auto kind : kAll) {
    // 1x2x8 on U55-128, 2x2x8 as the registers say on U85.
    for (int n = 1; n <= 4; ++n) {
      INFO(static_cast<int>(kind) << ", " << n);
      CHECK_FALSE(breaks(Family::kU55, kind, [&](auto& op) { op.block.h = n; }));
      CHECK(breaks(Family::kU85, kind, [&](auto& op) { op.block.h = n; }) == (windowed(kind) && n % 2 != 0));
      for (const auto family : {Family::kU55, Family::kU85}) {
        CHECK(breaks(family, kind, [&](auto& op) { op.block.w = n; }) == (windowed(kind) && n % 2 != 0));
        CHECK(breaks(family, kind, [&](auto& op) { op.block.c = 4 * n; }) == (windowed(kind) && n % 2 != 0));
      }
    }
  }
}

TEST_CASE("bounds cross where the lower is above the upper in the type that they clamp to") {
  const auto crossed = [](auto change) { return breaks(Family::kU55, OpKind::kConv, change); };
  CHECK_FALSE(crossed([](auto& op) { op.activation.min = op.activation.max; }));
  CHECK(crossed([](auto& op) { op.activation.min = 256; }));
  for (const int bits : {8, 16, 32}) {
    INFO(bits);
    CHECK(crossed([&](auto& op) { op.activation.min = 256, op.ofm.bits = bits; }) == (bits <= 16));
  }
  const auto negative = [](auto& op) { op.activation.min = 0xff80, op.activation.max = 0x7f, op.ofm.is_signed = true; };
  CHECK_FALSE(crossed(negative));
  CHECK(crossed([&](auto& op) { negative(op), std::swap(op.activation.min, op.activation.max); }));
  CHECK_FALSE(crossed([](auto& op) { op.activation = {.clip = ClipRange::kNone, .min = 2, .max = 1}; }));
  CHECK_FALSE(crossed([](auto& op) { op.activation = {.function = ActivationFunction::kTable, .min = 2, .max = 1}; }));
}

TEST_CASE("buffers of the shared RAM end with its banks, and before the accumulators") {
  for (const auto kind : kAll) {
    INFO(static_cast<int>(kind));
    const auto banks = [&](Family family, int end, int start) {
      return breaks(family, kind, [&](auto& op) { op.ib_end = end, op.ab_start = start; });
    };
    CHECK_FALSE(banks(Family::kU55, 23, 23));
    CHECK(banks(Family::kU55, 24, 23) == windowed(kind));
    CHECK(banks(Family::kU55, 24, 24) == windowed(kind));
    CHECK(banks(Family::kU55, 25, 30));
    CHECK_FALSE(banks(Family::kU85, 30, 20));
  }
}

TEST_CASE("strides go to 3, convolutions to 64 rows and 4096 elements of their kernels") {
  for (const auto kind : kAll) {
    INFO(static_cast<int>(kind));
    const auto stride = [&](int y, int x) {
      return breaks(Family::kU55, kind, [&](auto& op) { op.kernel.stride_y = y, op.kernel.stride_x = x; });
    };
    CHECK_FALSE(stride(3, 3));
    CHECK((stride(4, 1) == windowed(kind) && stride(1, 4) == windowed(kind)));
    const auto kernel = [&](int h, int w) {
      return breaks(Family::kU85, kind, [&](auto& op) { op.kernel.height = h, op.kernel.width = w; });
    };
    CHECK_FALSE((kernel(64, 64) || kernel(1, 4096) || kernel(2, 2048)));
    for (const auto& [h, w] : {std::pair{65, 1}, {64, 65}, {63, 66}, {1, 4097}}) CHECK(kernel(h, w) == is_mac(kind));
  }
}

TEST_CASE("a reduction gives one channel, and reads 32 bits in NHWC") {
  const auto reduces = [](auto change) {
    return breaks(Family::kU85, OpKind::kPool, [&](auto& op) { op.pool = PoolMode::kReduceSum, change(op); });
  };
  CHECK(reduces([](auto& op) { op.ofm.c = 2; }));
  CHECK_FALSE(breaks(Family::kU85, OpKind::kPool, [](auto& op) { op.ofm.c = 2; }));
  const auto bricks = [](int bits, npu::Storage storage) {
    return [=](auto& op) { op.ifm.layout = Layout::kNHCWB16, op.ifm.bits = bits, op.ifm.storage = storage; };
  };
  CHECK(reduces(bricks(32, npu::Storage::kTile2x2)));
  CHECK_FALSE(reduces(bricks(16, npu::Storage::kTile2x2)));
  CHECK_FALSE(reduces(bricks(32, npu::Storage::kChained)));
  CHECK_FALSE(breaks(Family::kU85, OpKind::kPool, bricks(32, npu::Storage::kTile2x2)));
}

TEST_CASE("operands of an elementwise operation are not both scalars, and have one width") {
  const auto breaks_by = [](Family family, ElementwiseMode mode, bool first, bool second, int bits) {
    return breaks(family, OpKind::kElementwise, [&](auto& op) {
      op.elementwise = mode;
      op.ifm_broadcast.scalar = first;
      op.ifm2_broadcast.scalar = second;
      op.ifm2.bits = bits;
    });
  };
  using enum ElementwiseMode;
  CHECK(breaks_by(Family::kU85, kAdd, true, true, 8));
  CHECK_FALSE((breaks_by(Family::kU85, kAdd, true, false, 8) || breaks_by(Family::kU85, kAdd, false, true, 8)));
  CHECK_FALSE(breaks_by(Family::kU85, kAbs, true, false, 8));
  CHECK(breaks_by(Family::kU55, kAbs, true, false, 8));
  CHECK(breaks_by(Family::kU55, kAdd, false, false, 16));
  CHECK_FALSE(breaks_by(Family::kU55, kAdd, false, true, 16));
  CHECK_FALSE(breaks_by(Family::kU85, kAdd, true, false, 16));
  CHECK_FALSE(breaks_by(Family::kU55, kAbs, false, false, 16));
  for (const auto mode : {kShr, kShl, kClz, kMul})
    for (const int bits : {16, 32}) {
      const auto narrow = [&](auto& op) { op.elementwise = mode, op.ifm.bits = op.ifm2.bits = bits; };
      CHECK(breaks(Family::kU55, OpKind::kElementwise, narrow) == (mode != kMul && bits == 16));
      CHECK_FALSE(breaks(Family::kU85, OpKind::kElementwise, narrow));
    }
}

TEST_CASE("bases of tiles that are used and strides that are taken are multiples of an element or of 16 bytes") {
  struct Use {
    const char* name;
    int h, w;
    bool used;
  };
  const auto base = [](std::size_t tile, int h, int w, npu::Storage storage) {
    auto op = legal(Family::kU85, OpKind::kConv);
    op.ifm.bits = 16;
    op.ifm.storage = storage;
    op.ifm.h = h;
    op.ifm.w = w;
    op.ifm.base[tile] = 3;
    return unaligned(op).size();
  };
  // Four tiles of 4x4 elements: beside, below, and both.
  using enum npu::Storage;
  CHECK(base(0, 1, 1, kTile2x2) == 1);
  CHECK((base(1, 4, 4, kTile2x2) == 0 && base(1, 4, 5, kTile2x2) == 1));
  CHECK((base(2, 4, 5, kTile2x2) == 0 && base(2, 5, 4, kTile2x2) == 1));
  CHECK((base(3, 5, 4, kTile2x2) == 0 && base(3, 4, 5, kTile2x2) == 0 && base(3, 5, 5, kTile2x2) == 1));
  // Three, one below the other.
  CHECK((base(1, 4, 9, kTile3x1) == 0 && base(1, 5, 4, kTile3x1) == 1));
  CHECK((base(2, 8, 4, kTile3x1) == 0 && base(2, 9, 4, kTile3x1) == 1));
  CHECK(base(3, 9, 9, kTile3x1) == 0);
  CHECK((base(0, 1, 1, kChained) == 0 && base(0, 1, 1, kNone) == 0));

  const auto stride = [](std::int64_t FeatureMap::*member, std::int64_t value, Layout layout, int h, int w, int c) {
    auto op = legal(Family::kU55, OpKind::kConv);
    op.ifm.bits = 16;
    op.ifm.layout = layout;
    op.ifm.h = h, op.ifm.w = w, op.ifm.c = c;
    op.ifm.height0 = op.ifm.width0 = 99;
    op.ifm.*member = value;
    return unaligned(op).size();
  };
  using enum Layout;
  for (const std::int64_t value : {-3, 3}) {
    CHECK((stride(&FeatureMap::stride_y, value, kNHWC, 1, 9, 40) == 0));
    CHECK((stride(&FeatureMap::stride_y, value, kNHWC, 2, 1, 1) == 1));
    CHECK((stride(&FeatureMap::stride_x, value, kNHWC, 9, 1, 40) == 0));
    CHECK((stride(&FeatureMap::stride_x, value, kNHWC, 1, 2, 1) == 1));
    CHECK((stride(&FeatureMap::stride_c, value, kNHWC, 9, 9, 40) == 0));
  }
  CHECK((stride(&FeatureMap::stride_x, 8, kNHCWB16, 9, 9, 40) == 0));
  CHECK((stride(&FeatureMap::stride_c, 8, kNHCWB16, 9, 9, 16) == 0));
  CHECK((stride(&FeatureMap::stride_c, 8, kNHCWB16, 9, 9, 17) == 1));
  CHECK((stride(&FeatureMap::stride_y, 8, kNHCWB16, 2, 9, 16) == 1));
  CHECK((stride(&FeatureMap::stride_y, 2, kNHWC, 2, 9, 16) == 0));
}

TEST_CASE("streams begin at 16 bytes, and end at 16 or, where they are fast, 32") {
  const auto streams = [](bool fast, std::uint64_t base, std::uint64_t length, std::size_t index, bool weights) {
    auto op = legal(Family::kU85, OpKind::kConv);
    op.fast_weights = fast;
    op.scale_per_channel = true;
    (weights ? op.weights[index] : op.scales[index]) = {0, base, length};
    return unaligned(op);
  };
  for (const bool weights : {true, false})
    for (const std::size_t index : {0u, 1u}) {
      CHECK(streams(false, 16, 48, index, weights).empty());
      CHECK(streams(false, 8, 0, index, weights).empty());
      CHECK(streams(true, 16, 48, index, weights).size() == (weights ? 1 : 0));
      CHECK(streams(true, 16, 64, index, weights).empty());
      const auto both = streams(false, 8, 24, index, weights);
      const std::string name = std::string(weights ? "WEIGHT" : "SCALE") + (index ? "1" : "");
      CHECK(both == std::vector<std::string>{name + "_BASE 8 is not a multiple of 16",
                                             name + "_LENGTH 24 is not a multiple of 16"});
    }
}

TEST_CASE("a tile at 0 was never set up where the first lies farther away than the map is long") {
  const auto unset = [](std::uint64_t first, std::int64_t stride_y, int h, int w) {
    auto op = legal(Family::kU55, OpKind::kConv);
    op.ifm.base = {first, 0, 0, 0};
    op.ifm.stride_y = stride_y;
    op.ifm.h = h;
    op.ifm.w = w;
    return problems(op, FindingKind::kUnsetTile).size();
  };
  // Five columns of four rows, 64 bytes apart.
  CHECK((unset(255, 64, 4, 5) == 0 && unset(256, 64, 4, 5) == 0 && unset(257, 64, 4, 5) == 1));
  CHECK((unset(256, -64, 4, 5) == 0 && unset(257, -64, 4, 5) == 1));
  CHECK((unset(4000, 64, 4, 4) == 0));
  // Rows go on at 0 where the first lies whole rows away.
  CHECK((unset(384, 64, 5, 4) == 0 && unset(385, 64, 5, 4) == 1 && unset(320, 64, 5, 4) == 0));
}
