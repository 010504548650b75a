#include <fmt/format.h>

#include <algorithm>

#include "tests/differential/operators/generator.hpp"

// VARIABLE, VARIABLE_READ, VARIABLE_WRITE and CUSTOM, and the values that operators of any type take.

namespace macaw::test {

using tosa::Attr;
using tosa::Op;

namespace {

tosa::Operator named(Op code, const std::string& name) {
  tosa::Operator op;
  op.op = code;
  op.set(Attr::k_name, name);
  return op;
}

}  // namespace

Tensor Generator::random_tensor(const Type& type) {
  const auto& any = *tosa::find_definition(Op::kCONST);
  return Maker(random_, any, any.rows[0], nullptr).values(type.first, type.second);
}

Generator::Available Generator::operand(Scope& scope, Tensor tensor) {
  const auto id = result_.made.add_operand(tensor, one_in(4), scope.block);
  return {id, std::move(tensor)};
}

Generator::Available Generator::any_value(Scope& scope) {
  std::vector<Available> tensors;
  std::ranges::copy_if(scope.pool, std::back_inserter(tensors),
                       [](const Available& value) { return value.tensor.dtype() != DType::kSHAPE; });
  if (!tensors.empty() && !one_in(8)) return any_of(tensors);
  const auto& any = *tosa::find_definition(Op::kCONST);
  const auto& row = any.rows[pick(0, any.rows.size() - 1)];
  return operand(scope, make_case(random_, any, row).data);
}

std::vector<Generator::Available> Generator::any_values(Scope& scope) {
  std::vector<Available> values;
  for (auto left = pick(1, 3); left > 0; --left) values.push_back(any_value(scope));
  return values;
}

std::optional<Generator::Available> Generator::value_of(const Scope& scope, const Type& type) {
  std::vector<Available> values;
  std::ranges::copy_if(scope.pool, std::back_inserter(values), [&](const Available& value) {
    return value.tensor.dtype() == type.first && value.tensor.shape() == type.second;
  });
  if (values.empty()) return std::nullopt;
  // Later values are more worth than what a body was given.
  return one_in(3) ? any_of(values) : values.back();
}

void Generator::place(Scope& scope, tosa::Operator op, const std::vector<Available>& inputs,
                      const std::vector<Type>& outputs) {
  std::vector<Tensor> tensors;
  for (const auto& [id, tensor] : inputs) {
    op.inputs.push_back(id);
    tensors.push_back(tensor);
  }
  std::vector<tosa::ValueId> ids;
  for (const auto& [dtype, shape] : outputs) ids.push_back(result_.made.add_value(dtype, shape, scope.block));
  op.outputs.insert(op.outputs.end(), ids.begin(), ids.end());
  auto& to = block(scope);
  to.operators.push_back(op);
  if (scope.depth == 0) to.outputs.insert(to.outputs.end(), ids.begin(), ids.end());
  result_.ops.push_back(op.op);
  try {
    auto results = scope.execution.run(to, op, tensors);
    for (std::size_t i = 0; i < ids.size(); ++i) scope.pool.push_back({ids[i], std::move(results[i])});
  } catch (const naive::Unpredictable&) {
    scope.predictable = false;
  }
}

void Generator::variable(Scope& scope) {
  if (scope.depth == 0 && (variables_.empty() || one_in(3))) return declare(scope);
  if (variables_.empty()) return plain(scope);
  const auto [name, type] = any_of(variables_);
  const bool written = scope.execution.variables().contains(name);
  if (one_in(2) || (!written && !one_in(10))) write(scope, name, type);
  else place(scope, named(Op::kVARIABLE_READ, name), {}, {type});
}

void Generator::declare(Scope& scope) {
  const auto& definition = *tosa::find_definition(Op::kVARIABLE);
  const auto& row = definition.rows[pick(0, definition.rows.size() - 1)];
  const auto value = any_value(scope);
  const Type type{row.types[0], value.tensor.shape()};
  // A second declaration of a name is unpredictable.
  const auto name = !variables_.empty() && one_in(20) ? variables_.back().first : fmt::format("v{}", variables_.size());
  const auto id = result_.made.add_value(type.first, type.second);
  auto& stored = block(scope).values[id];
  stored.variable = true;
  stored.variable_name = name;
  const bool initial = !one_in(3);
  if (initial) stored.data = std::make_shared<const Tensor>(random_tensor(type));
  variables_.emplace_back(name, type);
  auto op = named(Op::kVARIABLE, name);
  op.outputs = {id};
  place(scope, op, {}, {});
  if (!initial && !one_in(20)) write(scope, name, type);
}

void Generator::write(Scope& scope, const std::string& name, const Type& type) {
  auto value = value_of(scope, type);
  if (!value) value = operand(scope, random_tensor(type));
  place(scope, named(Op::kVARIABLE_WRITE, name), {*value}, {});
}

void Generator::custom(Scope& scope) {
  const auto value = any_value(scope);
  tosa::Operator op;
  op.op = Op::kCUSTOM;
  op.set(Attr::k_domain_name, std::string("ExampleDomain"));
  op.set(Attr::k_operator_name, std::string("ExampleOp"));
  op.set(Attr::k_implementation_attrs, std::vector<std::byte>());
  place(scope, op, {value}, {{value.tensor.dtype(), value.tensor.shape()}});
}

}  // namespace macaw::test
