#include <catch2/catch.hpp>
#include <macaw/interruption.hpp>

#include "reference/tosa/op/def.hpp"
#include "reference/tosa/plan.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

Tensor int32s(Shape shape, const std::vector<std::int32_t>& values) {
  return tensor<std::int32_t>(DType::kINT32, std::move(shape), values);
}

/// Runs one operator on int32 inputs; constants come after them.
Tensor apply(Op kind, const std::vector<Tensor>& inputs, const std::vector<Tensor>& constants, Shape shape,
             const std::vector<std::pair<Attr, AttributeValue>>& attributes = {}) {
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    ids.push_back(b.input("in" + std::to_string(i), inputs[i].dtype(), inputs[i].shape()));
  for (std::size_t i = 0; i < constants.size(); ++i) ids.push_back(b.constant("c" + std::to_string(i), constants[i]));
  const auto out = b.value("out", inputs[0].dtype(), std::move(shape));
  b.add(kind, ids, {out}).attributes = attributes;
  b.output(out);
  const auto result = run(b.graph(), inputs);
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  INFO((result->verdict.first() ? result->verdict.first()->to_string() : std::string()));
  REQUIRE(result->verdict.status() == Status::kValid);
  return result->outputs.at(0);
}

const Tensor kSix = int32s({2, 3}, {1, 2, 3, 4, 5, 6});

/// main: IF (flag) THEN x + x ELSE x; body blocks "twice" and "same".
Graph conditional() {
  GraphBuilder twice("twice"), same("same"), main;
  const auto a = twice.input("a", DType::kINT32, {2});
  const auto sum = twice.value("sum", DType::kINT32, {2});
  twice.add(Op::kADD, {a, a}, {sum});
  twice.output(sum);
  same.output(same.input("b", DType::kINT32, {2}));
  const auto flag = main.input("flag", DType::kBOOL, {1});
  const auto x = main.input("x", DType::kINT32, {2});
  const auto y = main.value("y", DType::kINT32, {2});
  auto& op = main.add(Op::kCOND_IF, {flag, x}, {y});
  op.set(Attr::k_then_graph, std::string("twice"));
  op.set(Attr::k_else_graph, std::string("same"));
  main.output(y);
  return {kVersion1_0, {main.block, twice.block, same.block}};
}

}  // namespace

TEST_CASE("a run ends before the operator at which an interruption is wanted") {
  const auto graph = conditional();
  const std::vector<Tensor> inputs = {tensor<bool>(DType::kBOOL, {1}, {true}), int32s({2}, {1, 2})};
  {
    int asked = 0;
    const Interruption never([&] { return ++asked < 0; });
    CHECK(run(graph, inputs));
    CHECK(asked > 0);
    const Interruption wanted([] { return true; });
    const auto ended = run(graph, inputs);
    REQUIRE(!ended);
    CHECK(ended.error().message == "interrupted");
  }
  CHECK(!Interruption::is_possible());
  CHECK(run(graph, inputs));
}

TEST_CASE("Data layout operators") {
  CHECK(apply(Op::kRESHAPE, {kSix}, {shape_tensor({3, 2})}, {3, 2}) == int32s({3, 2}, {1, 2, 3, 4, 5, 6}));
  CHECK(apply(Op::kTRANSPOSE, {kSix}, {}, {3, 2}, {{Attr::k_perms, std::vector<std::int64_t>{1, 0}}}) ==
        int32s({3, 2}, {1, 4, 2, 5, 3, 6}));
  CHECK(apply(Op::kREVERSE, {kSix}, {}, {2, 3}, {{Attr::k_axis, std::int64_t{1}}}) ==
        int32s({2, 3}, {3, 2, 1, 6, 5, 4}));
  CHECK(apply(Op::kREVERSE, {kSix}, {}, {2, 3}, {{Attr::k_axis, std::int64_t{0}}}) ==
        int32s({2, 3}, {4, 5, 6, 1, 2, 3}));
  CHECK(apply(Op::kSLICE, {kSix}, {shape_tensor({1, 1}), shape_tensor({1, 2})}, {1, 2}) == int32s({1, 2}, {5, 6}));
  CHECK(apply(Op::kTILE, {kSix}, {shape_tensor({2, 2})}, {4, 6}) ==
        int32s({4, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  CHECK(apply(Op::kPAD, {kSix}, {shape_tensor({0, 1, 1, 0}), int32s({1}, {9})}, {3, 4}) ==
        int32s({3, 4}, {9, 1, 2, 3, 9, 4, 5, 6, 9, 9, 9, 9}));
  CHECK(apply(Op::kCONCAT, {kSix, int32s({2, 1}, {7, 8})}, {}, {2, 4}, {{Attr::k_axis, std::int64_t{1}}}) ==
        int32s({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
  CHECK(apply(Op::kIDENTITY, {kSix}, {}, {2, 3}) == kSix);
}

TEST_CASE("RESIZE takes scales up to 2048") {
  const auto one = tensor<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, {7});
  const auto resize = [&](std::int64_t n) {
    return apply(Op::kRESIZE, {one}, {shape_tensor({n, n, n, n}), shape_tensor({0, 0}), shape_tensor({0, 0})},
                 {1, 1, 1, 1}, {{Attr::k_mode, static_cast<std::int64_t>(ResizeMode::kNearestNeighbor)}});
  };
  CHECK(resize(2048) == one);
}

TEST_CASE("Transposing three dimensions moves every element to its place") {
  std::vector<std::int32_t> values(24);
  for (int i = 0; i < 24; ++i) values[static_cast<std::size_t>(i)] = i;
  const auto out = apply(Op::kTRANSPOSE, {int32s({2, 3, 4}, values)}, {}, {4, 2, 3},
                         {{Attr::k_perms, std::vector<std::int64_t>{2, 0, 1}}});
  const auto data = out.data<std::int32_t>();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k) REQUIRE(data[static_cast<std::size_t>(i * 6 + j * 3 + k)] == j * 12 + k * 4 + i);
}

TEST_CASE("COND_IF runs one of its graphs") {
  const auto graph = conditional();
  const auto x = int32s({2}, {3, 4});
  const auto yes = run(graph, {tensor<bool>(DType::kBOOL, {1}, {true}), x});
  REQUIRE(yes);
  REQUIRE(yes->outputs.size() == 1);
  CHECK(yes->outputs[0] == int32s({2}, {6, 8}));
  const auto no = run(graph, {tensor<bool>(DType::kBOOL, {1}, {false}), x});
  REQUIRE(no);
  CHECK(no->outputs.at(0) == x);
}

TEST_CASE("A body that does not fit its operator is an ERROR") {
  auto graph = conditional();
  graph.blocks[2].values[0].shape = Shape{3};
  const auto verdict = validate(graph);
  REQUIRE(verdict);
  REQUIRE(verdict->status() == Status::kError);
  CHECK(verdict->first()->rule == "COND_IF.body");
  CHECK(verdict->first()->argument == "else_graph");
}

TEST_CASE("A graph that calls itself stops at the level's nesting") {
  auto graph = conditional();
  auto& body = graph.blocks[1];
  Value flag;
  flag.name = "flag";
  flag.dtype = DType::kBOOL;
  flag.shape = Shape{1};
  flag.data = std::make_shared<const Tensor>(tensor<bool>(DType::kBOOL, {1}, {true}));
  body.values.push_back(flag);
  Operator constant;
  constant.op = Op::kCONST;
  constant.outputs = {2};
  Operator call = graph.blocks[0].operators[0];
  call.inputs = {2, 0};
  call.outputs = {1};
  body.operators = {constant, call};
  for (const auto& level : {kLevel8K, kLevelNone}) {
    Options options;
    options.level = level;
    const auto result = run(graph, {tensor<bool>(DType::kBOOL, {1}, {true}), int32s({2}, {3, 4})}, options);
    REQUIRE(result);
    REQUIRE(result->verdict.status() == Status::kError);
    CHECK(result->verdict.first()->rule == "nesting");
    CHECK(result->outputs.empty());
  }
}

TEST_CASE("Graphs may be nested as deep as the level says") {
  auto graph = conditional();
  const auto deepest = kLevel8K.max_nesting;
  const auto last = graph.blocks[1];
  const auto caller = graph.blocks[0].operators[0];
  const auto name = [](std::int64_t depth) { return "level" + std::to_string(depth); };
  for (std::int64_t depth = 1; depth < deepest; ++depth) {
    auto block = last;
    block.name = name(depth);
    Value flag;
    flag.name = "flag";
    flag.dtype = DType::kBOOL;
    flag.shape = Shape{1};
    flag.data = std::make_shared<const Tensor>(tensor<bool>(DType::kBOOL, {1}, {true}));
    block.values.push_back(flag);
    Operator constant;
    constant.op = Op::kCONST;
    constant.outputs = {2};
    auto call = caller;
    call.inputs = {2, 0};
    call.outputs = {1};
    if (depth + 1 < deepest) call.set(Attr::k_then_graph, name(depth + 1));
    block.operators = {constant, call};
    graph.blocks.push_back(block);
  }
  graph.blocks[0].operators[0].set(Attr::k_then_graph, name(1));
  Options options;
  options.level = kLevel8K;
  const auto result = run(graph, {tensor<bool>(DType::kBOOL, {1}, {true}), int32s({2}, {3, 4})}, options);
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kValid);
  CHECK(result->outputs.at(0) == int32s({2}, {6, 8}));
}

TEST_CASE("An input has the extents that the graph states") {
  const auto graph = conditional();
  const auto flag = tensor<bool>(DType::kBOOL, {1}, {true});
  for (const auto& x : {int32s({1}, {3}), int32s({3}, {3, 4, 5})}) CHECK_FALSE(run(graph, {flag, x}));
}

TEST_CASE("A run stops at its work, that of bodies counted") {
  const auto runs = [](std::int64_t most) {
    Options options;
    options.max_work = most;
    return run(conditional(), {tensor<bool>(DType::kBOOL, {1}, {true}), int32s({2}, {3, 4})}, options).has_value();
  };
  // COND_IF, its body and ADD, of two elements each; COND_IF has the tensor and the body, which has two tensors, gets
  // it.
  constexpr std::int64_t kWork = 3 * ((1 << 19) + 2 * 16) + 2 * (1 << 14);
  CHECK(runs(kWork));
  CHECK_FALSE(runs(kWork - 1));
}

TEST_CASE("Any byte but 0 is the boolean 1") {
  GraphBuilder main;
  const auto x = main.input("x", DType::kBOOL, {3});
  const auto y = main.value("y", DType::kBOOL, {3});
  main.add(Op::kIDENTITY, {x}, {y});
  main.output(y);
  Tensor bytes(DType::kBOOL, {3});
  bytes.bytes()[1] = std::byte{255};
  bytes.bytes()[2] = std::byte{2};
  const auto result = run(main.graph(), {bytes});
  REQUIRE(result);
  CHECK(result->outputs.at(0) == tensor<bool>(DType::kBOOL, {3}, {false, true, true}));
}

TEST_CASE("An open extent of a body contradicts no known one") {
  for (const std::size_t block : {1u, 2u}) {
    auto graph = conditional();
    graph.blocks[block].values[0].shape = Shape{-1};
    const auto verdict = validate(graph);
    REQUIRE(verdict);
    for (const auto& finding : verdict->findings) CHECK(finding.rule != "COND_IF.body");
    auto open = conditional();
    open.blocks[0].values[1].shape = Shape{-1};
    const auto other = validate(open);
    REQUIRE(other);
    for (const auto& finding : other->findings) CHECK(finding.rule != "COND_IF.body");
  }
}

TEST_CASE("WHILE_LOOP runs its body for as long as the condition holds") {
  GraphBuilder condition("cond"), body("body"), main;
  const auto limit = condition.constant("limit", int32s({1}, {100}));
  const auto c = condition.input("c", DType::kINT32, {1});
  const auto more = condition.value("more", DType::kBOOL, {1});
  condition.add(Op::kGREATER, {limit, c}, {more});
  condition.output(more);
  const auto n = body.input("n", DType::kINT32, {1});
  const auto twice = body.value("twice", DType::kINT32, {1});
  body.add(Op::kADD, {n, n}, {twice});
  body.output(twice);
  const auto x = main.input("x", DType::kINT32, {1});
  const auto y = main.value("y", DType::kINT32, {1});
  auto& loop = main.add(Op::kWHILE_LOOP, {x}, {y});
  loop.set(Attr::k_cond_graph, std::string("cond"));
  loop.set(Attr::k_body_graph, std::string("body"));
  main.output(y);
  const Graph graph{kVersion1_0, {main.block, condition.block, body.block}};
  const auto result = run(graph, {int32s({1}, {3})});
  REQUIRE(result);
  CHECK(result->outputs.at(0) == int32s({1}, {192}));
  Options options;
  options.max_work = std::int64_t{1} << 27;
  const auto endless = run(graph, {int32s({1}, {0})}, options);
  REQUIRE_FALSE(endless);
  CHECK(endless.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("A condition whose shape only the run tells is one bool then as well") {
  for (const std::int64_t size : {1, 2}) {
    GraphBuilder condition("cond"), body("body"), main;
    const auto limit = condition.constant("limit", int32s({1}, {0}));
    const auto more = condition.value("more", DType::kBOOL, {size});
    condition.block.values[more].shape.reset();
    condition.add(Op::kGREATER, {limit, condition.input("c", DType::kINT32, {size})}, {more});
    condition.output(more);
    body.output(body.input("n", DType::kINT32, {size}));
    const auto x = main.input("x", DType::kINT32, {size}), y = main.value("y", DType::kINT32, {size});
    auto& loop = main.add(Op::kWHILE_LOOP, {x}, {y});
    loop.set(Attr::k_cond_graph, std::string("cond"));
    loop.set(Attr::k_body_graph, std::string("body"));
    main.output(y);
    const auto done =
        run(Graph{kVersion1_0, {main.block, condition.block, body.block}}, {Tensor(DType::kINT32, {size})});
    CHECK(done.has_value() == (size == 1));
    if (!done) CHECK_THAT(done.error().message, Catch::Contains("a single bool"));
  }
}

TEST_CASE("A loop without operators ends as well") {
  GraphBuilder condition("cond"), body("body"), main;
  condition.output(condition.input("c", DType::kBOOL, {1}));
  body.output(body.input("b", DType::kBOOL, {1}));
  const auto x = main.input("x", DType::kBOOL, {1}), y = main.value("y", DType::kBOOL, {1});
  auto& loop = main.add(Op::kWHILE_LOOP, {x}, {y});
  loop.set(Attr::k_cond_graph, std::string("cond"));
  loop.set(Attr::k_body_graph, std::string("body"));
  main.output(y);
  const Graph graph{kVersion1_0, {main.block, condition.block, body.block}};
  Options options;
  options.max_work = std::int64_t{1} << 27;
  CHECK(run(graph, {tensor<bool>(DType::kBOOL, {1}, {false})}, options).has_value());
  const auto endless = run(graph, {tensor<bool>(DType::kBOOL, {1}, {true})}, options);
  REQUIRE_FALSE(endless);
  CHECK(endless.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(endless.error().message, Catch::Contains("134217728 multiply-accumulates"));
}

TEST_CASE("An unpredictable operator is named with its rule") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT32, {1});
  const auto y = b.value("y", DType::kINT32, {1});
  b.add(Op::kADD, {x, x}, {y});
  b.output(y);
  const auto result = run(b.graph(), {int32s({1}, {INT32_MAX})});
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kUnpredictable);
  CHECK(result->verdict.first()->place == "operator 0 (ADD)");
}

TEST_CASE("Inputs that do not fit are a wrong call, not a verdict") {
  const auto graph = sample_graph();
  const auto none = run(graph, {});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kMismatch);
  const auto wrong = run(graph, {kSix});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "input \"x\" must be INT8, not INT32");
}

TEST_CASE("Open shapes are settled by the inputs") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT32, {-1, 3});
  const auto y = b.value("y", DType::kINT32, {});
  b.block.values[y].shape.reset();
  b.add(Op::kTRANSPOSE, {x}, {y}).set(Attr::k_perms, std::vector<std::int64_t>{1, 0});
  b.output(y);
  const auto result = run(b.graph(), {kSix});
  REQUIRE(result);
  CHECK(result->outputs.at(0) == int32s({3, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST_CASE("Every tensor of the main block can be seen") {
  Options options;
  options.keep_intermediates = true;
  std::vector<std::string> names;
  options.on_tensor = [&](const Value& value, const Tensor&) { names.push_back(value.name); };
  const auto result = run(sample_graph(), {sample_input()}, options);
  REQUIRE(result);
  CHECK(names.back() == "y");
  CHECK(result->intermediates.at("acc").shape() == Shape{1, 6, 6, 3});
  CHECK(result->intermediates.size() == names.size());
}

TEST_CASE("A tensor is freed after its last reader") {
  const auto graph = sample_graph();
  const auto& block = graph.main();
  const auto plan = make_plan(block);
  REQUIRE(plan.free_after.size() == block.operators.size());
  std::vector<int> freed(block.values.size());
  for (std::size_t i = 0; i < plan.free_after.size(); ++i)
    for (const auto id : plan.free_after[i]) {
      ++freed[id];
      for (std::size_t later = i + 1; later < block.operators.size(); ++later)
        CHECK(std::ranges::find(block.operators[later].inputs, id) == block.operators[later].inputs.end());
    }
  for (const auto id : block.outputs) CHECK(freed[id] == 0);
  CHECK(std::ranges::count(freed, 1) + static_cast<std::ptrdiff_t>(block.outputs.size()) ==
        static_cast<std::ptrdiff_t>(freed.size()));
}
