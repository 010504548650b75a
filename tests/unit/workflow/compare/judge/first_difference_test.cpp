#include "workflow/compare/judge/first_difference.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/expansion.hpp"

#include <catch2/catch.hpp>

// The first wrong operator where a network's operators cannot be divided into smaller ones.
using namespace macaw;
using namespace macaw::compare;
using test::checked;

namespace {

/// A graph that says of its expansion that it failed.
class Undivided final : public Program::Kind {
 public:
  Undivided(const tosa::Graph& graph, ErrorCode code) : program_(graph), code_(code) {}

  [[nodiscard]] const char* word() const override { return program_.kind(); }
  [[nodiscard]] std::vector<std::string> input_names() const override { return program_.input_names(); }
  [[nodiscard]] std::vector<InputPort> input_ports() const override { return program_.input_ports(); }
  [[nodiscard]] IndexRanges index_ranges() const override { return {}; }
  [[nodiscard]] Result<std::vector<Tensor>> random_inputs(std::uint32_t seed,
                                                          const StatedRanges& /*stated*/) const override {
    return program_.random_inputs(seed);
  }
  [[nodiscard]] Result<std::vector<Tensor>> typed_inputs(const std::vector<Tensor>& inputs) const override {
    return inputs;
  }
  [[nodiscard]] bool shares_names() const override { return false; }
  [[nodiscard]] Result<Reference> reference(const std::vector<Tensor>& inputs) const override {
    return program_.reference(inputs);
  }
  [[nodiscard]] Result<std::vector<Tensor>> outputs_with(const std::vector<Tensor>& inputs, const Reference& reference,
                                                         const Overrides& overrides) const override {
    return program_.outputs_with(inputs, reference, overrides);
  }
  [[nodiscard]] Result<std::shared_ptr<const Expansion>> expand(const std::vector<Tensor>& /*inputs*/,
                                                                const Reference& /*reference*/) const override {
    return fail(code_, "the smaller operators give other results");
  }

 private:
  Program program_;
  ErrorCode code_;
};

/// The notes of a run whose output differs in an element.
std::vector<std::string> notes_of(ErrorCode code, bool equal) {
  tosa::test::GraphBuilder b;
  const auto x = b.input("x", DType::kINT32, {2}), out = b.value("out", DType::kINT32, {2});
  b.add(tosa::Op::kABS, {x}, {out});
  b.output(out);
  const auto graph = b.graph();
  const Program program(std::make_shared<const Undivided>(graph, code));
  const std::vector<Tensor> inputs{tosa::test::tensor<std::int32_t>(DType::kINT32, {2}, {-3, 4})};
  const auto reference = checked(program.reference(inputs));
  Trace trace;
  trace.outputs = {tosa::test::tensor<std::int32_t>(DType::kINT32, {2}, {3, equal ? 4 : 5})};
  const auto outputs = checked(compare_outputs(reference, trace.outputs));
  const npu::Artifact artifact;
  const IntermediateMatches none(reference);
  const Sides sides{artifact, *npu::find_accelerator("ethos-u55-128"), trace, none, &program, &inputs};
  return find_difference(sides, reference, outputs, {}).notes;
}

}  // namespace

TEST_CASE("smaller operators that give other results than the network are a note") {
  CHECK(notes_of(ErrorCode::kMismatch, false) ==
        std::vector<std::string>{
            "operators were not divided into smaller ones: the smaller operators give other results"});
  CHECK(notes_of(ErrorCode::kUnsupported, false).empty());
  CHECK(notes_of(ErrorCode::kMismatch, true).empty());
}
