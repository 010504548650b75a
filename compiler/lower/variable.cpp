#include "compiler/lowering.hpp"

#include <algorithm>

// Variables stay at their own address in the arena from one run to the next.
namespace macaw::npu {
namespace {

const std::string& name_of(const tosa::Operator& op) { return op.get_string(tosa::Attr::k_name); }

Result<int> variable_of(const Lowering& lowering) {
  const auto found = lowering.variables.find(name_of(lowering.current()));
  if (found == lowering.variables.end()) return lowering.unsupported("a variable that is declared in another block");
  return found->second;
}

/// Returns the operators of a kind that refer to the variable.
std::vector<std::size_t> accesses(const Lowering& lowering, tosa::Op kind, const std::string& name) {
  std::vector<std::size_t> found;
  const auto& operators = lowering.graph.block().operators;
  for (std::size_t i = 0; i < operators.size(); ++i)
    if (operators[i].op == kind && name_of(operators[i]) == name) found.push_back(i);
  return found;
}

/// Whether the variable keeps the value's bytes as long as the value is read.
bool is_unchanged_while_read(const Lowering& lowering, tosa::ValueId value, const std::string& name) {
  if (lowering.graph.is_output(value)) return false;
  const auto writes = accesses(lowering, tosa::Op::kVARIABLE_WRITE, name);
  const auto next = std::ranges::find_if(writes, [&](std::size_t write) { return write > lowering.op; });
  const auto end = next == writes.end() ? lowering.graph.block().operators.size() : *next;
  return std::ranges::all_of(lowering.graph.consumers(value), [&](std::size_t consumer) {
    // RESHAPE and IDENTITY return the same bytes, which may be read later.
    const auto kind = lowering.graph.op(consumer).op;
    return consumer < end && kind != tosa::Op::kRESHAPE && kind != tosa::Op::kIDENTITY;
  });
}

}  // namespace

Result<void> lower_variable(Lowering& lowering) {
  MACAW_ASSIGN(const int tensor, lowering.declare_variable(lowering.current().outputs.at(0)));
  lowering.variables.emplace(name_of(lowering.current()), tensor);
  lowering.network.variables.push_back(tensor);
  return {};
}

Result<void> lower_variable_read(Lowering& lowering) {
  MACAW_ASSIGN(const int variable, variable_of(lowering));
  const auto value = lowering.current().outputs.at(0);
  if (is_unchanged_while_read(lowering, value, name_of(lowering.current()))) {
    lowering.alias(value, variable);
    return {};
  }
  MACAW_ASSIGN(const auto out, lowering.output());
  return lowering.copy(out, lowering.view_of(variable));
}

Result<void> lower_variable_write(Lowering& lowering) {
  MACAW_ASSIGN(const int variable, variable_of(lowering));
  MACAW_ASSIGN(const auto in, lowering.input(0));
  const auto out = lowering.view_of(variable);
  return in.storage == out.storage ? Result<void>() : lowering.copy(out, in);
}

bool updates_variable_in_place(const Lowering& lowering) {
  const auto values = lowering.current().inputs.at(0), result = lowering.current().outputs.at(0);
  const auto read = lowering.graph.producer(values);
  if (!read || lowering.graph.op(*read).op != tosa::Op::kVARIABLE_READ) return false;
  const auto& name = name_of(lowering.graph.op(*read));
  const auto writes = accesses(lowering, tosa::Op::kVARIABLE_WRITE, name);
  return lowering.graph.only_consumer(values) == lowering.op && !lowering.graph.is_output(values) &&
         accesses(lowering, tosa::Op::kVARIABLE_READ, name).size() == 1 && writes.size() == 1 &&
         lowering.graph.op(writes.front()).inputs.at(0) == result && writes.front() > lowering.op;
}

}  // namespace macaw::npu
