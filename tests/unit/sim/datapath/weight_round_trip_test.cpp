#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/u85/weight_order.hpp"
#include "tests/unit/sim/datapath/support.hpp"

#include <algorithm>
#include <set>
#include <tuple>

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

using Weights = std::vector<std::int16_t>;

enum class WeightTraversal { kDepthFirst, kPartKernel, kDepthwise };
struct Format {
  bool fast, sparse;
};

/// A CONV or DEPTHWISE of random geometry that takes its weights in this order and format.
BlockOperation random_operation(std::mt19937& random, const Accelerator& accelerator, WeightTraversal traversal,
                                Format format) {
  const bool depthwise = traversal == WeightTraversal::kDepthwise;
  const int oc = pick(random, 1, random() % 3 ? 40 : 200);
  const int ic = depthwise ? oc : pick(random, 1, random() % 3 ? 40 : 300);
  const bool wide = random() % 3 == 0;
  BlockOperation op = operation(depthwise ? OpKind::kDepthwise : OpKind::kConv, feature_map(0, 1, 1, ic, wide ? 16 : 8),
                                feature_map(0, 1, 1, oc, 8));
  op.family = accelerator.family;
  op.kernel.part_kernel_first = traversal == WeightTraversal::kPartKernel;
  op.kernel.decomposition = random() % 2 ? 8 : 4;
  op.kernel.dilation_y = pick(random, 1, 2);
  op.kernel.dilation_x = pick(random, 1, 2);
  op.kernel.height = (pick(random, 1, 5) - 1) * op.kernel.dilation_y + 1;
  op.kernel.width = (pick(random, 1, random() % 4 ? 3 : 10) - 1) * op.kernel.dilation_x + 1;
  op.kernel.stride_y = pick(random, 1, 3);
  op.kernel.stride_x = pick(random, 1, 3);
  op.fast_weights = format.fast;
  op.sparse_weights = format.sparse;
  if (op.family == Family::kU85) {
    const auto& ublocks = accelerator.ofm_ublocks;
    const auto shapes = std::count_if(ublocks.begin(), ublocks.end(), [](const Hwc& u) { return u.c > 0; });
    op.ublock = ublocks[random() % static_cast<std::size_t>(shapes)];
    op.block.c = op.ublock.c * pick(random, 1, 3);
  } else {
    op.dual_core = accelerator.cores == 2 && random() % 4 != 0;
    op.block.c = 8 * pick(random, 1, 4);
  }
  return op;
}

/// OHWI weights as the format allows them: sparse ones have two non-zeros in four IFM channels, at most 127 in
/// magnitude; fast ones span 256 values, or are few.
Weights random_weights(std::mt19937& random, const WeightGeometry& g, Format format) {
  Weights weights(static_cast<std::size_t>(g.weights()));
  const int few = pick(random, 1, 3), kind = pick(random, 0, 2), low = pick(random, -255, 0);
  const auto value = [&] {
    if (kind == 0) return few == 3 ? 17 * pick(random, -7, 7) : pick(random, -few, few) * 60 / few;
    if (format.sparse) return pick(random, -127, 127);
    if (format.fast) return pick(random, low, low + 255);
    return kind == 1 ? pick(random, -255, 255) : random() % 2 ? 0 : pick(random, -9, 9);
  };
  for (std::size_t row = 0; row < weights.size(); row += static_cast<std::size_t>(g.ifm_depth)) {
    for (int i = 0; i < g.ifm_depth; i += 4) {
      const int kept = pick(random, 0, 3), other = pick(random, 0, 3);
      for (int n = 0; n < std::min(4, g.ifm_depth - i); ++n)
        if (!format.sparse || n == kept || n == other)
          weights[row + static_cast<std::size_t>(i + n)] = static_cast<std::int16_t>(value());
    }
  }
  return weights;
}

/// Whether every four symbols along the IFM depth hold at most two non-zeros, padding counted as zero.
bool two_in_four(const Weights& symbols) {
  for (auto four = symbols.begin(); four != symbols.end(); four += 4)
    if (std::count(four, four + 4, 0) < 2) return false;
  return true;
}

/// Encodes `weights` behind the operation's stream registers.
void add_streams(Bench& bench, BlockOperation& op, const WeightGeometry& g, const Weights& weights) {
  std::vector<Weights> symbols;
  for (int s = 0; s < g.streams; ++s) {
    const auto ordered = order_weights(g, s, weights);
    REQUIRE(ordered);
    REQUIRE(static_cast<std::int64_t>(ordered->size()) == weight_stream_symbols(g, s).value());
    if (op.sparse_weights) CHECK(two_in_four(*ordered));
    symbols.push_back(*ordered);
  }
  if (!op.fast_weights) {
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      const auto stream = encode_weight_stream(symbols[s]);
      REQUIRE(stream);
      op.weights[s] = bench.add(*stream);
    }
    return;
  }
  Weights turns;
  const auto block = static_cast<std::ptrdiff_t>(interleave_block(g));
  REQUIRE(std::ssize(symbols[0]) % block == 0);
  for (std::ptrdiff_t at = 0; at < std::ssize(symbols[0]); at += block)
    for (const auto& own : symbols) turns.insert(turns.end(), own.begin() + at, own.begin() + at + block);
  const auto stream = encode_fast_weight_stream(turns, op.sparse_weights);
  REQUIRE(stream);
  CHECK((stream->front() & 1) >= op.sparse_weights);  // sparse weights are literal bytes
  op.weights[0] = bench.add(*stream);
}

void check_round_trip(std::mt19937& random, const Accelerator& accelerator, WeightTraversal traversal, Format format) {
  Bench bench(accelerator.name.data());
  BlockOperation op = random_operation(random, accelerator, traversal, format);
  const auto geometry = weight_geometry(op, accelerator);
  REQUIRE(geometry);
  CHECK(geometry->streams == (op.family == Family::kU85 ? accelerator.weight_decoders : op.dual_core ? 2 : 1));
  const Weights weights = random_weights(random, *geometry, format);
  add_streams(bench, op, *geometry, weights);
  const auto loaded = load_weights(op, accelerator, bench.map());
  INFO((loaded ? "" : loaded.error().to_string()));
  REQUIRE(loaded);
  CHECK(std::ranges::equal(*loaded, weights));  // too long to print
}

}  // namespace

TEST_CASE("random weights of every configuration, order and format survive encoding") {
  std::mt19937 random(23);
  std::set<std::tuple<std::string_view, WeightTraversal, bool, bool>> done;
  for (const auto& accelerator : accelerators())
    for (const auto traversal :
         {WeightTraversal::kDepthFirst, WeightTraversal::kPartKernel, WeightTraversal::kDepthwise})
      for (const Format format : {Format{false, false}, {true, false}, {false, true}, {true, true}}) {
        // Fast and sparse weights belong to U85; depthwise kernels get neither (Vela,
        // ethosu/regor/architecture/ethosu85/ethos_u85.cpp, SupportedWeightFormat).
        if ((format.fast || format.sparse) &&
            (accelerator.family != Family::kU85 || traversal == WeightTraversal::kDepthwise))
          continue;
        for (int round = 0; round < 8; ++round) {
          INFO(accelerator.name << " order " << static_cast<int>(traversal) << (format.fast ? " fast" : "")
                                << (format.sparse ? " sparse" : "") << " round " << round);
          check_round_trip(random, accelerator, traversal, format);
        }
        done.insert({accelerator.name, traversal, format.fast, format.sparse});
      }
  // 11 configurations in 3 orders, and 5 of them in 2 orders and 3 more formats.
  CHECK(done.size() == 11 * 3 + 5 * 2 * 3);
}
