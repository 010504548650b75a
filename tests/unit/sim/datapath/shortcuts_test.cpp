#include "tests/unit/sim/datapath/plain.hpp"
#include "tests/unit/sim/datapath/u85_support.hpp"

#include "sim/datapath/dma.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/requantize.hpp"

#include <cstring>

// Computations in fewer bits, and shortcuts, equal those with all bits and bytes.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

TEST_CASE("a scale for many values gives each what it gives one by itself, at the ends of shifts, scales and values") {
  const std::int64_t values[] = {0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 -3,
                                 127,
                                 -128,
                                 32767,
                                 -32768,
                                 INT32_MAX,
                                 INT32_MIN,
                                 INT32_MAX - 1,
                                 INT32_MIN + 1,
                                 INT64_C(1) << 31,
                                 -(INT64_C(1) << 31) - 1,
                                 INT64_C(1) << 39,
                                 -(INT64_C(1) << 47)};
  for (const std::uint32_t scale : {0u, 1u, 2u, 32767u, 32768u, 65535u, 1u << 30, (1u << 31) - 1, 1u << 31, UINT32_MAX})
    for (int shift = 0; shift < 64; ++shift)
      for (const auto rounding : {Rounding::kNatural, Rounding::kDoubleSymmetric, Rounding::kDoubleAsymmetric,
                                  Rounding::kSymmetric, Rounding::kTruncateToZero, Rounding::kTruncateToLower})
        for (const int dbl : {0, 1, 15, 20, 30, 31}) {
          const Scaling scaling{scale, shift, rounding, dbl};
          const Requantizer many(scaling);
          for (const std::int64_t value : values)
            if (many(value) != requantize(value, scaling)) {
              INFO(value << " * " << scale << " >> " << shift << ", dbl " << dbl);
              CHECK(many(value) == requantize(value, scaling));
            }
        }
}

TEST_CASE("the range of a map is that of its bytes, for any distance between its bricks") {
  for (const int channels : {1, 8, 16, 17, 24, 32, 33, 40, 48, 49, 64, 72})
    for (const std::int64_t distance : {-200, -96, -40, -32, -8, 0, 8, 16, 32, 40, 96, 200}) {
      FeatureMap map = feature_map(4096, 1, 1, channels, 16, Layout::kNHCWB16);
      map.stride_c = distance;
      std::size_t first = SIZE_MAX, last = 0;
      for (int c = 0; c < channels; ++c) {
        first = std::min(first, plain::address(map, 0, 0, c));
        last = std::max(last, plain::address(map, 0, 0, c) + 2);
      }
      const auto range = byte_range(map, "map");
      REQUIRE(range);
      INFO(channels << " channels, bricks " << distance << " apart");
      CHECK(range->first == first);
      CHECK(range->last == last);
    }
}

TEST_CASE("a scatter touches the rows of its indices, from the lowest to the highest, up or down") {
  for (const std::int64_t stride : {64, -64})
    for (const auto& rows : {std::vector<std::int32_t>{3, 5}, {5, 3}, {7, 7}, {0, 2}, {4}, {9, 1, 5}}) {
      Bench bench("ethos-u85-256");
      std::memcpy(bench.arena.data() + 256, rows.data(), rows.size() * 4);
      DmaOperation dma;
      dma.family = Family::kU85;
      dma.src_region = dma.dst_region = dma.idx_region = 1;
      dma.dimensions = 2;
      dma.size0 = static_cast<int>(rows.size());
      dma.len = 16;
      dma.src_stride0 = 16;
      dma.dst_stride0 = stride;
      dma.dst = 4096;
      dma.idx = 256;
      dma.idx_max = 9;
      dma.dst_indexed = true;
      std::int64_t first = INT64_MAX, last = 0;
      for (const auto row : rows) {
        first = std::min(first, 4096 + row * stride);
        last = std::max(last, 4096 + row * stride + 16);
      }
      INFO("rows " << rows.front() << " and more, " << stride << " apart");
      const auto target = destination(dma, bench.map());
      REQUIRE(target);
      CHECK(target->data() == bench.arena.data() + first);
      CHECK(std::ssize(*target) == last - first);
      const auto touched = execute(dma, bench.map());
      REQUIRE(touched);
      CHECK(touched->first == static_cast<std::uint64_t>(first));
      CHECK(touched->last == static_cast<std::uint64_t>(last));
      // Bytes after the selected rows may be outside the region.
      bench.arena.resize(static_cast<std::size_t>(last));
      CHECK(execute(dma, bench.map()));
    }
}

TEST_CASE("copies of up to 2^24 rows and 2^32 bytes are done") {
  Bench bench("ethos-u85-256");
  DmaOperation dma;
  dma.family = Family::kU85;
  dma.src_region = 0;
  dma.dst_region = 1;
  bench.constants.resize(1 << 16);
  const auto holds = [&](int rows, int planes, std::uint64_t length) {
    dma.dimensions = 3;
    dma.size0 = rows;
    dma.size1 = planes;
    dma.len = length;
    const auto checked = check_addresses(dma, bench.map());
    if (!checked) CHECK(checked.error().code == ErrorCode::kUnsupported);
    return checked.has_value();
  };
  CHECK(holds(4096, 4096, 1));
  CHECK(holds(65535, 256, 1));
  CHECK_FALSE(holds(4097, 4096, 1));
  CHECK_FALSE(holds(65535, 257, 1));
  CHECK(holds(1 << 8, 1 << 8, 1 << 16));
  CHECK_FALSE(holds((1 << 8) + 1, 1 << 8, 1 << 16));
  dma.dimensions = 1;
}

TEST_CASE("an OFM has 2^26 elements at most") {
  Bench bench("ethos-u85-256");
  auto op = operation_u85(OpKind::kElementwise, feature_map(0, 1, 1, 1, 8), feature_map(64, 1, 1, 1, 8));
  op.elementwise = ElementwiseMode::kAbs;
  op.ifm.storage = op.ofm.storage = npu::Storage::kChained;
  const auto holds = [&](int h, int w, int c) {
    op.ofm.h = h, op.ofm.w = w, op.ofm.c = c;
    return check_addresses(op, *bench.accelerator, bench.map()).has_value();
  };
  CHECK(holds(1 << 13, 1 << 13, 1));
  CHECK(holds(1 << 8, 1 << 9, 1 << 9));
  CHECK_FALSE(holds((1 << 13) + 1, 1 << 13, 1));
  CHECK_FALSE(holds(1 << 8, (1 << 9) + 1, 1 << 9));
  CHECK_FALSE(holds(1 << 8, 1 << 9, (1 << 9) + 1));
}

TEST_CASE("a sum of more elements than 32 bits hold is whole in a wider accumulator") {
  for (const auto& [taps, channels] :
       {std::pair{1, 32767}, {1, 32768}, {2, 32767}, {2, 32768}, {2, 32769}, {2, 40000}, {3, 40000}, {2, 65536}})
    for (const std::int64_t value : {32767, -32768}) {
      Bench bench("ethos-u55-128");
      const auto count = static_cast<std::size_t>(taps) * static_cast<std::size_t>(channels);
      const std::size_t end = (count * 2 + 15) / 16 * 16;
      bench.arena.resize(end + 64);
      auto op = operation(OpKind::kPool, feature_map(0, 1, taps, channels, 16), feature_map(end, 1, 1, 1, 32));
      op.pool = PoolMode::kReduceSum;
      op.kernel.width = taps;
      op.acc_format = AccFormat::kI40;
      op.ofm_scale = {1, 4, Rounding::kNatural, 0};
      write(bench, op.ifm, std::vector<std::int64_t>(count, value));
      const auto done = bench.run(op);
      INFO(taps << " pixels of " << channels << " times " << value);
      REQUIRE(done);
      CHECK(read(bench, op.ofm) == std::vector<std::int64_t>{(value * static_cast<std::int64_t>(count) + 8) >> 4});
    }
}

TEST_CASE("U85 accumulators that were kept are for an OFM of their extents") {
  for (const auto& [h, w, c] :
       {std::array{2, 3, 4}, {1, 3, 4}, {2, 2, 4}, {2, 3, 3}, {3, 2, 4}, {2, 4, 3}, {4, 3, 2}}) {
    Bench bench("ethos-u85-256");
    auto op = operation_u85(OpKind::kPool, feature_map(0, 2, 3, 4, 8), feature_map(256, 2, 3, 4, 32));
    op.pool = PoolMode::kSum;
    op.acc_output = false;
    REQUIRE(bench.run(op));
    auto next = operation_u85(OpKind::kPool, feature_map(0, h, w, c, 8), feature_map(256, h, w, c, 32));
    next.pool = PoolMode::kSum;
    next.acc_input = AccInput::kKeep;
    INFO(h << "x" << w << "x" << c);
    CHECK(bench.run(next).has_value() == (h == 2 && w == 3 && c == 4));
  }
}
