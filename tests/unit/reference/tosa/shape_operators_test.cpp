#include <random>

#include "tests/unit/reference/tosa/run_operator.hpp"

// The shape operators from the pseudo-code of the specification, against loops written here.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using Extents = std::vector<std::int64_t>;

std::string verdict(Op op, const std::vector<Extents>& inputs, std::int64_t length, const Options& options = {}) {
  std::vector<Tensor> tensors;
  for (const auto& input : inputs) tensors.push_back(shape_tensor(input));
  return run_on_constants(op, std::move(tensors), {DType::kSHAPE, {length}}, {}, options).verdict;
}

Extents result(Op op, const std::vector<Extents>& inputs, std::int64_t length) {
  std::vector<Tensor> tensors;
  for (const auto& input : inputs) tensors.push_back(shape_tensor(input));
  const auto run = run_on_constants(op, std::move(tensors), {DType::kSHAPE, {length}});
  INFO(to_string(op));
  REQUIRE(run.verdict == "valid");
  const auto data = run.output.data<std::int64_t>();
  return {data.begin(), data.end()};
}

Extents some(std::mt19937& random, std::size_t length, std::int64_t low, std::int64_t high) {
  Extents values(length);
  for (auto& value : values) value = std::uniform_int_distribution<std::int64_t>(low, high)(random);
  return values;
}

std::int64_t naive(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::kADD_SHAPE: return a + b;
    case Op::kSUB_SHAPE: return a - b;
    case Op::kMUL_SHAPE: return a * b;
    case Op::kMAX_SHAPE: return a > b ? a : b;
    case Op::kMIN_SHAPE: return a < b ? a : b;
    case Op::kDIV_FLOOR_SHAPE:
    case Op::kDIV_CEIL_SHAPE:
    case Op::kMOD_SHAPE: {
      std::int64_t quotient = 0, rest = a;  // by subtraction
      while (rest >= b) rest -= b, ++quotient;
      if (op == Op::kMOD_SHAPE) return rest;
      return quotient + (op == Op::kDIV_CEIL_SHAPE && rest > 0);
    }
    default: FAIL(); return 0;
  }
}

constexpr Op kSigned[] = {Op::kADD_SHAPE, Op::kSUB_SHAPE, Op::kMUL_SHAPE, Op::kMAX_SHAPE, Op::kMIN_SHAPE};
constexpr Op kDivisions[] = {Op::kDIV_FLOOR_SHAPE, Op::kDIV_CEIL_SHAPE, Op::kMOD_SHAPE};

}  // namespace

TEST_CASE("Shape arithmetic on pairs") {
  std::mt19937 random(1);
  const auto compare = [&](Op op, std::int64_t low1, std::int64_t low2) {
    for (const std::size_t length : {1u, 3u, 16u}) {
      const auto a = some(random, length, low1, 1000), b = some(random, length, low2, 40);
      Extents expected;
      for (std::size_t i = 0; i < length; ++i) expected.push_back(naive(op, a[i], b[i]));
      CHECK(result(op, {a, b}, static_cast<std::int64_t>(length)) == expected);
    }
  };
  for (const auto op : kSigned) compare(op, -1000, -40);
  for (const auto op : kDivisions) compare(op, 0, 1);
}

TEST_CASE("Rules of shape arithmetic on pairs") {
  for (const auto op : kSigned) CHECK(verdict(op, {{1, 2}, {1}}, 2) == "ERROR " + std::string(to_string(op)) + ".1");
  for (const auto op : kDivisions) {
    const std::string name(to_string(op));
    CHECK(verdict(op, {{1, 2}, {1}}, 2) == "ERROR " + name + ".1");
    CHECK(verdict(op, {{-1}, {1}}, 1) == "UNPREDICTABLE " + name + ".2");
    CHECK(verdict(op, {{1}, {0}}, 1) == "UNPREDICTABLE " + name + ".3");
  }
  // tensor_size_t holds 32 bits at level 8K and 64 without a level.
  const std::int64_t top = (std::int64_t{1} << 31) - 1;
  Options none;
  none.level = kLevelNone;
  CHECK(verdict(Op::kADD_SHAPE, {{top}, {0}}, 1) == "valid");
  CHECK(verdict(Op::kADD_SHAPE, {{top}, {1}}, 1) == "UNPREDICTABLE ADD_SHAPE.2");
  CHECK(verdict(Op::kADD_SHAPE, {{top}, {1}}, 1, none) == "valid");
  CHECK(verdict(Op::kSUB_SHAPE, {{-top}, {1}}, 1) == "valid");
  CHECK(verdict(Op::kSUB_SHAPE, {{-top}, {2}}, 1) == "UNPREDICTABLE SUB_SHAPE.2");
  CHECK(verdict(Op::kMUL_SHAPE, {{1 << 16}, {1 << 15}}, 1) == "UNPREDICTABLE MUL_SHAPE.2");
  CHECK(verdict(Op::kMUL_SHAPE, {{std::int64_t{1} << 62}, {2}}, 1, none) == "UNPREDICTABLE MUL_SHAPE.2");
  CHECK(verdict(Op::kADD_SHAPE, {Extents(17, 1), Extents(17, 1)}, 17) == "ERROR CONST_SHAPE.level");
  CHECK(verdict(Op::kCONCAT_SHAPE, {Extents(8, 1), Extents(9, 1)}, 17) == "ERROR CONCAT_SHAPE.level");
  CHECK(verdict(Op::kADD_SHAPE, {Extents(17, 1), Extents(17, 1)}, 17, none) == "valid");
}

TEST_CASE("Powers and logarithms of shapes") {
  for (std::int64_t e = 0; e < 31; ++e) CHECK(result(Op::kEXP2_SHAPE, {{e, 0}}, 2) == Extents{std::int64_t{1} << e, 1});
  CHECK(verdict(Op::kEXP2_SHAPE, {{-1}}, 1) == "UNPREDICTABLE EXP2_SHAPE.1");
  CHECK(verdict(Op::kEXP2_SHAPE, {{31}}, 1) == "UNPREDICTABLE EXP2_SHAPE.2");
  for (std::int64_t value = 1; value < 300; ++value) {
    std::int64_t floor = 0, ceil = 0;
    while ((std::int64_t{1} << (floor + 1)) <= value) ++floor;
    while ((std::int64_t{1} << ceil) < value) ++ceil;
    CHECK(result(Op::kLOG2_FLOOR_SHAPE, {{value}}, 1) == Extents{floor});
    CHECK(result(Op::kLOG2_CEIL_SHAPE, {{value}}, 1) == Extents{ceil});
  }
  CHECK(verdict(Op::kLOG2_FLOOR_SHAPE, {{0}}, 1) == "UNPREDICTABLE LOG2_FLOOR_SHAPE.1");
  CHECK(verdict(Op::kLOG2_CEIL_SHAPE, {{1, -4}}, 2) == "UNPREDICTABLE LOG2_CEIL_SHAPE.1");
}

TEST_CASE("CONCAT_SHAPE and SLICE_SHAPE") {
  CHECK(result(Op::kCONCAT_SHAPE, {{1, 2}, {3}, {4, 5, 6}}, 6) == Extents{1, 2, 3, 4, 5, 6});
  CHECK(verdict(Op::kCONCAT_SHAPE, {}, 0) == "ERROR CONCAT_SHAPE.1");
  CHECK(verdict(Op::kCONCAT_SHAPE, {{1, 2}, {3}}, 2) == "ERROR CONCAT_SHAPE.2");
  CHECK(verdict(Op::kCONCAT_SHAPE, {{1, 2}, {}}, 2) == "ERROR CONCAT_SHAPE.3");

  const auto slice = [](const Extents& in, std::int32_t start, std::int32_t size, std::int64_t length) {
    return run_on_constants(Op::kSLICE_SHAPE,
                            {shape_tensor(in), tensor<std::int32_t>(DType::kINT32, {1}, {start}),
                             tensor<std::int32_t>(DType::kINT32, {1}, {size})},
                            {DType::kSHAPE, {length}});
  };
  const Extents in{10, 20, 30, 40};
  for (std::int32_t start = 0; start < 4; ++start)
    for (std::int32_t size = 1; start + size <= 4; ++size)
      CHECK(slice(in, start, size, size).output ==
            shape_tensor(Extents(in.begin() + start, in.begin() + start + size)));
  CHECK(slice(in, 0, 0, 1).verdict == "ERROR SLICE_SHAPE.1");
  CHECK(slice(in, -1, 1, 1).verdict == "ERROR SLICE_SHAPE.2");
  CHECK(slice(in, 3, 2, 2).verdict == "ERROR SLICE_SHAPE.3");
  CHECK(slice(in, 2147483647, 2147483647, 1).verdict == "ERROR SLICE_SHAPE.3");
  CHECK(slice(in, 0, 2, 3).verdict == "ERROR SLICE_SHAPE.4");
}

TEST_CASE("ASSERT_EQUAL_SHAPE") {
  const auto verdict = [](const Extents& a, const Extents& b, bool broadcast) {
    GraphBuilder g;
    g.add(Op::kASSERT_EQUAL_SHAPE, {g.constant("a", shape_tensor(a)), g.constant("b", shape_tensor(b))}, {})
        .set(Attr::k_allow_broadcast, std::int64_t{broadcast});
    const auto found = validate(g.graph(kVersion1_1));
    REQUIRE(found);
    return found->first() ? found->first()->rule : std::string("valid");
  };
  CHECK(verdict({2, 3}, {2, 3}, false) == "valid");
  CHECK(verdict({2, 3}, {2}, false) == "ASSERT_EQUAL_SHAPE.1");
  CHECK(verdict({2, 3}, {2, 1}, true) == "valid");
  CHECK(verdict({1, 3}, {2, 3}, true) == "valid");
  CHECK(verdict({2, 3}, {2, 4}, true) == "ASSERT_EQUAL_SHAPE.2");
  CHECK(verdict({2, 3}, {2, 1}, false) == "ASSERT_EQUAL_SHAPE.3");
}

TEST_CASE("DIM gives an extent, and shapes computed from it are known before the run") {
  // RESHAPE of [2, 6] to [DIM(x, 0) * 2, DIM(x, 1) / 2].
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {2, 6});
  const auto dim = [&](std::int64_t axis) {
    const auto id = b.value("dim" + std::to_string(axis), DType::kSHAPE, {1});
    b.add(Op::kDIM, {x}, {id}).set(Attr::k_axis, axis);
    return id;
  };
  const auto height = dim(0), width = dim(1);
  const auto two = b.constant("two", shape_tensor({2}));
  const auto more = b.value("more", DType::kSHAPE, {1}), less = b.value("less", DType::kSHAPE, {1});
  b.add(Op::kMUL_SHAPE, {height, two}, {more});
  b.add(Op::kDIV_FLOOR_SHAPE, {width, two}, {less});
  const auto shape = b.value("shape", DType::kSHAPE, {2});
  b.add(Op::kCONCAT_SHAPE, {more, less}, {shape});
  const auto y = b.value("y", DType::kINT8, {4, 3});
  b.add(Op::kRESHAPE, {x, shape}, {y});
  b.output(y);
  auto graph = b.graph(kVersion1_1);
  Options without_dynamic;
  without_dynamic.profiles &= ~mask(Profile::kExtDynamic);
  CHECK(validate(graph, without_dynamic)->status() == Status::kValid);
  const auto result = run(graph, {tensor<std::int8_t>(DType::kINT8, {2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})});
  REQUIRE(result);
  REQUIRE(result->outputs.size() == 1);
  CHECK(result->outputs[0].shape() == Shape{4, 3});

  graph.blocks[0].values[y].shape = Shape{3, 4};
  CHECK(validate(graph)->first()->rule == "RESHAPE.6");
  graph.blocks[0].operators[0].set(Attr::k_axis, std::int64_t{2});
  CHECK(validate(graph)->first()->rule == "DIM.1");
  graph.blocks[0].operators[0].set(Attr::k_axis, std::int64_t{-1});
  CHECK(validate(graph)->first()->rule == "DIM.2");
}
