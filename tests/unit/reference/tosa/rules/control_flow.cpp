#include "tests/unit/reference/tosa/rules/trip.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Block;
using tosa::Op;

constexpr auto kInt = DType::kINT32;

tosa::ValueId add_value(Block& block, std::string name, DType dtype, Shape shape) {
  block.values.push_back({std::move(name), dtype, std::move(shape), nullptr, false, ""});
  return static_cast<tosa::ValueId>(block.values.size() - 1);
}

/// A block of one operator on inputs of int32 [2], with one output.
Block body(std::string name, Op op, DType result) {
  Block block;
  block.name = std::move(name);
  const auto in = add_value(block, "in", kInt, {2});
  const auto out = add_value(block, "out", result, {2});
  tosa::Operator node;
  node.op = op;
  node.inputs = op == Op::kIDENTITY ? std::vector{in} : std::vector{in, in};
  node.outputs = {out};
  block.operators.push_back(node);
  block.inputs = {in};
  block.outputs = {out};
  return block;
}

/// The main block runs a COND_IF on int32 [2]; `then` and `else` are blocks 1 and 2.
CaseGraph cond_if() {
  CaseGraph made;
  auto& main = made.graph.blocks[0];
  const auto condition = add_value(main, "condition", DType::kBOOL, {1}), x = add_value(main, "x", kInt, {2}),
             y = add_value(main, "y", kInt, {2});
  tosa::Operator node;
  node.op = Op::kCOND_IF;
  node.inputs = {condition, x};
  node.outputs = {y};
  node.set(Attr::k_then_graph, std::string("then"));
  node.set(Attr::k_else_graph, std::string("else"));
  main.operators.push_back(node);
  main.inputs = {condition, x};
  main.outputs = {y};
  made.inputs = {filled(DType::kBOOL, {1}, 1), filled(kInt, {2}, 5)};
  made.graph.blocks.push_back(body("then", Op::kIDENTITY, kInt));
  made.graph.blocks.push_back(body("else", Op::kADD, kInt));
  return made;
}

/// The main block runs a WHILE_LOOP on int32 [1] that ends at once; `cond` and `body` are blocks 1 and 2.
CaseGraph while_loop() {
  CaseGraph made;
  auto& main = made.graph.blocks[0];
  const auto x = add_value(main, "x", kInt, {1}), y = add_value(main, "y", kInt, {1});
  tosa::Operator node;
  node.op = Op::kWHILE_LOOP;
  node.inputs = {x};
  node.outputs = {y};
  node.set(Attr::k_cond_graph, std::string("cond"));
  node.set(Attr::k_body_graph, std::string("body"));
  main.operators.push_back(node);
  main.inputs = {x};
  main.outputs = {y};
  made.inputs = {filled(kInt, {1}, 5)};
  made.graph.blocks.push_back(body("cond", Op::kGREATER, DType::kBOOL));
  made.graph.blocks.push_back(body("body", Op::kIDENTITY, kInt));
  for (const std::size_t i : {1u, 2u})
    for (auto& value : made.graph.blocks[i].values) value.shape = Shape{1};
  return made;
}

std::function<void(CaseGraph&)> reshape(std::size_t block, std::size_t value) {
  return [=](CaseGraph& g) { g.graph.blocks[block].values[value].shape = Shape{3}; };
}

/// A chain of blocks, each of which runs the next by the same operator; the last is a copy of block `innermost`.
void nest(CaseGraph& g, Attr attribute, std::size_t innermost) {
  constexpr int kDepth = 7;  // one more than level 8K's MAX_NESTING
  const auto outer = g.graph.blocks[0];
  for (int i = 0; i < kDepth; ++i) {
    auto inner = outer;
    inner.name = "level" + std::to_string(i);
    inner.operators[0].set(attribute, "level" + std::to_string(i + 1));
    g.graph.blocks.push_back(inner);
  }
  auto last = g.graph.blocks[innermost];
  last.name = "level" + std::to_string(kDepth);
  g.graph.blocks.push_back(last);
  g.graph.blocks[0].operators[0].set(attribute, std::string("level0"));
}

}  // namespace

void add_control_flow_trips(std::vector<Trip>& all) {
  Trips(all, Op::kCOND_IF, cond_if)
      .graph({2}, "COND_IF.body", "then_graph",
             [](CaseGraph& g) {
               reshape(1, 0)(g);
               reshape(1, 1)(g);
               g.graph.blocks[1].outputs = {1};
             })
      .graph({3}, "COND_IF.body", "else_graph", reshape(2, 0))
      .graph({4}, "COND_IF.body", "then_graph", reshape(1, 1))
      .graph({5}, "COND_IF.body", "else_graph", reshape(2, 1))
      .graph({6}, "COND_IF.1", "condition", reshape(0, 0));
  Trips(all, Op::kWHILE_LOOP, while_loop)
      .graph({2}, "WHILE_LOOP.body", "body_graph", reshape(0, 1))
      .graph({3}, "WHILE_LOOP.body", "cond_graph", reshape(1, 0))
      .graph({4}, "WHILE_LOOP.body", "body_graph", reshape(2, 0))
      .graph({5}, "WHILE_LOOP.body", "body_graph", reshape(2, 1))
      .graph({6}, "WHILE_LOOP.body", "cond_graph", reshape(1, 1))
      .graph({7}, "WHILE_LOOP.body", "cond_graph",
             [](CaseGraph& g) {
               g.graph.blocks[1].operators[0].op = Op::kADD;
               g.graph.blocks[1].values[1].dtype = kInt;
             })
      .graph({1}, "nesting", "", [](CaseGraph& g) {
        g.graph.blocks[1].operators[0].op = Op::kGREATER_EQUAL;  // always true
        nest(g, Attr::k_body_graph, 2);
      });
  Trips(all, Op::kCOND_IF, [] {
    auto made = cond_if();
    // The operators of a chain take the condition along.
    for (const std::size_t i : {1u, 2u}) {
      auto& block = made.graph.blocks[i];
      block.inputs.insert(block.inputs.begin(), add_value(block, "condition", DType::kBOOL, {1}));
    }
    auto& main = made.graph.blocks[0];
    main.operators[0].inputs = {main.inputs[0], main.inputs[0], main.inputs[1]};
    return made;
  }).graph({1}, "nesting", "", [](CaseGraph& g) { nest(g, Attr::k_then_graph, 1); });
}

}  // namespace macaw::test
