#include <algorithm>

#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

Tensor int8s(const std::vector<std::int8_t>& values) {
  return tensor<std::int8_t>(DType::kINT8, {static_cast<std::int64_t>(values.size())}, values);
}

ValueId declare(GraphBuilder& b, const std::string& name, const std::vector<std::int8_t>& initial, Shape shape = {2}) {
  const auto id = b.value(name + ".tensor", DType::kINT8, std::move(shape));
  auto& value = b.block.values[id];
  value.variable = true;
  value.variable_name = name;
  if (!initial.empty()) value.data = std::make_shared<const Tensor>(int8s(initial));
  b.add(Op::kVARIABLE, {}, {id}).set(Attr::k_name, name);
  return id;
}
ValueId read(GraphBuilder& b, const std::string& name, const std::string& to, Shape shape = {2},
             DType dtype = DType::kINT8) {
  const auto id = b.value(to, dtype, std::move(shape));
  b.add(Op::kVARIABLE_READ, {}, {id}).set(Attr::k_name, name);
  return id;
}
void write(GraphBuilder& b, const std::string& name, ValueId from) {
  b.add(Op::kVARIABLE_WRITE, {from}, {}).set(Attr::k_name, name);
}

/// y = old contents; contents = contents | x.
Graph gathered_bits(const std::vector<std::int8_t>& initial) {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {2});
  declare(b, "state", initial);
  const auto y = read(b, "state", "y");
  const auto sum = b.value("sum", DType::kINT8, {2});
  b.add(Op::kBITWISE_OR, {x, y}, {sum});
  write(b, "state", sum);
  b.output(y);
  return b.graph();
}

std::string verdict(const Graph& graph, std::map<std::string, Tensor> variables = {}) {
  Options options;
  options.variables = std::move(variables);
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs)
    inputs.emplace_back(graph.main().values[id].dtype, *graph.main().values[id].shape);
  const auto result = run(graph, std::move(inputs), options);
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  const auto* first = result->verdict.first();
  return first ? std::string(to_string(first->status)) + ": " + first->text : "valid";
}

}  // namespace

TEST_CASE("Variables keep their contents from run to run") {
  Interpreter interpreter(gathered_bits({1, 2}));
  const auto step = [&](const std::vector<std::int8_t>& x) {
    const auto result = interpreter.run({int8s(x)});
    REQUIRE(result);
    REQUIRE(result->verdict.status() == Status::kValid);
    return result->outputs[0];
  };
  CHECK(step({4, 4}) == int8s({1, 2}));
  CHECK(step({8, 0}) == int8s({5, 6}));
  CHECK(step({0, 0}) == int8s({13, 6}));
  CHECK(interpreter.variables().at("state") == int8s({13, 6}));

  // Two runs that know nothing of each other start from the initial value.
  for (int i = 0; i < 2; ++i) CHECK(run(gathered_bits({1, 2}), {int8s({4, 4})})->outputs[0] == int8s({1, 2}));
}

TEST_CASE("Contents of variables can be given from outside") {
  Options options;
  options.variables.emplace("state", int8s({7, 8}));
  CHECK(run(gathered_bits({}), {int8s({0, 0})}, options)->outputs[0] == int8s({7, 8}));
  options.variables.at("state") = int8s({1, 2, 3});
  const auto wrong = run(gathered_bits({}), {int8s({0, 0})}, options);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::kMismatch);
}

TEST_CASE("Rules of variables") {
  GraphBuilder b;
  SECTION("read before anything was written") {
    declare(b, "v", {});
    b.output(read(b, "v", "y"));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the variable must have been written");
    CHECK(verdict(b.graph(), {{"v", int8s({1, 2})}}) == "valid");
  }
  SECTION("read of no variable") {
    b.output(read(b, "v", "y"));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the variable must be declared");
  }
  SECTION("read into another shape") {
    declare(b, "v", {1, 2});
    b.output(read(b, "v", "y", {1, 2}));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the shape must be that of the variable");
  }
  SECTION("read into another type") {
    declare(b, "v", {1, 2});
    b.output(read(b, "v", "y", {2}, DType::kFP16));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the type must be that of the variable");
  }
  SECTION("write to no variable") {
    write(b, "v", b.input("x", DType::kINT8, {2}));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the variable must be declared");
  }
  SECTION("write to a variable of an earlier run that this one does not declare") {
    write(b, "v", b.input("x", DType::kINT8, {2}));
    CHECK(verdict(b.graph(), {{"v", int8s({1, 2})}}) ==
          "UNPREDICTABLE: the variable must be declared before it is written");
  }
  SECTION("write of another shape") {
    declare(b, "v", {1, 2});
    write(b, "v", b.input("x", DType::kINT8, {2, 1}));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the shape must be that of the variable");
  }
  SECTION("write of another type") {
    declare(b, "v", {1, 2});
    write(b, "v", b.input("x", DType::kFP16, {2}));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: the type must be that of the variable");
  }
  SECTION("two declarations") {
    declare(b, "v", {1, 2});
    const auto again = b.value("again", DType::kINT8, {2});
    b.block.values[again].variable = true;
    b.add(Op::kVARIABLE, {}, {again}).set(Attr::k_name, std::string("v"));
    CHECK(verdict(b.graph()) == "UNPREDICTABLE: a variable must be declared once only");
  }
  SECTION("a variable used like a tensor") {
    const auto v = declare(b, "v", {1, 2});
    const auto y = b.value("y", DType::kINT8, {2});
    b.add(Op::kBITWISE_NOT, {v}, {y});
    b.output(y);
    CHECK(verdict(b.graph()) == "ERROR: variable \"v.tensor\" is used other than by VARIABLE_READ");
  }
}

TEST_CASE("Variables go through files of both versions") {
  const auto graph = gathered_bits({1, 2});
  for (const auto& version : {kVersion1_0, kVersion0_80}) {
    const auto read = reread(graph, version);
    CHECK(dump(read) == dump(graph));
    Interpreter interpreter(read);
    CHECK(interpreter.run({int8s({4, 4})})->outputs[0] == int8s({1, 2}));
    CHECK(interpreter.run({int8s({0, 0})})->outputs[0] == int8s({5, 6}));
  }
  const auto json = flatc_json(graph, kVersion1_0).at("regions")[0].at("blocks")[0];
  CHECK(json.at("operators")[1].at("op") == "VARIABLE_READ");
  CHECK(json.at("operators")[1].at("inputs") == nlohmann::json({"state.tensor"}));
  CHECK(json.at("operators")[3].at("outputs") == nlohmann::json({"state.tensor"}));
  for (const auto& tensor : json.at("tensors"))
    if (tensor.at("name") == "state.tensor") CHECK(tensor.at("variable_name") == "state");
}

TEST_CASE("Files in the manner of Arm's writers copy variables by IDENTITY") {
  // 1.x: IDENTITY with the attributes of VARIABLE_READ and VARIABLE_WRITE and no VARIABLE; 0.80: with none.
  for (const auto& version : {kVersion1_0, kVersion0_80}) {
    auto json = flatc_json(gathered_bits({1, 2}), version);
    auto& operators = json.at("regions")[0].at("blocks")[0].at("operators");
    auto kept = nlohmann::json::array();
    for (auto& op : operators) {
      if (op.at("op") == "VARIABLE") continue;
      if (op.at("op") == "VARIABLE_READ" || op.at("op") == "VARIABLE_WRITE") op["op"] = "IDENTITY";
      kept.push_back(op);
    }
    operators = kept;
    const auto graph = flatc_graph(json, version);
    CHECK(dump(graph) == dump(gathered_bits({1, 2})));
  }
}

TEST_CASE("A variable that an operator reads or writes like a tensor is read and written around it") {
  auto json = flatc_json(gathered_bits({1, 2}), kVersion1_0);
  auto& block = json.at("regions")[0].at("blocks")[0];
  auto op = *std::ranges::find_if(block.at("operators"), [](const auto& o) { return o.at("op") == "BITWISE_OR"; });
  op["inputs"] = {"x", "state.tensor"};
  op["outputs"] = {"state.tensor"};
  block["operators"] = nlohmann::json::array({op});
  block["outputs"] = {"state.tensor"};
  Interpreter interpreter(flatc_graph(json, kVersion1_0));
  CHECK(interpreter.run({int8s({4, 4})})->outputs[0] == int8s({5, 6}));
  CHECK(interpreter.run({int8s({8, 0})})->outputs[0] == int8s({13, 6}));
}

TEST_CASE("Bodies of control flow share the variables") {
  // COND_IF whose branches add 1 or 2 to the variable by BITWISE_OR.
  const auto branch = [](const std::string& name, std::int8_t bits) {
    GraphBuilder b(name);
    const auto before = read(b, "v", "before");
    const auto constant = b.constant("bits", int8s({bits, bits}));
    const auto after = b.value("after", DType::kINT8, {2});
    b.add(Op::kBITWISE_OR, {before, constant}, {after});
    write(b, "v", after);
    b.output(after);
    return b.block;
  };
  GraphBuilder b;
  const auto flag = b.input("flag", DType::kBOOL, {1});
  declare(b, "v", {16, 32});
  const auto y = b.value("y", DType::kINT8, {2});
  auto& op = b.add(Op::kCOND_IF, {flag}, {y});
  op.set(Attr::k_then_graph, std::string("yes"));
  op.set(Attr::k_else_graph, std::string("no"));
  b.output(y);
  const Graph built{kVersion1_0, {b.block, branch("yes", 1), branch("no", 2)}};
  for (const auto& graph : {built, reread(built, kVersion1_0), reread(built, kVersion0_80)}) {
    Interpreter interpreter(graph);
    const auto step = [&](bool taken) {
      const auto result = interpreter.run({tensor<bool>(DType::kBOOL, {1}, {taken})});
      INFO((result ? std::string() : result.error().to_string()));
      REQUIRE(result);
      return result->outputs.at(0);
    };
    CHECK(step(true) == int8s({17, 33}));
    CHECK(step(false) == int8s({19, 35}));
  }
}
