#include <catch2/catch.hpp>

#include "workflow/compare/trace/control_path.hpp"

using namespace macaw;
using compare::ControlPath;
using npu::ControlStep;
using Steps = std::vector<const ControlStep*>;

namespace {

/// A stream, a call of the subgraph at 6, a branch to 5 that may go by way of 3 and 4, a stream; the subgraph is a
/// stream.
npu::Artifact network() {
  npu::Artifact artifact;
  artifact.steps = {npu::CommandStream{},
                    ControlStep{.kind = ControlStep::Kind::kCall, .target = 6},
                    ControlStep{.kind = ControlStep::Kind::kJump, .target = 5, .unless = npu::RegionBinding{0, 7, 1}},
                    ControlStep{.kind = ControlStep::Kind::kGoOn},
                    ControlStep{.kind = ControlStep::Kind::kJump, .target = 5},
                    npu::CommandStream{},
                    npu::CommandStream{},
                    ControlStep{.kind = ControlStep::Kind::kReturn}};
  return artifact;
}

Steps steps(const npu::Artifact& artifact, std::initializer_list<std::size_t> numbers) {
  Steps all;
  for (const auto i : numbers) all.push_back(&std::get<ControlStep>(artifact.steps[i]));
  return all;
}

}  // namespace

TEST_CASE("control steps between streams are found: calls, returns, and the branch that the condition says") {
  const auto artifact = network();
  for (const bool is_set : {false, true}) {
    ControlPath path(artifact);
    std::optional<npu::RegionBinding> asked;
    const auto condition = [&](const npu::RegionBinding& place) {
      asked = place;
      return std::optional(is_set);
    };
    CHECK(path.advance_to(0, condition).empty());
    CHECK(path.advance_to(6, condition) == steps(artifact, {1}));
    CHECK_FALSE(asked);
    const auto rest = path.advance_to(5, condition);
    CHECK(rest == (is_set ? steps(artifact, {7, 2, 3, 4}) : steps(artifact, {7, 2})));
    REQUIRE(asked);
    CHECK(asked->offset == 7);
  }
}

TEST_CASE("a loop of control steps ends, and a step that nothing leads to has none before it") {
  npu::Artifact artifact;
  artifact.steps = {ControlStep{.kind = ControlStep::Kind::kJump, .target = 0}, npu::CommandStream{},
                    ControlStep{.kind = ControlStep::Kind::kGoOn}, npu::CommandStream{}};
  ControlPath path(artifact);
  const auto unknown = [](const npu::RegionBinding&) { return std::optional<bool>(); };
  CHECK(path.advance_to(1, unknown).empty());
  CHECK(path.advance_to(3, unknown) == steps(artifact, {2}));
}
