#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "models/graph_builder.hpp"
#include "sim/isa/decoder.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"
#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/elementwise.hpp"
#include "workflow/prove/prover.hpp"

#include <algorithm>
#include <vector>

// Operands of operations, compared with graphs that a run with these inputs cannot distinguish from others.
using namespace macaw;
using macaw::test::checked;

namespace {

npu::Artifact compiled(const tosa::Graph& graph, const char* accelerator) {
  return npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
}

/// Proof result of the tensor that the first operation writes.
prove::TensorProof first_proof(const tosa::Graph& graph, const npu::Artifact& artifact) {
  return checked(prove::prove(graph, artifact, *artifact.accelerator, {.runs = 1})).tensors.front();
}

/// NEGATE or BITWISE_NOT.
tosa::Graph inverted(bool bitwise) {
  models::GraphBuilder net;
  const auto x = net.input("x", DType::kINT8, {1, 8, 8, 16});
  const auto zero_point = net.constant(models::int8_tensor({1}, {0}));
  net.output(net.add(x, x), "out");
  auto graph = net.graph();
  auto& op = *std::ranges::find(graph.blocks.front().operators, tosa::Op::kADD, &tosa::Operator::op);
  op.op = bitwise ? tosa::Op::kBITWISE_NOT : tosa::Op::kNEGATE;
  op.inputs = {x};
  if (!bitwise) op.inputs.insert(op.inputs.end(), 2, zero_point);
  return graph;
}

/// Turns every broadcast operand into the scalar that no command sets: zero. How many there were.
unsigned use_scalars(npu::Artifact& artifact) {
  const bool u85 = artifact.accelerator->family == npu::Family::kU85;
  const std::uint32_t scalar = u85 ? 8 : 0x80;
  unsigned set = 0;
  for (auto& step : artifact.steps)
    if (auto* commands = std::get_if<npu::CommandStream>(&step))
      for (const auto& command : checked(npu::decode(artifact.accelerator->family, commands->words))) {
        auto& word = commands->words[command.offset / 4];
        if (!command.row->name.view().ends_with("_BROADCAST") || word >> 16 == 0) continue;
        word = (u85 ? word & 0xffff : word) | scalar << 16;
        ++set;
      }
  return set;
}

/// A product; `replaced`: of which one accumulator counts as zero.
tosa::Graph product(std::int32_t replaced = 0) {
  models::GraphBuilder net;
  std::vector<std::int8_t> weights;
  for (int i = 0; i < 4 * 16; ++i) weights.push_back(static_cast<std::int8_t>(i * 37));
  const auto x = net.input("x", DType::kINT8, {1, 8, 8, 16});
  auto sums =
      net.conv2d(x, models::int8_tensor({4, 1, 1, 16}, weights), models::int32_tensor({4}, {0, 0, 0, 0}), {}, 0);
  std::vector<tosa::ValueId> operands;
  if (replaced != 0) {
    const auto zero = net.constant(models::int32_tensor({1, 1, 1, 1}, {0}));
    const auto equal = net.add(sums, net.constant(models::int32_tensor({1, 1, 1, 1}, {replaced})));
    operands = {equal, zero, sums};
    sums = net.add(sums, zero);
  }
  models::Rescale narrow;
  models::append_scale(narrow, 1.0 / 700);
  net.output(net.rescale(sums, DType::kINT8, narrow), "out");
  auto graph = net.graph();
  if (replaced == 0) return graph;
  auto& block = graph.blocks.front();
  block.values[operands[0]].dtype = DType::kBOOL;
  for (auto& op : block.operators) {
    if (op.op != tosa::Op::kADD) continue;
    const bool compares = op.outputs[0] == operands[0];
    op.op = compares ? tosa::Op::kEQUAL : tosa::Op::kSELECT;
    if (!compares) op.inputs = operands;
  }
  return graph;
}

}  // namespace

TEST_CASE("an operand that is a scalar is proved by its value") {
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    INFO(accelerator);
    auto artifact = compiled(inverted(false), accelerator);  // SUB of a broadcast zero and the input
    REQUIRE(use_scalars(artifact) == 1);
    const auto proof = first_proof(inverted(false), artifact);
    INFO(proof.reason);
    CHECK(proof.verdict == prove::Verdict::kProved);
    CHECK(first_proof(inverted(true), artifact).verdict == prove::Verdict::kRefuted);
  }
}

TEST_CASE("two operands of 16 bits are not proved by as many cases as one has") {
  models::GraphBuilder net;
  const auto a = net.input("a", DType::kINT16, {1, 8, 8, 16}), b = net.input("b", DType::kINT16, {1, 8, 8, 16});
  net.output(net.add(a, b), "out");
  auto graph = net.graph();
  const auto& operators = graph.main().operators;
  const auto sum =
      static_cast<std::size_t>(std::ranges::find(operators, tosa::Op::kADD, &tosa::Operator::op) - operators.begin());
  compare::Record record;
  for (auto* map : {&record.operation.ifm, &record.operation.ifm2, &record.operation.ofm}) {
    map->bits = 16;
    map->is_signed = true;
  }
  record.operation.kind = npu::OpKind::kElementwise;
  std::vector<std::int64_t> example;
  CHECK(prove::compare_pairs(graph, {{a, b}, {sum}}, record, *npu::find_accelerator("ethos-u55-128"), false, example) ==
        "two operands of 16 bits");
  CHECK(example.empty());
}

TEST_CASE("an operator that is not a scaling is not proved with the product before it") {
  constexpr std::int32_t kOther = 31'003;  // no accumulator of the run
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(accelerator);
    const auto artifact = compiled(product(), accelerator);
    CHECK(first_proof(product(), artifact).verdict == prove::Verdict::kProved);
    const auto proof = first_proof(product(kOther), artifact);
    CHECK(proof.verdict == prove::Verdict::kNotProved);
    CHECK_THAT(proof.reason, Catch::Contains("behind the product"));
  }
}

TEST_CASE("an output of which the network gives bytes of another width is not proved") {
  models::GraphBuilder net;
  models::Rescale widen;
  models::append_scale(widen, 0.5);
  net.output(net.rescale(net.input("x", DType::kINT8, {1, 8, 8, 16}), DType::kINT16, widen), "out");
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"})
    for (const unsigned width : {2U, 1U}) {
      INFO(accelerator << ", " << width << " bytes");
      auto artifact = compiled(net.graph(), accelerator);
      const compare::Program program(net.graph());
      const auto inputs = checked(program.random_inputs(1));
      const auto named = checked(program.network_inputs(inputs, artifact));
      const auto trace = checked(compare::trace_program(artifact, *artifact.accelerator, named, true));
      artifact.outputs.front().element_size = width;
      artifact.outputs.front().dtype = width == 2 ? DType::kINT16 : DType::kINT8;
      prove::Prover prover({net.graph(), checked(program.reference(inputs)), {}}, artifact, *artifact.accelerator,
                           trace.records, trace.host_calls);
      REQUIRE(prover.follow(named));
      const auto proof = prover.proof();
      const auto& output = proof.tensors.back();
      INFO(output.reason);
      CHECK(output.kind == "output");
      CHECK((output.verdict == prove::Verdict::kProved) == (width == 2));
    }
}
