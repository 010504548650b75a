#include "sim/datapath/weight_order.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

// The order of weights of random geometries, written out from the loops of u55_u65 4.2 and u85 4.4.
using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr int kPadding = -1;

struct Traversal {
  const WeightGeometry& g;
  int stream;
  std::vector<int> order = {};

  [[nodiscard]] bool part_kernel() const { return g.part_kernel_first && !g.depthwise; }
  /// The weight of an OFM channel, a tap and an IFM channel, all counted in the whole layer.
  void visit(int o, int ky, int kx, int i) {
    const bool inside = o < g.ofm_depth && ky < g.taps_y && kx < g.taps_x && i < g.ifm_depth;
    order.push_back(inside ? ((o * g.taps_y + ky) * g.taps_x + kx) * g.ifm_depth + i : kPadding);
  }
  [[nodiscard]] int sub(int dilation) const { return g.decomposition / dilation; }
};

int up_to(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

std::vector<int> order_u55(const WeightGeometry& g, int core) {
  Traversal t{g, core};
  const int ifm_block = t.part_kernel() || g.ifm_bits == 16 ? 16 : 32;
  const int round = g.depthwise ? 4 : !t.part_kernel() ? 1 : g.ifm_bits == 16 ? 2 : 4;
  const int channels = (g.ofm_depth - core + g.streams - 1) / g.streams;
  const int block = (g.block_depth - core + g.streams - 1) / g.streams;
  const int sub_y = t.sub(g.dilation_y), sub_x = t.sub(g.dilation_x);
  for (int ob = 0; ob < channels; ob += block)
    for (int ib = 0; ib < g.ifm_depth; ib += ifm_block)
      for (int sy = 0; sy < g.taps_y; sy += sub_y)
        for (int sx = 0; sx < g.taps_x; sx += sub_x) {
          const int rows = std::min(sub_y, g.taps_y - sy), columns = std::min(sub_x, g.taps_x - sx);
          const int outer = t.part_kernel() ? std::min(ifm_block, g.ifm_depth - ib) : 1;
          for (int io = 0; io < outer; io += 8)
            for (int ou = 0; ou < std::min(block, channels - ob); ou += g.ofm_ublock_depth)
              for (int tap = 0; tap < up_to(rows * columns, round); ++tap)
                for (int ii = 0; ii < (t.part_kernel() || g.depthwise ? 1 : ifm_block); ii += 8)
                  for (int o = 0; o < g.ofm_ublock_depth; ++o)
                    for (int i = 0; i < (g.depthwise ? 1 : 8); ++i) {
                      const int own = ob + ou + o;  // channels of this core
                      const bool beyond = tap / columns >= rows || own >= channels;
                      t.visit(beyond ? g.ofm_depth : own * g.streams + core, sy + tap / columns, sx + tap % columns,
                              ib + io + ii + i);
                    }
        }
  return t.order;
}

/// The taps of a sub-kernel in the order of a U85: by phase of the stride, rows in turns forwards and backwards.
std::vector<std::pair<int, int>> taps_u85(int rows, int columns, int stride_y, int stride_x) {
  std::vector<std::pair<int, int>> taps;
  for (int py = 0; py < stride_y; ++py)
    for (int px = 0; px < stride_x; ++px)
      for (int y = py, row = 0; y < rows; y += stride_y, ++row) {
        const std::size_t first = taps.size();
        for (int x = px; x < columns; x += stride_x) taps.emplace_back(y, x);
        if (row % 2 == 1) std::reverse(taps.begin() + static_cast<std::ptrdiff_t>(first), taps.end());
      }
  return taps;
}

std::vector<int> order_u85(const WeightGeometry& g, int decoder) {
  Traversal t{g, decoder};
  const bool shallow = g.macs <= 256 && g.ofm_ublock_depth == 16 && !g.sparse;
  const int ifm_block = g.depthwise       ? 1
                        : t.part_kernel() ? 16
                        : g.sparse        ? (g.ifm_bits == 8 ? 128 : 64)
                        : shallow         ? 32
                                          : 64;
  const int ifm_ublock = !t.part_kernel() ? ifm_block : g.ifm_bits == 16 && !g.sparse ? 8 : 16;
  const int round = g.depthwise ? 10 : !t.part_kernel() ? 1 : g.ifm_bits == 16 || g.sparse ? 10 : 5;
  const int group = g.depthwise ? 1 : g.sparse ? 16 : 8;
  const int extra = !g.depthwise ? 0 : g.ifm_bits == 8 && g.macs <= 256 ? 0 : g.macs <= 512 ? 2 : 6;
  const bool strided = g.depthwise || t.part_kernel();
  const int sub_y = t.sub(g.dilation_y), sub_x = t.sub(g.dilation_x),
            blocks = up_to(g.ifm_depth, ifm_block) / ifm_block;
  const auto zeros = [&](int taps) {
    t.order.insert(t.order.end(), static_cast<std::size_t>(taps * ifm_ublock * g.ofm_ublock_depth / g.streams),
                   kPadding);
  };
  bool forwards = true;
  for (int ob = 0; ob < g.ofm_depth; ob += g.block_depth, forwards = !forwards)
    for (int b = 0; b < blocks; ++b)
      for (int sx = 0; sx < g.taps_x; sx += sub_x)
        for (int sy = 0; sy < g.taps_y; sy += sub_y) {
          const auto taps = taps_u85(std::min(sub_y, g.taps_y - sy), std::min(sub_x, g.taps_x - sx),
                                     strided ? g.stride_y : 1, strided ? g.stride_x : 1);
          const int ib = (forwards ? b : blocks - 1 - b) * ifm_block;
          for (int io = ib; io < std::min(ib + ifm_block, g.ifm_depth); io += ifm_ublock)
            for (int ou = ob; ou < std::min(ob + g.block_depth, g.ofm_depth); ou += g.ofm_ublock_depth) {
              int done = 0;
              for (const auto& [y, x] : taps) {
                for (int ii = io; ii < io + ifm_ublock; ii += group)
                  for (int four = 4 * decoder; four < g.ofm_ublock_depth; four += 4 * g.streams)
                    for (int o = four; o < four + 4; ++o)
                      for (int i = ii; i < ii + group; ++i) t.visit(ou + o, sy + y, sx + x, i);
                if (++done % 10 == 0) zeros(extra);
              }
              if (done % round != 0) zeros(up_to(done, round) - done + extra);
            }
        }
  return t.order;
}

WeightGeometry random_geometry(std::mt19937& random, bool u85) {
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  WeightGeometry g;
  g.family = u85 ? Family::kU85 : Family::kU65;
  g.depthwise = pick(0, 2) == 0;
  g.part_kernel_first = pick(0, 1) != 0;
  g.ifm_bits = pick(0, 1) != 0 ? 16 : 8;
  g.ofm_depth = pick(2, 40);
  g.ifm_depth = g.depthwise ? 1 : pick(1, pick(0, 2) != 0 ? 40 : 150);
  g.taps_y = pick(1, 5);
  g.taps_x = pick(1, 10);
  g.dilation_y = pick(1, 2);
  g.dilation_x = pick(1, 2);
  g.decomposition = pick(0, 1) != 0 ? 8 : 4;
  if (!u85) {
    g.ofm_ublock_depth = pick(0, 3) != 0 ? 8 : 4;
    g.streams = pick(1, 2);
    g.block_depth = 16 * pick(1, 2);
    return g;
  }
  struct Shape {
    int macs, depth, decoders;
  };
  constexpr Shape kShapes[] = {{128, 8, 1},   {128, 16, 1},  {256, 8, 1},   {256, 16, 1}, {512, 16, 2},
                               {1024, 32, 4}, {1024, 16, 4}, {2048, 64, 4}, {2048, 16, 4}};
  const Shape& shape = kShapes[static_cast<std::size_t>(pick(0, 8))];
  g.macs = shape.macs;
  g.ofm_ublock_depth = shape.depth;
  g.streams = shape.decoders;
  g.block_depth = shape.depth * pick(1, 2);
  g.stride_y = pick(1, 3);
  g.stride_x = pick(1, 3);
  g.sparse = !g.depthwise && pick(0, 3) == 0;
  return g;
}

}  // namespace

TEST_CASE("weights stand in the order of the rules' loops") {
  std::mt19937 random(17);
  for (int round = 0; round < 600; ++round) {
    const WeightGeometry g = random_geometry(random, round % 2 == 1);
    std::vector<std::int16_t> weights(static_cast<std::size_t>(g.weights()));
    for (auto& w : weights) w = static_cast<std::int16_t>(1 + random() % 30000);
    for (int stream = 0; stream < g.streams; ++stream) {
      const auto order = g.family == Family::kU85 ? order_u85(g, stream) : order_u55(g, stream);
      std::vector<std::int16_t> expected;
      for (const int i : order)
        expected.push_back(i == kPadding ? std::int16_t{0} : weights[static_cast<std::size_t>(i)]);
      const auto symbols = order_weights(g, stream, weights);
      REQUIRE(symbols);
      INFO("round " << round << ", stream " << stream << ", depthwise " << g.depthwise << ", part kernel "
                    << g.part_kernel_first << ", " << g.ifm_bits << " bits, sparse " << g.sparse << ", " << g.macs);
      CHECK(symbols->size() == expected.size());
      CHECK(*weight_stream_symbols(g, stream) == std::ssize(expected));
      CHECK(std::equal(symbols->begin(), symbols->end(), expected.begin(), expected.end()));
      std::vector<std::int16_t> back(weights.size());
      place_weights(g, stream, expected, back);
      CHECK(std::all_of(order.begin(), order.end(), [&](int i) {
        return i == kPadding || back[static_cast<std::size_t>(i)] == weights[static_cast<std::size_t>(i)];
      }));
    }
  }
}
