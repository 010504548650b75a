#include "tests/differential/operators/generator.hpp"

// COND_IF and WHILE_LOOP.

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

template <class Values>
auto types_of(const Values& values) {
  std::vector<std::pair<DType, Shape>> types;
  for (const auto& value : values) types.emplace_back(value.tensor.dtype(), value.tensor.shape());
  return types;
}

}  // namespace

Generator::Scope Generator::open(const Scope& outer, const std::vector<Available>& inputs) {
  Scope scope{result_.made.add_block(), outer.depth + 1, outer.execution, {}, true};
  for (const auto& [id, tensor] : inputs) {
    const auto own = result_.made.add_value(tensor.dtype(), tensor.shape(), scope.block);
    block(scope).inputs.push_back(own);
    scope.pool.push_back({own, tensor});
  }
  for (auto left = pick(0, 2); left > 0; --left) step(scope);
  return scope;
}

void Generator::close(Scope& scope, const std::vector<Type>& outputs) {
  for (const auto& type : outputs) {
    if (!one_in(4)) alike(scope, type);
    const auto value = value_of(scope, type);
    const auto id = value ? value->id : operand(scope, random_tensor(type)).id;
    block(scope).outputs.push_back(id);
  }
}

void Generator::cond_if(Scope& scope) {
  auto inputs = any_values(scope);
  auto taken = open(scope, inputs), other = open(scope, inputs);
  const auto types = types_of(any_values(taken));
  close(taken, types);
  close(other, types);
  if (one_in(2)) std::swap(taken, other);
  tosa::Operator op;
  op.op = Op::kCOND_IF;
  op.set(Attr::k_then_graph, block(taken).name);
  op.set(Attr::k_else_graph, block(other).name);
  auto condition = value_of(scope, {DType::kBOOL, {1}});
  if (!condition) condition = operand(scope, random_tensor({DType::kBOOL, Shape(pick(0, 2), 1)}));
  inputs.insert(inputs.begin(), *condition);
  place(scope, op, inputs, types);
}

void Generator::while_loop(Scope& scope) {
  const Type counter{DType::kINT32, {1}};
  auto inputs = any_values(scope);
  const auto number = [&](Scope& to, std::size_t low, std::size_t high) {
    return operand(to, filled(counter.first, counter.second, static_cast<std::int64_t>(pick(low, high))));
  };
  inputs.insert(inputs.begin(), number(scope, 0, 2));
  const auto types = types_of(inputs);

  auto condition = open(scope, inputs);
  tosa::Operator greater;
  greater.op = Op::kGREATER;
  place(condition, greater, {number(condition, 0, 4), condition.pool.front()}, {{DType::kBOOL, {1}}});
  block(condition).outputs = {condition.pool.back().id};

  auto body = open(scope, inputs);
  tosa::Operator add;
  add.op = Op::kADD;
  place(body, add, {body.pool.front(), number(body, 1, 1)}, {counter});
  block(body).outputs = {body.pool.back().id};
  close(body, {types.begin() + 1, types.end()});

  tosa::Operator op;
  op.op = Op::kWHILE_LOOP;
  op.set(Attr::k_cond_graph, block(condition).name);
  op.set(Attr::k_body_graph, block(body).name);
  place(scope, op, inputs, types);
}

}  // namespace macaw::test
