#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <macaw/tosa/interpreter.hpp>

#include "tests/unit/reference/tosa/flatc.hpp"

// Bodies of COND_IF and WHILE_LOOP that use values of the blocks around them.
using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using Json = nlohmann::json;

using Names = std::vector<std::string>;
using Shape32 = std::vector<int>;

Json values(const char* name, const char* type, const Shape32& shape, const std::vector<int>& data = {}) {
  return {{"name", name}, {"type", type}, {"shape", shape}, {"data", data}};
}
Json op(const char* name, const std::string& attribute, const Names& inputs, const Names& outputs,
        const Json& fields = Json::object()) {
  return {{"op", name},
          {"attribute_type", attribute + "Attribute"},
          {"attribute", fields},
          {"inputs", inputs},
          {"outputs", outputs}};
}
Json region(const char* name, const Names& inputs, const Names& outputs, const std::vector<Json>& tensors,
            const std::vector<Json>& operators) {
  const Json block = {
      {"name", name}, {"inputs", inputs}, {"outputs", outputs}, {"tensors", tensors}, {"operators", operators}};
  return {{"name", name}, {"blocks", std::vector<Json>{block}}};
}
Json add(const char* a, const char* b, const char* sum) { return op("ADD", "Add", {a, b}, {sum}); }
Json constant(const char* name) { return op("CONST", "Const", {}, {name}); }

/// y = flag ? 0 + 3 * (x + x) : 5 * (x + x). Neither branch has x + x as an input, nor has the loop in the first one,
/// whose count starts at a constant of the branch and is compared with one of the main block.
Json nested() {
  const Shape32 kPair = {2}, kOne = {1};
  Json graph = {{"version", {{"_major", 1}, {"_minor", 0}, {"_patch", 0}, {"_draft", false}}}};
  graph["regions"] = std::vector<Json>{
      region("main", {"flag", "x"}, {"y"},
             {values("flag", "BOOL", Shape32{}), values("x", "INT32", kPair), values("y", "INT32", kPair),
              values("twice", "INT32", kPair), values("three", "INT32", kOne, {3, 0, 0, 0}),
              values("one", "INT32", kOne, {1, 0, 0, 0}), values("zeros", "INT32", kPair, std::vector<int>(8))},
             {constant("three"), constant("one"), constant("zeros"), add("x", "x", "twice"),
              op("COND_IF", "CondIf", {"flag"}, {"y"}, {{"then_graph", "then"}, {"else_graph", "else"}})}),
      // Listed before the block that it runs in.
      region("body", {"i", "sum"}, {"next", "more"},
             {values("i", "INT32", kOne), values("sum", "INT32", kPair), values("next", "INT32", kOne),
              values("more", "INT32", kPair)},
             {add("i", "one", "next"), add("sum", "twice", "more")}),
      region("then", {}, {"total"},
             {values("start", "INT32", kOne, {0, 0, 0, 0}), values("count", "INT32", kOne),
              values("total", "INT32", kPair)},
             {constant("start"), op("WHILE_LOOP", "WhileLoop", {"start", "zeros"}, {"count", "total"},
                                    {{"cond_graph", "cond"}, {"body_graph", "body"}})}),
      region("cond", {"at", "so_far"}, {"again"},
             {values("at", "INT32", kOne), values("so_far", "INT32", kPair), values("again", "BOOL", kOne)},
             {op("GREATER", "Greater", {"three", "at"}, {"again"})}),
      region("else", {}, {"five"},
             {values("four", "INT32", kPair), values("five", "INT32", kPair), values("two", "INT32", kPair)},
             {add("twice", "twice", "two"), add("two", "two", "four"), add("four", "twice", "five")})};
  return graph;
}

Json& block(Json& graph, std::size_t region) { return graph["regions"][region]["blocks"][0]; }

}  // namespace

TEST_CASE("Bodies use values of the blocks around them, as they do in Arm's reference model") {
  const auto graph = flatc_graph(nested(), kVersion1_0);
  for (const auto& read : {graph, reread(graph, kVersion1_0)})
    for (const bool flag : {false, true}) {
      Tensor condition(DType::kBOOL, {}), x(DType::kINT32, {2});
      condition.data<bool>()[0] = flag;
      x.data<std::int32_t>()[0] = 7;
      x.data<std::int32_t>()[1] = -2;
      const auto result = run(read, {condition, x});
      REQUIRE(result);
      REQUIRE(result->outputs.size() == 1);
      const std::int32_t factor = flag ? 6 : 10;
      CHECK(result->outputs[0].data<std::int32_t>()[0] == 7 * factor);
      CHECK(result->outputs[0].data<std::int32_t>()[1] == -2 * factor);
    }
}

TEST_CASE("A name that no block around has is refused") {
  auto graph = nested();
  const auto message = [&] {
    const macaw::test::TemporaryFolder folder;
    std::ofstream(folder / "source.json") << graph.dump();
    const auto command = "flatc --binary -o " + folder.path().string() + " " + schema_of(kVersion1_0) + " " +
                         (folder / "source.json").string();
    REQUIRE(std::system(command.c_str()) == 0);
    const auto read = load_graph(folder / "source.tosa");
    return read ? std::string("read") : read.error().message;
  };
  SECTION("of a block that is not around") {
    block(graph, 4)["operators"][0]["inputs"] = Names{"twice", "so_far"};
    CHECK(message() == "block main has no tensor named \"so_far\"");
  }
  SECTION("in the main block") {
    block(graph, 0)["operators"][3]["inputs"] = Names{"x", "four"};
    CHECK(message() == "block main has no tensor named \"four\"");
  }
  SECTION("for a block that two operators run") {
    block(graph, 0)["operators"][4]["attribute"]["else_graph"] = "then";
    CHECK(message() == "block then, which several operators run, has no tensor named \"one\"");
  }
  SECTION("of a block that no operator runs") {
    block(graph, 0)["operators"][4]["attribute"] = {{"then_graph", "else"}, {"else_graph", "else"}};
    CHECK(message().find("has no tensor named") != std::string::npos);
  }
  SECTION("of blocks that run each other") {
    graph["regions"].erase(1);
    graph["regions"].erase(1);
    block(graph, 0)["operators"].erase(4);
    block(graph, 0)["outputs"] = Names{"twice"};
    block(graph, 2)["operators"] = std::vector<Json>{
        op("COND_IF", "CondIf", {"flag"}, {"five"}, {{"then_graph", "else"}, {"else_graph", "cond"}})};
    CHECK(message().starts_with("block else has no tensor named"));
  }
  SECTION("of another type") {
    block(graph, 2)["tensors"][0]["type"] = "FP32";
    block(graph, 2)["tensors"][0]["name"] = "three";
    block(graph, 2)["operators"][0]["outputs"] = Names{"three"};
    block(graph, 2)["operators"][1]["inputs"] = Names{"three", "zeros"};
    CHECK(message().find("tensors of several types or shapes are named \"three\"") != std::string::npos);
  }
  SECTION("of another shape") {
    block(graph, 2)["tensors"][0]["shape"] = Shape32{2};
    block(graph, 2)["tensors"][0]["name"] = "three";
    block(graph, 2)["tensors"][0]["data"] = std::vector<int>(8);
    block(graph, 2)["operators"][0]["outputs"] = Names{"three"};
    block(graph, 2)["operators"][1]["inputs"] = Names{"three", "zeros"};
    CHECK(message().find("tensors of several types or shapes are named \"three\"") != std::string::npos);
  }
}
