#pragma once
#include <catch2/catch.hpp>

#include <string>

#include "tests/unit/reference/tosa/graph_builder.hpp"

namespace macaw::tosa::test {

struct OneOutput {
  DType dtype;
  Shape shape;
};

/// One operator on constants, run as a graph: what the run says, as text ("valid", or the first finding's rule), and
/// its output.
struct OperatorRun {
  std::string verdict;
  Tensor output;
};
using OperatorAttributes = std::vector<std::pair<Attr, AttributeValue>>;

inline OperatorRun run_on_constants(Op op, std::vector<Tensor> inputs, const OneOutput& out,
                                    const OperatorAttributes& attributes = {}, const Options& options = {}) {
  GraphBuilder b;
  std::vector<ValueId> ids;
  for (auto& input : inputs) ids.push_back(b.constant("in" + std::to_string(ids.size()), std::move(input)));
  const auto y = b.value("y", out.dtype, out.shape);
  auto& node = b.add(op, ids, {y});
  for (const auto& [name, value] : attributes) node.set(name, value);
  b.output(y);
  const auto result = run(b.graph(kVersion1_1), {}, options);
  INFO((result ? std::string() : result.error().to_string()));
  REQUIRE(result);
  const auto* first = result->verdict.first();
  if (first) return {std::string(to_string(first->status)) + " " + first->rule, {}};
  REQUIRE(result->outputs.size() == 1);
  return {"valid", result->outputs[0]};
}

}  // namespace macaw::tosa::test
