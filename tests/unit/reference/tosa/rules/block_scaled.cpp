#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

const Types kScaled{DType::kFP4E2M1}, kScaledRows{DType::kINT32, DType::kFP4E2M1};

/// The inputs in these shapes, zero, those after them as they are; and the outputs.
Edit shapes(std::vector<Shape> inputs, std::vector<Shape> outputs) {
  return [=](Case& c) {
    for (std::size_t i = 0; i < inputs.size(); ++i) c.inputs[i] = Tensor(c.inputs[i].dtype(), inputs[i]);
    for (std::size_t i = 0; i < outputs.size(); ++i) c.outputs[i].second = outputs[i];
  };
}

Edit wider_scale(std::size_t i) {
  return [=](Case& c) {
    auto shape = c.inputs[i].shape();
    ++shape.back();
    c.inputs[i] = Tensor(c.inputs[i].dtype(), shape);
  };
}

const auto kNoBlocks = set_attribute(Attr::k_block_size, 1);

void casts(std::vector<Trip>& all) {
  Trips(all, Op::kCAST_FROM_BLOCK_SCALED)
      .add({1}, 1, kAny, shapes({{2, 33}, {2, 1}}, {{2, 33}}))
      .add({1}, 1, kAny, set_attribute(Attr::k_block_size, 7))
      .add({2}, 2, kAny, shapes({{2, 32}, {2}}, {{2, 32}}))
      .add({3}, 3, kAny, kNoBlocks)
      .add({4}, 4, kAny, shapes({{2, 32}, {3, 1}}, {{2, 32}}))
      .add({5}, 5, kAny, shapes({{2, 32}, {2, 2}}, {{2, 32}}));
  Trips(all, Op::kCAST_TO_BLOCK_SCALED)
      .add({1}, 1, kAny, shapes({{2, 33}}, {{2, 33}, {2, 1}}))
      .add({2}, 2, kAny, kNoBlocks)
      .add({}, 3, kAny, grow_output(0, 1));
}

void matmul(std::vector<Trip>& all) {
  Trips(all, Op::kMATMUL_T_BLOCK_SCALED)
      .add({1}, 1, kAny, shapes({{1, 2, 33}, {1, 2, 1}, {1, 3, 33}, {1, 3, 1}}, {{1, 2, 3}}))
      .add({2}, 2, kAny, kNoBlocks)
      .add({3}, 3, kAny, shapes({{1, 2, 32}, {1, 2, 1}, {2, 3, 32}, {2, 3, 1}}, {{1, 2, 3}}))
      .add({}, 4, kAny, wider_scale(1))
      .add({}, 5, kAny, wider_scale(3));
}

void convolution(std::vector<Trip>& all) {
  Trips(all, Op::kCONV2D_BLOCK_SCALED)
      .add({}, 1, kAny, fill_input(7, kBeyondLevel))
      .add({}, 2, kAny, fill_input(5, kBeyondLevel))
      .add({}, 3, kAny, fill_input(6, kBeyondLevel))
      .add({1}, 4, kAny, fill_input(5, -1))
      .add({2}, 5, kAny, fill_input(6, 0))
      .add({3}, 6, kAny, fill_input(7, 0))
      .add({4}, 7, kAny, grow_output(1))
      .add({5}, 8, kAny, grow_output(2))
      .add({6}, 9, kAny, [](Case& c) { c.inputs[4] = Tensor(DType::kFP32, {c.outputs[0].second[3] + 1}); })
      .add({7}, 10, kAny,
           [](Case& c) {
             for (const std::size_t i : {0u, 2u}) {
               auto shape = c.inputs[i].shape();
               ++shape[3];
               c.inputs[i] = Tensor(c.inputs[i].dtype(), shape);
             }
           })
      .add({8}, 11, kAny, kNoBlocks)
      .add({}, 12, kAny, wider_scale(1))
      .add({}, 13, kAny, wider_scale(3));
}

/// RESHAPE_BLOCK_SCALED of values and scales, to a new shape.
Edit reshape(const Shape& values, const Shape& scales, const std::vector<std::int64_t>& to) {
  return [=](Case& c) {
    Tensor shape(DType::kSHAPE, {std::ssize(to)});
    std::copy(to.begin(), to.end(), shape.data<std::int64_t>().begin());
    c.inputs = {Tensor(c.outputs[0].first, values), Tensor(DType::kFP8UE8M0, scales), std::move(shape)};
    c.outputs[0].second = to;
    auto scale_shape = to;
    if (!scale_shape.empty()) scale_shape.back() = std::max<std::int64_t>(scale_shape.back() / 32, 1);
    c.outputs[1].second = scale_shape;
  };
}

void reshapes(std::vector<Trip>& all) {
  const auto add_member = [](Case& c) { c.inputs.insert(c.inputs.begin() + 1, c.inputs[1]); };
  Trips(all, Op::kRESHAPE_BLOCK_SCALED)
      .add({1}, 1, kScaled, add_member)
      .add({2}, 2, kScaled, [](Case& c) { c.outputs.push_back(c.outputs[1]); })
      .add({3}, 3, kAny, set_attribute(Attr::k_block_size, 32))
      .add({4}, 4, kScaled, kNoBlocks)
      .add({5}, 5, kScaled, reshape({2, 32}, {2, 1}, {3, 32}))
      .add({6}, 6, kScaled, reshape({}, {}, {}))
      .add({7}, 7, kScaled, reshape({2, 32}, {2}, {64}))
      .add({8}, 8, kScaled, reshape({2, 16}, {2, 1}, {32}))
      .add({9}, 9, kScaled, reshape({1, 64}, {1, 2}, {4, 16}))
      .add({10}, 10, kScaled, reshape({1, 64}, {1, 1}, {64}))
      .add({11}, 11, kScaled, reshape({2, 64}, {1, 2}, {128}))
      .add({}, 12, kScaled, grow_output(0, 1));
}

void row_gather(std::vector<Trip>& all) {
  const auto rows = [](Shape values, Shape scales) {
    return [=](Case& c) {
      c.inputs = {Tensor(DType::kFP4E2M1, values), Tensor(DType::kFP8UE8M0, scales), filled(DType::kINT32, {1, 1}, 0),
                  filled(DType::kINT32, {1}, 1)};
      c.outputs[0].second = {1, 1, values[2]};
      c.outputs[1].second = {1, 1, scales[2]};
    };
  };
  Trips(all, Op::kROW_GATHER_BLOCK_SCALED)
      .add({1}, 1, kScaledRows, rows({1, 2, 33}, {1, 2, 1}))
      .add({3}, 3, kAny, set_attribute(Attr::k_block_size, 32))
      .add({4}, 4, kScaledRows, kNoBlocks)
      .add({5}, 5, kAny, fill_input(2, 0))
      .add({6}, 6, kAny, fill_input(1, -1))
      .add({6}, 6, kAny, fill_input(1, 1000))
      .add({7}, 6, kScaledRows, fill_input(2, 1000))
      .add({2}, 2, kScaledRows, [](Case& c) { c.inputs.insert(c.inputs.begin() + 1, c.inputs[1]); })
      .add({}, 7, kScaledRows, [](Case& c) { c.outputs.push_back(c.outputs[1]); })
      .add({}, 8, kScaledRows, rows({1, 2, 64}, {1, 2, 1}))
      .add({}, 9, kAny,
           [](Case& c) {
             c.inputs[1] = Tensor(DType::kINT32, {c.inputs[0].shape()[0] + 1, 1});
           })
      .add({}, 10, kAny, grow_output(1));
}

}  // namespace

void add_block_scaled_trips(std::vector<Trip>& all) {
  casts(all);
  matmul(all);
  convolution(all);
  reshapes(all);
  row_gather(all);
}

}  // namespace macaw::test
