#include <cstdlib>
#include <iostream>
#include <set>

#include "reference/tosa/op/def.hpp"
#include "tests/unit/reference/tosa/flatc.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// Every operator of the specification, with every attribute of its definition, through a file of 1.1.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

/// A value that no attribute has by default.
AttributeValue unusual(const Argument& argument, Attr attribute) {
  if (argument.type == "acc_type_t") return std::int64_t(DType::kINT48);
  if (argument.type == "nan_propagation_mode_t") return std::int64_t(NanMode::kIgnore);
  if (argument.type == "rounding_mode_t") return std::int64_t(RoundingMode::kDoubleRound);
  if (argument.type == "resize_mode_t") return std::int64_t(ResizeMode::kBilinear);
  if (argument.type == "tosa_graph_t") return std::string("main");
  switch (kind(attribute)) {
    case AttributeKind::kInt: return std::int64_t{1};
    case AttributeKind::kInts: return std::vector<std::int64_t>{3, 1, 2};
    case AttributeKind::kString: return std::string("text");
    case AttributeKind::kBytes: return std::vector{std::byte{7}};
  }
  return std::int64_t{0};
}

/// One operator on int8 tensors of no particular shape: files do not care.
Graph graph_of(const Definition& definition) {
  GraphBuilder b;
  Operator op;
  op.op = definition.op;
  int count = 0;
  for (const auto& argument : definition.arguments) {
    const auto name = std::string(argument.name) + std::to_string(count++);
    if (argument.category == Category::kInput) {
      op.inputs.push_back(b.input(name, DType::kINT8, {2}));
    } else if (argument.category == Category::kOutput) {
      const auto id = b.value(name, DType::kINT8, {2});
      op.outputs.push_back(id);
      b.output(id);
    } else if (const auto attribute = attr_from_name(argument.name)) {
      op.set(*attribute, unusual(argument, *attribute));
    }
  }
  b.block.operators.push_back(std::move(op));
  return b.graph(kVersion1_1);
}

bool concerns_variables(Op op) { return op == Op::kVARIABLE || op == Op::kVARIABLE_READ || op == Op::kVARIABLE_WRITE; }

}  // namespace

TEST_CASE("Every operator with its attributes goes through a file of 1.1") {
  for (const auto* definition : definitions()) {
    if (concerns_variables(definition->op)) continue;  // variable_test.cpp
    INFO(to_string(definition->op));
    const auto graph = graph_of(*definition);
    const auto& op = graph.main().operators[0];
    const auto json = flatc_json(graph, kVersion1_1);
    const auto& written = json.at("regions")[0].at("blocks")[0].at("operators")[0];
    CHECK(written.at("op") == std::string(to_string(op.op)));
    CHECK(written.at("inputs").size() == op.inputs.size());
    CHECK(written.at("outputs").size() == op.outputs.size());
    for (const auto& [attribute, value] : op.attributes) {
      INFO(to_string(attribute));
      CHECK(written.at("attribute").contains(std::string(to_string(attribute))));
    }
    CHECK(dump(reread(graph, kVersion1_1)) == dump(graph));
  }
}

TEST_CASE("The published schema reads every operator that it has") {
  const char* schema = std::getenv("MACAW_TOSA_FBS");
  if (!schema) {
    std::cout << "MACAW_TOSA_FBS is not set: no operator is read by the published schema\n";
    return;
  }
  const std::set<Op> ours = {Op::kMATMUL_T, Op::kRESHAPE_BLOCK_SCALED, Op::kROW_GATHER, Op::kROW_GATHER_BLOCK_SCALED};
  for (const auto op : all_ops()) {
    const auto* definition = find_definition(op);
    if (!definition || concerns_variables(op) || ours.contains(op)) continue;
    INFO(to_string(op));
    auto graph = graph_of(*definition);
    // A block of one and an unsigned CAST are ours.
    if (auto& made = graph.blocks[0].operators[0]; made.find(Attr::k_block_size))
      made.set(Attr::k_block_size, std::int64_t{32});
    else if (op == Op::kCAST) made.attributes.clear();
    const auto theirs = flatc_json(graph, kVersion1_1, schema);
    CHECK(theirs == flatc_json(graph, kVersion1_1));
  }
}

TEST_CASE("The numbers of operators and attribute tables go together") {
  // The generated union and enumeration are two lists; flatc prints the names of both.
  for (const auto op : all_ops()) {
    const auto* definition = find_definition(op);
    if (!definition || concerns_variables(op)) continue;
    const auto json = flatc_json(graph_of(*definition), kVersion1_1);
    const auto& written = json.at("regions")[0].at("blocks")[0].at("operators")[0];
    std::string table = written.at("attribute_type"), name(to_string(op));
    table.erase(table.find("Attribute"));
    std::erase(name, '_');
    std::ranges::transform(table, table.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    CHECK(table == name);
  }
}
