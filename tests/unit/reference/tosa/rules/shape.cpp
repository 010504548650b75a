#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

const Types kFp4Blocks{DType::kBS32_FP8UE8M0_FP4E2M1};
using Extents = std::vector<std::int64_t>;

Tensor extents_tensor(const Extents& values) {
  Tensor tensor(DType::kSHAPE, {std::ssize(values)});
  std::copy(values.begin(), values.end(), tensor.data<std::int64_t>().begin());
  return tensor;
}

/// The first operands as these shapes.
Edit operands(std::vector<Extents> shapes) {
  return [=](Case& c) {
    for (std::size_t i = 0; i < shapes.size(); ++i) c.inputs[i] = extents_tensor(shapes[i]);
    if (!c.outputs.empty()) c.outputs[0].second = {std::ssize(shapes[0])};
  };
}

/// Results of 2^31 and more, or below -2^31, are beyond level 8K's tensor_size_t.
constexpr std::int64_t kHalf = std::int64_t{1} << 30;

void arithmetic(std::vector<Trip>& all) {
  for (const auto op : {Op::kADD_SHAPE, Op::kSUB_SHAPE, Op::kMUL_SHAPE, Op::kMAX_SHAPE, Op::kMIN_SHAPE,
                        Op::kDIV_CEIL_SHAPE, Op::kDIV_FLOOR_SHAPE, Op::kMOD_SHAPE})
    Trips(all, op).add({1}, 1, kAny, operands({{1, 2}, {1}}));
  Trips(all, Op::kADD_SHAPE).add("arithmetic_helpers:1", 2, kAny, operands({{kHalf}, {kHalf}}));
  Trips(all, Op::kSUB_SHAPE).add("arithmetic_helpers:12", 2, kAny, operands({{-2 * kHalf}, {1}}));
  Trips(all, Op::kMUL_SHAPE).add({}, 2, kAny, operands({{kHalf}, {2}}));
  for (const auto op : {Op::kDIV_CEIL_SHAPE, Op::kDIV_FLOOR_SHAPE, Op::kMOD_SHAPE})
    Trips(all, op).add({2}, 2, kAny, operands({{-1}, {1}})).add({3}, 3, kAny, operands({{1}, {0}}));
  Trips(all, Op::kEXP2_SHAPE).add({1}, 1, kAny, operands({{-1}})).add({2}, 2, kAny, operands({{31}}));
  Trips(all, Op::kLOG2_CEIL_SHAPE).add({1}, 1, kAny, operands({{0}}));
  Trips(all, Op::kLOG2_FLOOR_SHAPE).add({1}, 1, kAny, operands({{0}}));
}

Edit slice(std::int64_t start, std::int64_t size, std::int64_t out) {
  return [=](Case& c) {
    c.inputs = {extents_tensor({1, 2, 3, 4}), filled(DType::kINT32, {1}, start), filled(DType::kINT32, {1}, size)};
    c.outputs[0].second = {out};
  };
}

Edit compared(const Extents& a, const Extents& b, bool broadcast) {
  return [=](Case& c) {
    c.inputs = {extents_tensor(a), extents_tensor(b)};
    c.op.set(Attr::k_allow_broadcast, std::int64_t{broadcast});
  };
}

void structure(std::vector<Trip>& all) {
  Trips(all, Op::kCONCAT_SHAPE)
      .add({1}, 1, kAny,
           [](Case& c) {
             c.inputs.clear();
             c.outputs[0].second = {0};
           })
      .add({2}, 2, kAny, grow_output(0))
      .add({3}, 3, kAny, [](Case& c) {
        c.inputs = {extents_tensor({1}), extents_tensor({})};
        c.outputs[0].second = {1};
      });
  Trips(all, Op::kSLICE_SHAPE)
      .add({1}, 1, kAny, slice(0, 0, 1))
      .add({2}, 2, kAny, slice(-1, 1, 1))
      .add({3}, 3, kAny, slice(2, 3, 3))
      .add({}, 4, kAny, slice(0, 2, 3));
  Trips(all, Op::kDIM)
      .add({1}, 1, kAny, set_attribute(Attr::k_axis, 6))
      .add({2}, 2, kAny, set_attribute(Attr::k_axis, -1))
      .table({4}, "rank", "input1", kFp4Blocks, shape_input(0, {}))
      .add({5}, 4, kFp4Blocks, [](Case& c) {
        shape_input(0, {40})(c);
        c.op.set(Attr::k_axis, std::int64_t{0});
      });
  Trips(all, Op::kASSERT_EQUAL_SHAPE)
      .add({1}, 1, kAny, compared({1, 2}, {1}, false))
      .add({2}, 2, kAny, compared({3, 2}, {2, 2}, true))
      .add({3}, 3, kAny, compared({1, 2}, {2, 2}, false));
}

void row_gather_shape(std::vector<Trip>& all) {
  Trips(all, Op::kROW_GATHER)
      .add({1}, 1, kAny, fill_input(2, 0))
      .add({2}, 2, kFp4Blocks,
           [](Case& c) {
             shape_input(0, {1, 3, 48})(c);
             shape_input(1, {1, 2})(c);
             fill_input(2, 1)(c);
             c.outputs[0].second = {1, 2, 48};
           })
      .add({3}, 3, kAny, fill_input(1, -1))
      .add({3}, 3, kAny, fill_input(1, 1000))
      .add({}, 4, kAny, grow_output(1))
      .table({}, "shape", "output", kAny, grow_output(0));
}

/// The rules of the plain pools, on parameters that are inputs from `first` on.
void pool(std::vector<Trip>& all, Op op, std::size_t first, int zero_points) {
  const int rule = 3 + zero_points;
  const auto item = [](std::size_t input, std::size_t i, std::int64_t value) {
    return [=](Case& c) { c.inputs[input].data<std::int64_t>()[i] = value; };
  };
  Trips(all, op)
      .add({}, 1, kAny, item(first, 0, 8193))
      .add({}, 2, kAny, item(first + 1, 0, 8193))
      .add({}, 3, kAny, item(first + 2, 0, 8193))
      .add({}, rule + 1, kAny, item(first, 1, 0))
      .add({}, rule + 2, kAny, item(first + 1, 1, 0))
      .add({}, rule + 3, kAny, item(first + 2, 3, -1))
      .add({}, rule + 4, kAny, item(first + 2, 3, 50))
      .add({}, rule + 5, kAny, item(first + 2, 0, 50))
      .add({}, rule + 6, kAny, grow_output(1))
      .add({}, rule + 7, kAny, grow_output(2));
}

void adaptive_average(std::vector<Trip>& all) {
  const Types int16{DType::kINT16};
  pool(all, Op::kAVG_POOL2D_ADAPTIVE, 3, 2);
  Trips(all, Op::kAVG_POOL2D_ADAPTIVE)
      .add({}, 4, int16, fill_input(1, 1))
      .add({}, 5, int16, fill_input(2, 1))
      .add({}, 13, int16, [](Case& c) {
        constexpr std::int64_t kExtent = 257;  // 257 * 257 * -32768 is below -2^31
        c.inputs[0] = filled(DType::kINT16, {1, kExtent, kExtent, 1}, -32768);
        c.inputs[3] = extents_tensor({kExtent, kExtent});
        c.inputs[4] = extents_tensor({1, 1});
        c.inputs[5] = extents_tensor({0, 0, 0, 0});
        c.outputs[0].second = {1, 1, 1, 1};
      });
}

tosa::Operator named(Op op, const char* name) {
  tosa::Operator node;
  node.op = op;
  node.set(Attr::k_name, std::string(name));
  return node;
}

/// Declares a variable, writes the input to it and reads it.
CaseGraph variables() {
  CaseGraph made;
  auto& main = made.graph.blocks[0];
  for (const char* name : {"x", "v.declared", "y"})
    main.values.push_back({name, DType::kFP32, Shape{2}, nullptr, false, ""});
  main.values[1].variable = true;
  main.values[1].variable_name = "v";
  main.inputs = {0};
  main.outputs = {2};
  main.operators = {named(Op::kVARIABLE, "v"), named(Op::kVARIABLE_WRITE, "v"), named(Op::kVARIABLE_READ, "v")};
  main.operators[0].outputs = {1};
  main.operators[1].inputs = {0};
  main.operators[2].outputs = {2};
  made.inputs = {Tensor(DType::kFP32, {2})};
  return made;
}

void variable_trips(std::vector<Trip>& all) {
  const auto unpredictable = [&all] { all.back().status = tosa::Status::kUnpredictable; };
  const auto trip = [&](Op op, int statement, const char* rule, const char* argument,
                        std::function<void(CaseGraph&)> edit) {
    Trips(all, op, variables).graph({statement}, rule, argument, std::move(edit));
    unpredictable();
  };
  const auto rename = [](std::size_t i) {
    return [=](CaseGraph& g) { g.graph.blocks[0].operators[i].set(Attr::k_name, std::string("w")); };
  };
  const auto retype = [](std::size_t value, DType dtype, Shape shape) {
    return [=](CaseGraph& g) {
      auto& v = g.graph.blocks[0].values[value];
      v.dtype = dtype;
      v.shape = shape;
      if (value == 0) g.inputs = {Tensor(dtype, shape)};
    };
  };
  trip(Op::kVARIABLE_WRITE, 1, "VARIABLE_WRITE.1", "name", rename(1));
  trip(Op::kVARIABLE_WRITE, 3, "VARIABLE_WRITE.3", "input1", retype(0, DType::kFP32, {3}));
  trip(Op::kVARIABLE_WRITE, 4, "VARIABLE_WRITE.4", "input1", retype(0, DType::kFP16, {2}));
  trip(Op::kVARIABLE_READ, 1, "VARIABLE_READ.1", "name", rename(2));
  trip(Op::kVARIABLE_READ, 2, "VARIABLE_READ.2", "name", [](CaseGraph& g) {
    auto& operators = g.graph.blocks[0].operators;
    operators.erase(operators.begin() + 1);
  });
  trip(Op::kVARIABLE_READ, 3, "VARIABLE_READ.3", "output1", retype(2, DType::kFP32, {3}));
  trip(Op::kVARIABLE_READ, 4, "VARIABLE_READ.4", "output1", retype(2, DType::kFP16, {2}));
  trip(Op::kVARIABLE, 3, "VARIABLE.1", "name", [](CaseGraph& g) {
    auto& main = g.graph.blocks[0];
    main.values.push_back(main.values[1]);
    main.values.back().name = "again";
    auto again = main.operators[0];
    again.outputs = {3};
    main.operators.insert(main.operators.begin() + 1, again);
  });
}

}  // namespace

void add_shape_trips(std::vector<Trip>& all) {
  arithmetic(all);
  structure(all);
  row_gather_shape(all);
  pool(all, Op::kMAX_POOL2D_ADAPTIVE, 1, 0);
  adaptive_average(all);
  variable_trips(all);
}

}  // namespace macaw::test
