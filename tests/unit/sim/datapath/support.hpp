#pragma once
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

// Hand-made operations on a small memory: region 0 constants, region 1 feature maps.
namespace macaw::npu::test {

struct Bench {
  explicit Bench(const char* accelerator_name) : accelerator(find_accelerator(accelerator_name)) {
    arena.resize(1 << 16);
    const bool u85 = accelerator->family == Family::kU85;
    internal.resize(u85 ? 2048 : static_cast<std::size_t>(accelerator->shram_banks) * 1024);
  }

  [[nodiscard]] MemoryMap map() {
    MemoryMap memory;
    memory.regions[0] = {constants, true, false};
    memory.regions[1] = {arena, true, true};
    memory.internal = internal;
    if (accelerator->family == Family::kU85) memory.core = &core;
    return memory;
  }
  /// Appends a stream to the constants.
  Stream add(const std::vector<std::uint8_t>& bytes) {
    const Stream stream{0, constants.size(), bytes.size()};
    constants.insert(constants.end(), bytes.begin(), bytes.end());
    return stream;
  }
  Result<Footprint> run(const BlockOperation& op, const Execution& execution = {}) {
    return execute(op, *accelerator, map(), execution);
  }

  const Accelerator* accelerator;
  std::vector<std::uint8_t> constants, arena, internal;
  CoreState core;
};

/// A number of [low, high].
inline int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// A dense map of region 1 at `base`.
inline FeatureMap feature_map(std::uint64_t base, int h, int w, int c, int bits, Layout layout = Layout::kNHWC) {
  FeatureMap map;
  map.region = 1;
  map.layout = layout;
  map.is_signed = true;
  map.bits = bits;
  map.base[0] = base;
  map.h = h;
  map.w = w;
  map.c = c;
  map.width0 = w;
  map.height0 = map.height1 = h;
  const int es = bits / 8;
  map.stride_c = layout == Layout::kNHWC ? es : std::int64_t{w} * 16 * es;
  map.stride_x = layout == Layout::kNHWC ? std::int64_t{c} * es : 16 * es;
  map.stride_y = layout == Layout::kNHWC ? map.stride_x * w : map.stride_c * ((c + 15) / 16);
  return map;
}

/// Elements of a map, [h][w][c], zero point not subtracted.
inline std::vector<std::int64_t> read(Bench& bench, FeatureMap map) {
  map.zero_point = 0;
  const auto view = FeatureMapView::create(map, bench.arena, "map");
  REQUIRE(view);
  std::vector<std::int64_t> values(static_cast<std::size_t>(map.h * map.w * map.c));
  for (int y = 0; y < map.h; ++y) view->read_row(y, values.data() + y * map.w * map.c, map.c);
  return values;
}
inline void write(Bench& bench, const FeatureMap& map, const std::vector<std::int64_t>& values) {
  const auto view = FeatureMapView::create(map, bench.arena, "map");
  REQUIRE(view);
  REQUIRE(values.size() == static_cast<std::size_t>(map.h * map.w * map.c));
  for (int y = 0; y < map.h; ++y) view->write_row(y, values.data() + y * map.w * map.c);
}

inline BlockOperation operation(OpKind kind, const FeatureMap& ifm, const FeatureMap& ofm) {
  BlockOperation op;
  op.kind = kind;
  op.ifm = ifm;
  op.ofm = ofm;
  op.block = {8, 8, 16};
  const int bits = std::min(16, ofm.bits);
  op.activation.min = static_cast<std::uint16_t>(-(1 << (bits - 1)));
  op.activation.max = static_cast<std::uint16_t>((1 << (bits - 1)) - 1);
  return op;
}

}  // namespace macaw::npu::test
