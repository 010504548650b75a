#include "sim/blocks/block_order.hpp"
#include "sim/blocks/retention.hpp"
#include "sim/blocks/sub_kernel.hpp"

#include <catch2/catch.hpp>

// In which order an operation's parts come, and which of them are still there (timing 2.1).
using namespace macaw::npu;

namespace {

Box row(int y) { return {y, y + 1, 0, 1, 0, 16}; }

}  // namespace

TEST_CASE("of the blocks in the IFM buffer the oldest one goes, a refreshed one last") {
  for (const bool refresh : {false, true}) {
    Retention buffer;
    CHECK(buffer.fetch(row(0), 2, refresh));
    CHECK(buffer.fetch(row(1), 2, refresh));
    CHECK_FALSE(buffer.fetch(row(0), 2, refresh));
    CHECK(buffer.fetch(row(2), 2, refresh));
    CHECK(buffer.fetch(row(0), 2, refresh) == !refresh);
  }
  Retention none;
  CHECK(none.fetch(row(0), 0, true));
  CHECK(none.fetch(row(0), 0, true));
}

TEST_CASE("a kernel is cut by the dilation of each axis into pieces that hold each tap once") {
  const Kernel kernel{.height = 17, .width = 11, .dilation_y = 2, .dilation_x = 1};
  REQUIRE(kernel.taps_y() == 9);
  REQUIRE(kernel.taps_x() == 11);
  const SubKernels pieces(kernel);
  CHECK(pieces.rows() == 3);
  CHECK(pieces.columns() == 2);
  std::int64_t taps = 0, count = 0;
  for (std::int64_t i = 0; i < pieces.count(); ++i) {
    const auto piece = pieces.piece(i);
    CHECK(piece.y1 - piece.y0 <= 8 / 2);
    CHECK(piece.x1 - piece.x0 <= 8);
    taps += piece.taps();
  }
  CHECK(taps == 9 * 11);
  taps = 0;
  pieces.for_each_shape([&](const SubKernel& piece, std::int64_t times) {
    taps += piece.taps() * times;
    count += times;
  });
  CHECK(taps == 9 * 11);
  CHECK(count == pieces.count());
  CHECK(SubKernels(kernel, SubKernels::Cut::kColumnsOnly).rows() == 1);
}

TEST_CASE("blocks go through the depth, then to the right, then down") {
  const BlockOrder order({5, 7, 20}, {4, 4, 16});
  REQUIRE(order.count() == 2 * 2 * 2);
  CHECK(order.box(0) == Box{0, 4, 0, 4, 0, 16});
  CHECK(order.box(1) == Box{0, 4, 0, 4, 16, 20});
  CHECK(order.box(2) == Box{0, 4, 4, 7, 0, 16});
  CHECK(order.box(4) == Box{4, 5, 0, 4, 0, 16});
  CHECK(order.box(7) == Box{4, 5, 4, 7, 16, 20});
}
