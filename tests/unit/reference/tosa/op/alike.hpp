#pragma once
#include "reference/tosa/kernels/workers.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"
#include "tests/unit/reference/tosa/op/targets.hpp"

#include <cstring>

namespace macaw::tosa {

struct Problem {
  Op op;
  std::vector<Tensor> inputs;
  Out out;
  Attributes attributes = {};
};

/// Every SIMD target, number of threads and the plain kernels give the same bytes and findings.
inline void check_alike(const Problem& problem) {
  INFO(to_string(problem.op) << ' ' << to_string(problem.inputs.front().dtype()) << " to "
                             << macaw::to_string(problem.out.dtype));
  const auto run = [&](Engine engine) {
    return run_operator(problem.op, problem.inputs, problem.out, problem.attributes, Mode::kNormal, engine);
  };
  const auto expected = run({Kernels::kScalar});
  REQUIRE(expected.broken.empty());
  const auto compare = [&](const Outcome& outcome) {
    const auto bytes = outcome.output.bytes(), wanted = expected.output.bytes();
    REQUIRE(bytes.size() == wanted.size());
    REQUIRE(std::memcmp(bytes.data(), wanted.data(), bytes.size()) == 0);
    REQUIRE(std::ranges::equal(outcome.findings, expected.findings, {}, &BrokenRule::rule, &BrokenRule::rule));
  };
  for_each_target([&] { compare(run({})); });
  for (const auto& [kernels, threads] :
       {std::pair{Kernels::kBest, 2}, {Kernels::kBest, 3}, {Kernels::kBest, 7}, {Kernels::kScalar, 3}}) {
    INFO(threads << " threads");
    Workers workers(threads);
    compare(run({kernels, &workers}));
  }
}

}  // namespace macaw::tosa
