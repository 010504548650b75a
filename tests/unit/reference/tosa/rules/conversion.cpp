#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

constexpr auto kFp6Blocks = DType::kBS32_FP8UE8M0_FP6E2M3;

struct Flags {
  bool scale32 = true, from_unsigned = false, to_unsigned = false;
};

/// A RESCALE of one element with the flags, a multiplier of their type, and zero points.
Edit rescale(std::int64_t value, Flags flags, std::int64_t multiplier, std::int64_t shift, std::int64_t in_zp = 0,
             std::int64_t out_zp = 0) {
  return [=](Case& c) {
    const auto in = c.inputs[0].dtype(), out = c.outputs[0].first;
    c.inputs = {filled(in, {1}, value), filled(flags.scale32 ? DType::kINT32 : DType::kINT16, {1}, multiplier),
                filled(DType::kINT8, {1}, shift), filled(in, {1}, in_zp), filled(out, {1}, out_zp)};
    c.outputs[0].second = {1};
    c.op.set(Attr::k_scale32, std::int64_t{flags.scale32});
    c.op.set(Attr::k_rounding_mode, std::int64_t{0});
    c.op.set(Attr::k_per_channel, std::int64_t{0});
    c.op.set(Attr::k_input_unsigned, std::int64_t{flags.from_unsigned});
    c.op.set(Attr::k_output_unsigned, std::int64_t{flags.to_unsigned});
  };
}
Edit with_flags(Flags flags, std::int64_t in_zp = 0, std::int64_t out_zp = 0) {
  return rescale(1, flags, flags.scale32 ? 1 << 30 : 1 << 14, 30, in_zp, out_zp);
}

void rescale_trips(std::vector<Trip>& all) {
  constexpr auto i8 = DType::kINT8, i16 = DType::kINT16, i32 = DType::kINT32, i48 = DType::kINT48;
  constexpr Flags kPlain{}, kScale16{false, false, false}, kFrom{true, true, false}, kTo{true, false, true},
      kBoth{true, true, true}, kFrom16{false, true, false}, kTo16{false, false, true};
  const Types same{i8, i8};
  Trips(all, Op::kRESCALE)
      .add({}, 1, same,
           [=](Case& c) {
             with_flags(kPlain)(c);
             c.op.set(Attr::k_scale32, std::int64_t{0});
           })
      .add({1}, 2, {i16, i8}, with_flags(kPlain, 1))
      .add({1}, 2, {i32, i8}, with_flags(kPlain, 1))
      .add({2}, 3, {i8, i16}, with_flags(kPlain, 0, 1))
      .add({2}, 3, {i8, i32}, with_flags(kPlain, 0, 1))
      .add({3}, 4, {i16, i8}, with_flags(kFrom, 1))
      .add({4}, 5, {i8, i16}, with_flags(kTo, 0, 1))
      .add({5}, 6, {i48, i8}, with_flags(kPlain))
      .add({6}, 7, same,
           [=](Case& c) {
             with_flags(kScale16)(c);
             c.op.set(Attr::k_rounding_mode, static_cast<std::int64_t>(tosa::RoundingMode::kDoubleRound));
           })
      .add({7}, 8, same, with_flags(kBoth))
      .add({8}, 9, {i8, i32}, with_flags(kFrom))
      .add({9}, 10, {i32, i8}, with_flags(kTo))
      .add({10}, 11, {i48, i8}, with_flags(kTo16))
      .add({11}, 12, {i48, i8}, with_flags(kFrom16))
      .add({12}, 13, {i32, i8}, with_flags(kFrom))
      .add({13}, 14, {i8, i32}, with_flags(kTo))
      .add({14}, 15, same,
           [=](Case& c) {
             with_flags(kPlain)(c);
             c.inputs[0] = Tensor(i8, {});
             c.outputs[0].second = {};
             c.op.set(Attr::k_per_channel, std::int64_t{1});
           })
      .add({}, 16, same,
           [=](Case& c) {
             with_flags(kPlain)(c);
             c.inputs[0] = Tensor(i8, {2});
             c.outputs[0].second = {2};
             c.op.set(Attr::k_per_channel, std::int64_t{1});
           })
      .add("scale_helpers:1", 17, same, rescale(1, kPlain, -1, 30))
      .add("scale_helpers:2", 17, same, rescale(1, kPlain, 1, 1))
      .add("scale_helpers:2", 17, same, rescale(1, kPlain, 1, 63))
      .add("scale_helpers:4", 17, same, rescale(1, kScale16, -1, 30))
      .add("scale_helpers:5", 17, same, rescale(1, kScale16, 1, 63))
      .add("scale_helpers:3", 18, {i32, i8}, rescale(8, kPlain, 1, 4))
      .add("scale_helpers:3", 18, {i32, i8}, rescale(-9, kPlain, 1, 4))
      .add("scale_helpers:6", 19, {i32, i32}, rescale(2147483647, kScale16, 32767, 2))
      .add("arithmetic_helpers:1", 20, {i48, i8}, rescale(8589934588, kScale16, 1, 2, 0, 127));
}

/// A RESIZE of 2 x 2 elements in one of its parameters' tensors: 1 scale, 2 offset, 3 border.
Edit resize(std::vector<std::int64_t> scale, std::vector<std::int64_t> offset, std::vector<std::int64_t> border,
            Shape out = {1, 2, 2, 1}, Shape in = {1, 2, 2, 1}) {
  return [=](Case& c) {
    c.inputs[0] = Tensor(c.inputs[0].dtype(), in);
    const std::vector<std::int64_t>* values[] = {&scale, &offset, &border};
    for (std::size_t i = 0; i < 3; ++i) {
      c.inputs[i + 1] = Tensor(DType::kSHAPE, {std::ssize(*values[i])});
      std::copy(values[i]->begin(), values[i]->end(), c.inputs[i + 1].data<std::int64_t>().begin());
    }
    c.outputs[0].second = out;
  };
}

void resize_trips(std::vector<Trip>& all) {
  Trips(all, Op::kRESIZE)
      .add({}, 1, kAny, resize({300, 1, 1, 1}, {0, 0}, {0, 0}))
      .add({1}, 2, kAny, resize({1, 1, 1, 1}, {0, 0}, {0, 0}, {1, 16384, 1, 1}, {1, 16384, 1, 1}))
      .add({2}, 3, kAny, resize({0, 1, 1, 1}, {0, 0}, {0, 0}))
      .add({2}, 3, kAny, resize({1, 1, 1, -1}, {0, 0}, {0, 0}))
      .add({3}, 4, kAny, resize({2049, 2049, 1, 1}, {0, 0}, {0, 0}))
      .add({4}, 5, kAny, resize({1, 16, 1, 1}, {0, 0}, {0, 0}))
      .add({5}, 6, kAny, resize({1, 1, 1, 1}, {-2, 0}, {0, 0}))
      .add({5}, 6, kAny, resize({1, 1, 1, 1}, {16, 0}, {0, 0}))
      .add({6}, 7, kAny, resize({1, 1, 1, 1}, {0, -2}, {0, 0}))
      .add({6}, 7, kAny, resize({1, 1, 1, 1}, {0, 16}, {0, 0}))
      .add({7}, 8, kAny, resize({1, 1, 1, 1}, {0, 0}, {-17, 0}))
      .add({7}, 8, kAny, resize({1, 1, 1, 1}, {0, 0}, {1, 0}))
      .add({8}, 9, kAny, resize({1, 1, 1, 1}, {0, 0}, {0, -17}))
      .add({8}, 9, kAny, resize({1, 1, 1, 1}, {0, 0}, {0, 1}))
      .add({9}, 10, kAny, resize({1, 1, 1, 1}, {0, 0}, {0, 0}, {1, 3, 2, 1}))
      .add({10}, 11, kAny, resize({1, 1, 1, 1}, {0, 0}, {0, 0}, {1, 2, 3, 1}))
      .add({11, 12}, 12, {kFp6Blocks}, resize({1, 1, 1, 1}, {0, 0}, {0, 0}, {1, 2, 2, 40}, {1, 2, 2, 40}))
      .add({13}, 14, {kFp6Blocks},
           [](Case& c) { c.op.set(Attr::k_mode, static_cast<std::int64_t>(tosa::ResizeMode::kBilinear)); })
      .add({}, 16, {DType::kINT8, DType::kINT8},
           [](Case& c) { c.op.set(Attr::k_mode, static_cast<std::int64_t>(tosa::ResizeMode::kBilinear)); })
      .table({14}, "types", "", {DType::kFP32}, [](Case& c) { c.outputs[0].first = DType::kFP16; });
}

Edit cast(Shape shape) {
  return [=](Case& c) {
    c.inputs[0] = Tensor(c.inputs[0].dtype(), shape);
    c.outputs[0].second = shape;
  };
}

}  // namespace

void add_conversion_trips(std::vector<Trip>& all) {
  rescale_trips(all);
  resize_trips(all);
  const Types from{kFp6Blocks}, to{DType::kFP32, kFp6Blocks};
  Trips(all, Op::kCAST)
      .add({1}, 1, from, cast({}))
      .add({2}, 2, from, cast({2, 33}))
      .add({3}, 3, to, cast({}))
      .add("tensor_write:2", 3, to, cast({}))
      .add("type_conversion_helpers:2", 3, to, cast({}))
      .add({4}, 4, to, cast({2, 31}))
      .add("type_conversion_helpers:3", 4, to, cast({2, 31}))
      .add({5}, 5, {DType::kFP32}, set_attribute(Attr::k_input_unsigned, 1))
      .graph("types", "", to, [](CaseGraph& g) {
        for (const auto id : g.graph.blocks[0].inputs) g.graph.blocks[0].values[id].dtype = DType::kINT32;
      });
}

}  // namespace macaw::test
