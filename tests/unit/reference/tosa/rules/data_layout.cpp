#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

const Types kMxint8Blocks{DType::kBS32_FP8UE8M0_MXINT8};

Tensor shape_of(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::kSHAPE, {std::ssize(values)});
  std::copy(values.begin(), values.end(), tensor.data<std::int64_t>().begin());
  return tensor;
}

/// The case with one input of a shape, further operands that are shapes, and the output's shape.
Edit shapes(Shape in, std::vector<std::vector<std::int64_t>> parameters, Shape out) {
  return [=](Case& c) {
    c.inputs[0] = Tensor(c.inputs[0].dtype(), in);
    for (std::size_t i = 0; i < parameters.size(); ++i) c.inputs[i + 1] = shape_of(parameters[i]);
    c.outputs[0].second = out;
  };
}

Edit concat(std::vector<Shape> in, Shape out, std::size_t axis = 0) {
  return [=](Case& c) {
    const auto dtype = c.outputs[0].first;
    c.inputs.clear();
    for (const auto& shape : in) c.inputs.emplace_back(dtype, shape);
    c.outputs[0].second = out;
    c.op.set(Attr::k_axis, static_cast<std::int64_t>(axis));
  };
}

Edit transpose(Shape in, std::vector<std::int64_t> perms, Shape out) {
  return [=](Case& c) {
    shapes(in, {}, out)(c);
    c.op.set(Attr::k_perms, perms);
  };
}

Edit index(std::int64_t value) {
  return [=](Case& c) { fill_input(1, value)(c); };
}

}  // namespace

// Long: a line for each broken rule.
void add_data_layout_trips(std::vector<Trip>& all) {
  Trips(all, Op::kCONCAT)
      .add({1}, 1, kAny, concat({}, {2}))
      .add({2}, 2, kAny, set_attribute(Attr::k_axis, -1))
      .add({2}, 2, kAny, [](Case& c) { c.op.set(Attr::k_axis, static_cast<std::int64_t>(c.inputs[0].rank())); })
      .add({3}, 3, kMxint8Blocks, concat({{2, 32}, {2, 1}}, {2, 33}, 1))
      .add({5}, 4, kMxint8Blocks, concat({{2, 31}, {2, 33}}, {2, 64}, 1))
      .add({4}, 5, kAny, concat({{2, 3}, {2}}, {4, 3}))
      .add({6}, 5, kAny, concat({{2, 3}, {2, 4}}, {4, 3}))
      .add({7}, 6, kAny, concat({{2, 3}, {2, 3}}, {5, 3}))
      .table({}, "level", "input1", kAny, concat(std::vector<Shape>(65, Shape{1}), {65}));
  Trips(all, Op::kPAD)
      .add({1}, 1, kAny, shapes({2}, {{0, 0}}, {2, 1}))
      .add({2}, 2, kAny, shapes({2}, {{-1, 0}}, {1}))
      .add({3}, 3, kAny, shapes({2}, {{1, 1}}, {5}));
  Trips(all, Op::kRESHAPE)
      .add({1}, 1, kAny, shapes({6}, {{2, 4}}, {2, 4}))
      .add({2}, 2, kMxint8Blocks, shapes({}, {{1}}, {1}))
      .add({3}, 3, kMxint8Blocks, shapes({1}, {{}}, {}))
      .add({4}, 4, kMxint8Blocks, shapes({64, 3}, {{2, 96}}, {2, 96}))
      .add({5}, 5, kMxint8Blocks, shapes({2, 96}, {{64, 3}}, {64, 3}))
      .add({}, 6, kAny, shapes({6}, {{2, 3}}, {3, 2}));
  Trips(all, Op::kREVERSE)
      .add({1}, 1, kAny, set_attribute(Attr::k_axis, -1))
      .add({1}, 1, kAny, [](Case& c) { c.op.set(Attr::k_axis, static_cast<std::int64_t>(c.inputs[0].rank())); })
      .table({2}, "rank", "input1", kMxint8Blocks, shapes({}, {}, {}))
      .add({3}, 2, kMxint8Blocks, [](Case& c) {
        shapes({2, 33}, {}, {2, 33})(c);
        c.op.set(Attr::k_axis, std::int64_t{0});
      });
  Trips(all, Op::kSLICE)
      .table({1}, "shape", "start", kAny, shapes({4, 4}, {{0}, {1, 1}}, {1, 1}))
      .add({2}, 1, kAny, shapes({4, 4}, {{0, 0}, {1, 1}}, {1}))
      .add({3}, 2, kAny, shapes({4}, {{-1}, {1}}, {1}))
      .add({4}, 3, kAny, shapes({4}, {{0}, {0}}, {1}))
      .add({5}, 4, kAny, shapes({4}, {{2}, {3}}, {3}))
      .add({6}, 5, kAny, shapes({4}, {{0}, {2}}, {3}))
      .add({7}, 6, kMxint8Blocks, shapes({70}, {{32}, {32}}, {32}))
      .add({8}, 7, kMxint8Blocks, shapes({96}, {{32}, {33}}, {33}))
      .add({9}, 8, kMxint8Blocks, shapes({96}, {{1}, {32}}, {32}));
  Trips(all, Op::kTILE)
      .add({1}, 1, kAny, shapes({2}, {{1}}, {2, 1}))
      .add({2}, 2, kMxint8Blocks, shapes({2, 16}, {{1, 2}}, {2, 32}))
      .add({3}, 1, kAny, shapes({2}, {{2}}, {5}));
  Trips(all, Op::kTRANSPOSE)
      .add({1}, 1, kAny, transpose({2, 3}, {1, 0}, {6}))
      .add({2}, 2, kAny, transpose({2, 3}, {1, 0}, {3, 3}))
      .add({3}, 3, kAny, transpose({2, 3}, {2, 0}, {3, 2}))
      .add({4}, 3, kAny, transpose({2, 3}, {-1, 0}, {3, 2}))
      .add({5}, 3, kAny, transpose({2, 3}, {0, 0}, {2, 3}))
      .add({6}, 4, kAny, transpose({2, 3}, {1, 0}, {2, 3}))
      .add({7}, 5, kMxint8Blocks, transpose({2, 3, 48}, {1, 0, 2}, {3, 2, 48}))
      .add({8}, 6, kMxint8Blocks, transpose({32, 32}, {1, 0}, {32, 32}));
  Trips(all, Op::kGATHER).add({1}, 1, kAny, index(-1)).add({1}, 1, kAny, index(1000));
  Trips(all, Op::kSCATTER).add({1}, 1, kAny, index(-1)).add({1}, 1, kAny, index(1000)).add({2}, 2, kAny, [](Case& c) {
    const auto dtype = c.outputs[0].first;
    c.inputs[0] = Tensor(dtype, {1, 3, 1});
    c.inputs[1] = Tensor(c.inputs[1].dtype(), {1, 2});
    c.inputs[2] = Tensor(dtype, {1, 2, 1});
    c.outputs[0].second = {1, 3, 1};
  });
  Trips(all, Op::kIDENTITY)
      .table({}, "level", "input1", kAny, shapes({1, 1, 1, 1, 1, 1, 1}, {}, {1, 1, 1, 1, 1, 1, 1}))
      .table({}, "shape", "input1", kAny, shapes({0}, {}, {0}))
      .add({1}, 1, kMxint8Blocks, shapes({}, {}, {}))
      .add({2}, 2, kMxint8Blocks, shapes({3, 8}, {}, {3, 8}))
      .graph("level", "input1", kAny,
             [](CaseGraph& g) {
               for (auto& value : g.graph.blocks[0].values) value.shape = Shape{std::int64_t{1} << 31};
             })
      .graph("types", "", kAny, [](CaseGraph& g) { g.graph.blocks[0].values[0].dtype = DType::kFP4E2M1; })
      .graph("inputs", "", kAny,
             [](CaseGraph& g) {
               auto& op = g.graph.blocks[0].operators[0];
               op.inputs.push_back(op.inputs[0]);
             })
      .graph("outputs", "", kAny, [](CaseGraph& g) {
        g.graph.blocks[0].operators[0].outputs.clear();
        g.graph.blocks[0].outputs = g.graph.blocks[0].inputs;
      });
  Trips(all, Op::kCONST_SHAPE).table({}, "level", "output", kAny, [](Case& c) {
    c.data = Tensor(DType::kSHAPE, {17});
    c.outputs[0].second = {17};
  });
  const auto constant = [](Shape shape) {
    return [=](Case& c) {
      c.data = Tensor(kMxint8Blocks[0], shape);
      c.outputs[0].second = shape;
    };
  };
  Trips(all, Op::kCONST).add({1}, 2, kMxint8Blocks, constant({})).add({2}, 3, kMxint8Blocks, constant({2, 20}));
  for (const auto op : {Op::kCONST, Op::kCONST_SHAPE})
    Trips(all, op).graph("1", "values", kAny, [](CaseGraph& g) { g.graph.blocks[0].values[0].data = nullptr; });
  Trips(all, Op::kREVERSE).graph("attribute", "axis", kAny, [](CaseGraph& g) {
    g.graph.blocks[0].operators[0].attributes.clear();
  });
  Trips(all, Op::kMAX_POOL2D).table({}, "rank", "input", kAny, shapes({2, 2, 2}, {}, {2, 2, 2}));
}

}  // namespace macaw::test
