#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

constexpr auto kInt4 = DType::kINT4;
const Types kInt4Weight{DType::kINT8, kInt4};

/// Operands so large that the sum of products leaves the accumulator.
Edit overflow() {
  return [](Case& c) {
    for (const std::size_t i : {0u, 1u}) fill_input(i, 127)(c);
    for (const std::size_t i : {3u, 4u}) fill_input(i, 0)(c);
    fill_input(2, 2147483647)(c);
  };
}

Edit wrong_bias() {
  return [](Case& c) { c.inputs[2] = Tensor(c.inputs[2].dtype(), {c.outputs[0].second.back() + 1}); };
}

/// Channels that are not whole blocks; `statement` and `rule` are those of the input, the weight's follow.
void split_blocks(Trips& trips, int statement, int rule) {
  trips.add({statement}, rule, {kFp8Blocks, DType::kFP16}, lengthen_operands())
      .add({statement + 1}, rule + 1, {DType::kFP16, kFp8Blocks}, lengthen_operands());
}

/// CONV2D and CONV3D have one rule for each axis' extent.
void convolution(std::vector<Trip>& all, Op op, int axes) {
  Trips trips(all, op);
  trips.add({}, 1, kAny, set_item(Attr::k_dilation, 0, kBeyondLevel))
      .add({}, 2, kAny, set_item(Attr::k_pad, 1, kBeyondLevel))
      .add({}, 3, kAny, set_item(Attr::k_stride, 0, kBeyondLevel))
      .add({1}, 4, kInt16, fill_input(3, 1))
      .add({2}, 5, kInt4Weight, fill_input(4, 1))
      .add({3}, 6, kAny, set_item(Attr::k_pad, 0, -1))
      .add({4}, 7, kAny, set_item(Attr::k_stride, 1, 0))
      .add({5}, 8, kAny, set_item(Attr::k_dilation, 0, 0));
  for (int axis = 0; axis < axes; ++axis)
    trips.add({6 + axis}, 9 + axis, kAny, grow_output(static_cast<std::size_t>(axis) + 1));
  // idiv_check: no whole number of steps.
  trips.add("generic_helpers:1", 9 + axes - 1, kAny, [axes](Case& c) {
    const auto last = static_cast<std::size_t>(axes - 1);
    ints(c, Attr::k_stride)[last] = 2;
    const auto reach = (c.inputs[1].shape()[last + 1] - 1) * ints(c, Attr::k_dilation)[last] + 1;
    auto& pad = ints(c, Attr::k_pad)[2 * last + 1];
    while ((c.inputs[0].shape()[last + 1] + ints(c, Attr::k_pad)[2 * last] + pad - reach) % 2 == 0) ++pad;
  });
  trips.add({6 + axes}, 9 + axes, kAny, wrong_bias());
  split_blocks(trips, 7 + axes, 10 + axes);
  trips.add("arithmetic_helpers:1", 12 + axes, kAny, overflow());
}

void depthwise(std::vector<Trip>& all) {
  Trips(all, Op::kDEPTHWISE_CONV2D)
      .add({}, 1, kAny, set_item(Attr::k_dilation, 0, kBeyondLevel))
      .add({}, 2, kAny, set_item(Attr::k_pad, 1, kBeyondLevel))
      .add({}, 3, kAny, set_item(Attr::k_stride, 0, kBeyondLevel))
      .add({}, 4, kAny, grow_output(3))
      .add({1}, 5, kInt16, fill_input(3, 1))
      .add({2}, 6, kInt4Weight, fill_input(4, 1))
      .add({3}, 7, kAny, set_item(Attr::k_pad, 0, -1))
      .add({4}, 8, kAny, set_item(Attr::k_stride, 1, 0))
      .add({5}, 9, kAny, set_item(Attr::k_dilation, 0, 0))
      .add({6}, 10, kAny, grow_output(1))
      .add({7}, 11, kAny, grow_output(2))
      .add({8}, 12, kAny, wrong_bias())
      .add("arithmetic_helpers:1", 13, kAny, overflow());
}

void transpose(std::vector<Trip>& all) {
  Trips trips(all, Op::kTRANSPOSE_CONV2D);
  split_blocks(trips, 9, 12);
  trips
      .add({}, 1, kAny,
           [](Case& c) {
             const auto& s = c.inputs[1].shape();
             c.inputs[1] = Tensor(c.inputs[1].dtype(), {s[0], kBeyondLevel, s[2], s[3]});
           })
      .add({}, 2, kAny, set_item(Attr::k_out_pad, 0, kBeyondLevel))
      .add({}, 3, kAny, set_item(Attr::k_stride, 0, kBeyondLevel))
      .add({1}, 4, kInt16, fill_input(3, 1))
      .add({2}, 5, kInt4Weight, fill_input(4, 1))
      .add({3}, 6, kAny, set_item(Attr::k_out_pad, 1, -100))
      .add({4}, 7, kAny, set_item(Attr::k_out_pad, 2, -100))
      .add({5}, 8, kAny, set_item(Attr::k_stride, 1, 0))
      .add({6}, 9, kAny, grow_output(1))
      .add({7}, 10, kAny, grow_output(2))
      .add({8}, 11, kAny, wrong_bias())
      .add("arithmetic_helpers:1", 14, kAny, [](Case& c) {
        overflow()(c);
        ints(c, Attr::k_stride) = {1, 1};
        ints(c, Attr::k_out_pad) = {0, 0, 0, 0};
        for (std::size_t i = 1; i <= 2; ++i)
          c.outputs[0].second[i] = c.inputs[0].shape()[i] - 1 + c.inputs[1].shape()[i];
      });
}

/// AVG_POOL2D has two zero points before the rules that both have.
void pool(std::vector<Trip>& all, Op op, int zero_points) {
  const int rule = 3 + zero_points, statement = zero_points;
  Trips trips(all, op);
  trips.add({}, 1, kAny, set_item(Attr::k_kernel, 0, kBeyondLevel))
      .add({}, 2, kAny, set_item(Attr::k_stride, 0, kBeyondLevel))
      .add({}, 3, kAny, set_item(Attr::k_pad, 0, kBeyondLevel))
      .add({statement + 1}, rule + 1, kAny, set_item(Attr::k_kernel, 1, 0))
      .add({statement + 2}, rule + 2, kAny, set_item(Attr::k_stride, 1, 0))
      .add({statement + 3}, rule + 3, kAny, set_item(Attr::k_pad, 3, -1))
      .add({statement + 4}, rule + 4, kAny, set_item(Attr::k_pad, 3, 50))
      .add({statement + 5}, rule + 5, kAny, set_item(Attr::k_pad, 0, 50))
      .add({statement + 6}, rule + 6, kAny, grow_output(1))
      .add({statement + 7}, rule + 7, kAny, grow_output(2));
}

void average(std::vector<Trip>& all) {
  pool(all, Op::kAVG_POOL2D, 2);
  Trips(all, Op::kAVG_POOL2D)
      .add({1}, 4, kInt16, fill_input(1, 1))
      .add({2}, 5, kInt16, fill_input(2, 1))
      .add("arithmetic_helpers:2", 13, kInt16, [](Case& c) {
        constexpr std::int64_t kExtent = 257;  // 257 * 257 * -32768 is below -2^31
        c.inputs[0] = filled(DType::kINT16, {1, kExtent, kExtent, 1}, -32768);
        ints(c, Attr::k_kernel) = {kExtent, kExtent};
        ints(c, Attr::k_stride) = {1, 1};
        ints(c, Attr::k_pad) = {0, 0, 0, 0};
        c.outputs[0].second = {1, 1, 1, 1};
      });
}

}  // namespace

void add_window_trips(std::vector<Trip>& all) {
  convolution(all, Op::kCONV2D, 2);
  convolution(all, Op::kCONV3D, 3);
  depthwise(all);
  transpose(all);
  pool(all, Op::kMAX_POOL2D, 0);
  average(all);
}

}  // namespace macaw::test
