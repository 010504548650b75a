#include "workflow/prove/window.hpp"

#include <catch2/catch.hpp>

#include <numeric>

// Taps of a window of the graph laid beside those of an operation that was written by hand.
using namespace macaw;
using prove::ElementTag;

namespace {

constexpr std::size_t kDepth = 4;  // of the output

struct Subject {
  prove::Window window{{3, 3}, {2, 1}, {1, 0, 2, 1}, {1, 2}, {2, 5, 6, 2}, {2, 2, 5, kDepth}, false};
  npu::BlockOperation op;
  prove::Piece piece{.tensor = 0, .first = 0, .channels = kDepth, .depth = kDepth};
  std::vector<ElementTag> read;
  bool padding = false;  ///< an element of the input may be padding

  Subject() {
    op.kernel.height = op.kernel.width = 3;
    op.kernel.stride_y = 2;
    op.kernel.dilation_x = 2;
    op.kernel.pad_top = 1;
    op.kernel.pad_left = 2;
    op.ifm.h = 5, op.ifm.w = 6, op.ifm.c = 2;
    op.ofm.h = 2, op.ofm.w = 5;
    reads(0);
  }
  /// The IFM begins with this element of the input.
  void reads(std::uint32_t first, std::uint32_t step = 1) {
    read.clear();
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(op.ifm.h * op.ifm.w * op.ifm.c); ++i)
      read.push_back({1, first + i * step, 1});
  }
  [[nodiscard]] std::string compare() const {
    return prove::compare_windows(
        window, op, piece, read, [](const ElementTag& tag, std::size_t element) { return tag.element == element; },
        [&](std::size_t) { return padding; });
  }
};

const auto kTooMuch = Catch::EndsWith(": the graph reads padding, the stream an element");
const auto kTooLittle = Catch::EndsWith(": the graph reads an element, the stream padding");
const auto kAnother = Catch::Contains(" reads the wrong input channel (expected ");

}  // namespace

TEST_CASE("an operation with the window of the graph looks at the same elements") {
  CHECK(Subject().compare().empty());
  Subject second;  // of two images
  second.piece.first = 2 * 5 * kDepth;
  second.reads(5 * 6 * 2);
  CHECK(second.compare().empty());
  second.reads(0);
  CHECK_THAT(second.compare(), kAnother);
}

TEST_CASE("an operation may compute a part of the rows or channels") {
  Subject row;  // the second, from the second row of the input on
  row.piece.first = 5 * kDepth;
  row.op.ofm.h = 1;
  row.op.ifm.h = 3;
  row.op.kernel.pad_top = 0;
  row.reads(6 * 2);
  CHECK(row.compare().empty());
  row.reads(0);
  CHECK_THAT(row.compare(), kAnother);

  Subject channel;  // one of two that are apart
  channel.window.own_channel = true;
  channel.window.output[3] = 2;
  channel.piece = {.tensor = 0, .first = 1, .channels = 1, .depth = 2};
  channel.op.ifm.c = 1;
  channel.reads(1, 2);
  CHECK(channel.compare().empty());
  channel.reads(0, 2);
  CHECK_THAT(channel.compare(), kAnother);
}

TEST_CASE("padding of the operation is that of the graph") {
  Subject s;
  s.op.kernel.pad_top = 0;
  CHECK_THAT(s.compare(), kTooMuch);
  s.op.kernel.pad_top = 2;
  CHECK_THAT(s.compare(), kTooLittle);
  s = {};
  s.op.kernel.pad_left = 1;
  CHECK_THAT(s.compare(), kTooMuch || kAnother);
  s.op.kernel.pad_left = 3;
  CHECK_THAT(s.compare(), kTooLittle || kAnother);
  s = {};
  s.op.ifm.h = 3;
  s.reads(0);
  CHECK_THAT(s.compare(), kTooLittle);
  s.padding = true;
  CHECK(s.compare().empty());
}

TEST_CASE("strides and dilations of the operation are those of the graph") {
  for (int npu::Kernel::*field :
       {&npu::Kernel::stride_y, &npu::Kernel::stride_x, &npu::Kernel::dilation_y, &npu::Kernel::dilation_x}) {
    Subject s;
    s.op.kernel.*field = 3 - s.op.kernel.*field;
    CHECK_FALSE(s.compare().empty());
  }
}

TEST_CASE("every element that a tap looks at is the graph's") {
  const Subject right;
  // Row 4 of the input is in no window.
  for (std::size_t i = 0; i < right.read.size(); ++i) {
    auto s = right;
    s.read[i].element += 1;
    INFO(i);
    if (i < 4 * 6 * 2) CHECK_THAT(s.compare(), kAnother);
    else CHECK(s.compare().empty());
  }
}
