#include <catch2/catch.hpp>

#include <macaw/tosa/resolve_shapes.hpp>
#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

/// y = RESHAPE(x, [DIM(x, 0) * 2, 3]), z = ABS(y)
Graph open_graph() {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT32, {-1, 6});
  const auto rows = b.value("rows", DType::kSHAPE, {1});
  b.add(Op::kDIM, {x}, {rows}).set(Attr::k_axis, std::int64_t{0});
  const auto two = b.constant("two", shape_tensor({2})), three = b.constant("three", shape_tensor({3}));
  const auto doubled = b.value("doubled", DType::kSHAPE, {1}), shape = b.value("shape", DType::kSHAPE, {2});
  b.add(Op::kMUL_SHAPE, {rows, two}, {doubled});
  b.add(Op::kCONCAT_SHAPE, {doubled, three}, {shape});
  const auto y = b.value("y", DType::kINT32, {-1, -1}), z = b.value("z", DType::kINT32, {-1, 3});
  b.add(Op::kRESHAPE, {x, shape}, {y});
  b.add(Op::kABS, {y}, {z});
  b.output(z);
  return b.graph(kVersion1_1);
}

std::string error_of(const std::map<std::string, Shape>& inputs) {
  const auto done = resolve_shapes(open_graph(), inputs);
  return done ? "resolved" : done.error().message;
}

}  // namespace

TEST_CASE("Shapes follow from the inputs', and operators on shapes become constants") {
  const auto resolved = resolve_shapes(open_graph(), {{"x", {4, 6}}});
  INFO((resolved ? std::string() : resolved.error().to_string()));
  REQUIRE(resolved);
  for (const auto& value : resolved->main().values) CHECK(value.is_static());
  CHECK(resolved->main().values[*resolved->main().find_value("z")].shape == Shape{8, 3});
  for (const auto& op : resolved->main().operators) CHECK((since_minor(op.op) == 0));
  const auto read = reread(*resolved, kVersion1_0);
  Tensor x(DType::kINT32, {4, 6});
  std::ranges::fill(x.data<std::int32_t>(), -5);
  const auto result = run(read, {x});
  REQUIRE(result);
  REQUIRE(result->outputs.size() == 1);
  CHECK(result->outputs[0].shape() == Shape{8, 3});
  CHECK(result->outputs[0].data<std::int32_t>()[23] == 5);
}

TEST_CASE("A loop has the shapes of its body's results, not of its condition's") {
  GraphBuilder condition("cond"), body("body"), main;
  static_cast<void>(condition.input("c", DType::kINT32, {-1}));
  condition.output(condition.constant("more", Tensor(DType::kBOOL, {1})));
  const auto n = body.input("n", DType::kINT32, {-1}), twice = body.value("twice", DType::kINT32, {-1});
  body.add(Op::kADD, {n, n}, {twice});
  body.output(twice);
  const auto x = main.input("x", DType::kINT32, {-1}), y = main.value("y", DType::kINT32, {-1});
  auto& loop = main.add(Op::kWHILE_LOOP, {x}, {y});
  loop.set(Attr::k_cond_graph, std::string("cond"));
  loop.set(Attr::k_body_graph, std::string("body"));
  main.output(y);
  const auto resolved = resolve_shapes({kVersion1_1, {main.block, condition.block, body.block}}, {{"x", {4}}});
  INFO((resolved ? std::string() : resolved.error().to_string()));
  REQUIRE(resolved);
  CHECK(resolved->main().values[y].shape == Shape{4});
  CHECK(resolved->find_block("body")->values[twice].shape == Shape{4});
  CHECK(resolved->find_block("cond")->values[0].shape == Shape{4});
}

TEST_CASE("Shapes that do not fit the graph are refused") {
  CHECK(error_of({}) == "no shape is given for input \"x\"");
  CHECK(error_of({{"x", {4, 5}}}) == "\"x\" is declared [-1, 6], not [4, 5]");
  CHECK(error_of({{"x", {4, 6}}, {"w", {1}}}) == "the graph has no input \"w\"; its inputs are: \"x\"");
}

TEST_CASE("Operators on shapes that break a rule are refused") {
  GraphBuilder b;
  const auto two = b.constant("two", shape_tensor({2}));
  const auto sum = b.value("sum", DType::kSHAPE, {1});
  b.add(Op::kADD_SHAPE, {two}, {sum});
  const auto done = resolve_shapes(b.graph(kVersion1_1), {});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kInvalidGraph);
}
