#include "workflow/prove/convolution.hpp"

#include <catch2/catch.hpp>

#include <macaw/tosa/graph.hpp>

// A 1x1 convolution of the graph laid beside an operation that was written by hand.
using namespace macaw;
using prove::ElementTag;

namespace {

struct HandMadeProducts {
  tosa::Operator conv;
  compare::OperatorConstants constants;
  prove::Convolution graph;
  compare::Record record;
  prove::Piece piece{.tensor = 0, .first = 0, .channels = 2, .depth = 2};

  HandMadeProducts() {
    conv.op = tosa::Op::kCONV2D;
    conv.set(tosa::Attr::k_stride, std::vector<std::int64_t>{1, 1});
    conv.set(tosa::Attr::k_pad, std::vector<std::int64_t>{0, 0, 0, 0});
    conv.set(tosa::Attr::k_dilation, std::vector<std::int64_t>{1, 1});
    constants.window = {1, 1, 3};
    constants.filters = {{1, -2, 3}, {-4, 5, 6}};
    constants.biases = {7, -8};
    graph = {&conv, nullptr, {1, 2, 2, 3}, {1, 2, 2, 2}, 5, false};
    auto& op = record.operation;
    op.kind = npu::OpKind::kConv;
    op.scale_per_channel = true;
    op.acc_output = true;
    op.ifm.is_signed = true;
    op.ifm.bits = 8;
    op.ifm.zero_point = 5;
    op.ifm.h = op.ifm.w = op.ofm.h = op.ofm.w = 2;
    op.ifm.c = 3;
    record.constants.weights = {1, -2, 3, -4, 5, 6};
    record.constants.scales = {{7, 1, 0}, {-8, 1, 0}};
  }
  [[nodiscard]] std::string compare() {
    graph.constants = &constants;
    std::vector<ElementTag> read;
    for (std::uint32_t i = 0; i < 2 * 2 * 3; ++i) read.push_back({1, i, 1});
    return prove::compare_products(
        graph, record, piece, read, [](const ElementTag& tag, std::size_t element) { return tag.element == element; },
        [](std::size_t) { return false; });
  }
};

}  // namespace

TEST_CASE("an operation multiplies as the graph does where filters, biases and zero point are the same") {
  CHECK(HandMadeProducts().compare().empty());
  for (std::size_t i = 0; i < 6; ++i) {
    HandMadeProducts s;
    s.record.constants.weights[i] += 1;
    CHECK_THAT(s.compare(), Catch::Contains("of the filter: "));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    HandMadeProducts s;
    s.record.constants.scales[i].bias += 1;
    CHECK_THAT(s.compare(), Catch::Contains("channel " + std::to_string(i) + ": bias "));
  }
  HandMadeProducts s;
  s.record.operation.ifm.zero_point = 4;
  CHECK(s.compare() == "input zero point 5 in the graph, 4 in the stream");
}

TEST_CASE("an operation of another kind, shape or type is not laid beside a convolution") {
  const auto reason = [](auto change) {
    HandMadeProducts s;
    change(s.record.operation);
    return s.compare();
  };
  CHECK_FALSE(reason([](auto& op) { op.kind = npu::OpKind::kDepthwise; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.weights_from_ifm2 = true; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.acc_output = false; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.transpose = 1; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.reverse = 1; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.scale_per_channel = false; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.ifm.is_signed = false; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.ifm.bits = 16; }).empty());
  CHECK_FALSE(reason([](auto& op) { op.ifm.c = 2; }).empty());
}

TEST_CASE("accumulators range over all inputs and what padding leaves out") {
  HandMadeProducts s;
  s.graph.constants = &s.constants;
  // Inputs less the zero point are -133 to 122, or 0 in the padding.
  const auto ranges = prove::accumulator_ranges(s.graph, s.piece);
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].low == 7 - 133 * (1 + 3) - 122 * 2);
  CHECK(ranges[0].high == 7 + 122 * (1 + 3) + 133 * 2);
  s.graph.input_zero_point = -128;
  const auto positive = prove::accumulator_ranges(s.graph, s.piece);
  CHECK(positive[1].low == -8 - 255 * 4);
  CHECK(positive[1].high == -8 + 255 * (5 + 6));
}

TEST_CASE("the accumulators of a piece are those of its channels, in every pixel") {
  HandMadeProducts s;
  s.graph.constants = &s.constants;
  const auto all = prove::accumulator_ranges(s.graph, s.piece);
  for (const std::size_t pixel : {0U, 1U, 3U})
    for (const std::size_t channel : {0U, 1U}) {
      const auto one =
          prove::accumulator_ranges(s.graph, {.tensor = 0, .first = 2 * pixel + channel, .channels = 1, .depth = 2});
      REQUIRE(one.size() == 1);
      CHECK((one[0].low == all[channel].low && one[0].high == all[channel].high));
    }
}
