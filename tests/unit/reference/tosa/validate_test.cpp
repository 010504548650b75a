#include <catch2/catch.hpp>

#include <set>

#include "reference/tosa/op/def.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

/// The first finding of a graph that must be in ERROR, as "rule: argument".
std::string first_error(const Graph& graph, const Level& level = kLevel8K) {
  Options options;
  options.level = level;
  const auto verdict = validate(graph, options);
  REQUIRE(verdict);
  if (verdict->status() != Status::kError) return "valid";
  return verdict->first()->rule + ": " + verdict->first()->argument;
}

Operator& find(Graph& graph, Op op) { return *std::ranges::find(graph.blocks[0].operators, op, &Operator::op); }
Value& value(Graph& graph, const char* name) { return graph.blocks[0].values[*graph.main().find_value(name)]; }

}  // namespace

TEST_CASE("A sound graph is valid") { CHECK(first_error(sample_graph()) == "valid"); }

TEST_CASE("Each kind of broken rule is named") {
  auto graph = sample_graph();
  SECTION("number of inputs") {
    find(graph, Op::kTABLE).inputs.pop_back();
    CHECK(first_error(graph) == "TABLE.inputs: ");
  }
  SECTION("missing attribute") {
    find(graph, Op::kTRANSPOSE).attributes.clear();
    CHECK(first_error(graph) == "TRANSPOSE.attribute: perms");
  }
  SECTION("kind of attribute") {
    find(graph, Op::kTRANSPOSE).set(Attr::k_perms, std::int64_t{1});
    CHECK(first_error(graph) == "TRANSPOSE.attribute: perms");
  }
  SECTION("length of attribute") {
    find(graph, Op::kCONV2D).set(Attr::k_stride, std::vector<std::int64_t>{1});
    CHECK(first_error(graph) == "CONV2D.attribute: stride");
  }
  SECTION("types") {
    value(graph, "scaled").dtype = DType::kBOOL;
    CHECK(first_error(graph) == "RESCALE.types: ");
  }
  SECTION("rank") {
    value(graph, "padded").shape = Shape{6, 6, 2};
    CHECK(first_error(graph) == "PAD.1: output");
  }
  SECTION("symbols of shapes") {
    value(graph, "acc").shape = Shape{1, 6, 6, 4};
    CHECK(first_error(graph) == "CONV2D.shape: output");
  }
  SECTION("zero extent") {
    value(graph, "looked_up").shape = Shape{1, 6, 6, 0};
    CHECK(first_error(graph) == "TABLE.shape: output");
  }
  SECTION("permutation") {
    find(graph, Op::kTRANSPOSE).set(Attr::k_perms, std::vector<std::int64_t>{0, 3, 3, 2});
    CHECK(first_error(graph) == "TRANSPOSE.3: perms");
  }
  SECTION("use before production") {
    std::ranges::reverse(graph.blocks[0].operators);
    CHECK(first_error(graph) == "graph.order: ");
  }
  SECTION("a tensor that does not exist") {
    find(graph, Op::kMUL).inputs[0] = 1000;
    CHECK(first_error(graph) == "graph.index: ");
  }
  SECTION("no block at all") {
    graph.blocks.clear();
    CHECK(first_error(graph) == "graph.main: ");
  }
}

TEST_CASE("Levels limit ranks and sizes") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {1, 1, 1, 1, 1, 1, 2});
  const auto y = b.value("y", DType::kINT8, {1, 1, 1, 1, 1, 1, 2});
  b.add(Op::kIDENTITY, {x}, {y});
  b.output(y);
  CHECK(first_error(b.graph()) == "IDENTITY.level: input1");
  CHECK(first_error(b.graph(), kLevelNone) == "valid");
  b.block.values[x].shape = b.block.values[y].shape = Shape{1 << 16, 1 << 15};
  CHECK(first_error(b.graph()) == "IDENTITY.level: input1");
}

TEST_CASE("What is newer than the file's stamp is a warning") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT64, {2});
  const auto y = b.value("y", DType::kINT64, {2});
  b.add(Op::kIDENTITY, {x}, {y});
  b.output(y);
  const auto old = validate(b.graph(kVersion1_0));
  REQUIRE(old);
  CHECK(old->status() == Status::kValid);
  REQUIRE(old->findings.size() == 1);
  CHECK(old->findings[0].rule == "IDENTITY.version");
  const auto draft = validate(b.graph(kVersion1_1));
  REQUIRE(draft);
  CHECK(draft->findings.empty());
}

TEST_CASE("A type of accumulator that is newer than the file's stamp is an error") {
  const auto first = [](DType in, DType out, DType sum, const Version& version) {
    GraphBuilder b;
    const Shape shape{1, 1, 1, 1};
    const auto x = b.input("x", in, shape);
    const auto weight = b.constant("weight", Tensor(in, shape)), zero = b.constant("zero", Tensor(in, {1}));
    const auto y = b.value("y", out, shape);
    auto& op = b.add(Op::kCONV2D, {x, weight, b.constant("bias", Tensor(out, {1})), zero, zero}, {y});
    op.set(Attr::k_pad, std::vector<std::int64_t>(4, 0));
    op.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    op.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    op.set(Attr::k_local_bound, std::int64_t{0});
    op.set(Attr::k_acc_type, std::int64_t(sum));
    b.output(y);
    return first_error(b.graph(version));
  };
  CHECK(first(DType::kFP16, DType::kFP16, DType::kFP32, kVersion1_0) == "valid");
  CHECK(first(DType::kFP16, DType::kFP16, DType::kBF16, kVersion1_0) == "CONV2D.version: ");
  CHECK(first(DType::kFP16, DType::kFP16, DType::kBF16, kVersion1_1) == "valid");
  CHECK(first(DType::kFP16, DType::kFP32, DType::kFP32, kVersion1_0) == "CONV2D.version: ");
  CHECK(first(DType::kFP16, DType::kFP32, DType::kBF16, kVersion1_1) == "CONV2D.types: ");
}

TEST_CASE("A custom operator that is not there is named") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kFP32, {2});
  auto& op = b.add(Op::kCUSTOM, {x}, {b.value("y", DType::kFP32, {2})});
  op.set(Attr::k_domain_name, std::string("nowhere"));
  op.set(Attr::k_operator_name, std::string("nothing"));
  op.set(Attr::k_implementation_attrs, std::vector<std::byte>());
  const auto verdict = validate(b.graph());
  REQUIRE_FALSE(verdict);
  CHECK(verdict.error().code == ErrorCode::kUnsupported);
  CHECK(verdict.error().message == "CUSTOM operator \"nothing\" of domain \"nowhere\" is in no loaded library");
}

TEST_CASE("Definitions keep their own rules") {
  std::set<Op> seen;
  for (const auto* definition : definitions()) {
    INFO(to_string(definition->op));
    CHECK(seen.insert(definition->op).second);
    CHECK(find_definition(definition->op) == definition);
    CHECK_FALSE(definition->rows.empty());
    CHECK(definition->type_variables.size() <= definition->rows[0].types.size());
    int lists[2] = {};
    for (const auto& argument : definition->arguments) {
      if (argument.category == Category::kAttribute) CHECK(attr_from_name(argument.name));
      else if (argument.list) CHECK(++lists[argument.category == Category::kOutput] == 1);
      CHECK(argument.min_rank <= argument.max_rank);
    }
    for (const auto& row : definition->rows)
      CHECK((row.support.any[0] != 0 && row.since_minor >= since_minor(definition->op)));
    for (const auto& check : definition->checks) {
      CHECK((check.broken || check.rule == Rule::kRequire));  // the others are found by kernels
      CHECK_FALSE(check.text.empty());
      // A check names an argument of the operator.
      const bool known =
          std::ranges::any_of(definition->arguments, [&](const auto& a) { return a.name == check.argument; });
      // Some attributes are optional and not declared (input_unsigned of CAST), and a constant's values are its
      // tensor's.
      CHECK((known || attr_from_name(check.argument) || check.argument == "values"));
    }
  }
}
