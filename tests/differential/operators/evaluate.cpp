#include "tests/differential/operators/evaluate.hpp"

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test {
namespace {

bool is_constant(tosa::Op op) { return op == tosa::Op::kCONST || op == tosa::Op::kCONST_SHAPE; }

}  // namespace

bool has_naive(tosa::Op op) { return is_constant(op) || naive::find(op) != nullptr; }

std::optional<std::vector<Tensor>> evaluate(const Case& c) {
  if (is_constant(c.op.op)) return std::vector<Tensor>{c.data};
  std::vector<Tensor> outputs;
  for (const auto& [dtype, shape] : c.outputs) outputs.emplace_back(dtype, shape);
  naive::Node node{c.op, c.inputs, outputs};
  try {
    naive::find(c.op.op)(node);
  } catch (const naive::Unpredictable&) {
    return std::nullopt;
  }
  return outputs;
}

}  // namespace macaw::test
