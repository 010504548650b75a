#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "models/models.hpp"
#include "tests/differential/compare/corruption.hpp"
#include "tests/support/checked.hpp"
#include "workflow/compare/program_trace.hpp"
#include "workflow/prove/prove.hpp"

#include <algorithm>
#include <cstdio>

using namespace macaw;
using macaw::test::checked;

namespace {

struct Subject {
  tosa::Graph graph;
  npu::Artifact artifact;
};

Subject subject(const char* model, const char* accelerator) {
  auto graph = (*checked(models::find(model))).build({.tiny = true, .seed = 1});
  auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
  return {std::move(graph), std::move(artifact)};
}

std::size_t proved(const prove::Proof& proof) {
  return static_cast<std::size_t>(
      std::ranges::count(proof.tensors, prove::Verdict::kProved, &prove::TensorProof::verdict));
}

/// What every operation writes for an input.
std::vector<std::vector<std::byte>> contents(const Subject& subject, const npu::Artifact& artifact,
                                             std::uint64_t seed) {
  std::vector<npu::NamedTensor> inputs;
  for (auto& tensor : checked(models::sample_inputs(subject.graph, seed))) inputs.push_back({"", std::move(tensor)});
  const auto trace = compare::trace_program(artifact, *artifact.accelerator, inputs, false);
  std::vector<std::vector<std::byte>> all;
  if (trace)
    for (const auto& record : trace->records) all.push_back(record.contents);
  return all;
}

}  // namespace

TEST_CASE("products and elementwise operators of sound networks are proved") {
  for (const char* model : {"tiny_cnn", "ds_cnn", "mobilenet_v2"})
    for (const char* accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
      INFO(model << " on " << accelerator);
      const auto sound = subject(model, accelerator);
      const auto proof = checked(prove::prove(sound.graph, sound.artifact, *sound.artifact.accelerator, {.runs = 1}));
      CHECK_FALSE(proof.refuted());
      CHECK(proved(proof) > 0);
      for (const auto& tensor : proof.tensors) {
        INFO(tensor.tensor << ": " << tensor.reason);
        CHECK((tensor.verdict == prove::Verdict::kProved || tensor.kind == "AVG_POOL2D"));
      }
    }
}

TEST_CASE("a fault that changes what an operation writes is not proved right") {
  std::mt19937 random(7);
  unsigned faults = 0, refuted = 0;
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto sound = subject("tiny_cnn", accelerator);
    const auto before =
        proved(checked(prove::prove(sound.graph, sound.artifact, *sound.artifact.accelerator, {.runs = 1})));
    const auto right = contents(sound, sound.artifact, 1);
    for (unsigned found = 0, attempt = 0; found < 15 && attempt < 400; ++attempt) {
      auto artifact = sound.artifact;
      const auto corruption = corrupt(artifact, *artifact.accelerator, random);
      if (!corruption) continue;
      const auto wrong = contents(sound, artifact, 1);
      if (wrong.empty() || wrong == right) continue;
      const auto proof = prove::prove(sound.graph, artifact, *artifact.accelerator, {.runs = 3});
      if (!proof) continue;
      INFO(accelerator << ": " << corruption->what << " of command " << corruption->command);
      CHECK((proof->refuted() || proved(*proof) < before));
      ++found;
      ++faults;
      refuted += proof->refuted();
    }
  }
  std::printf("%u faults, %u refuted by an input, the others not proved\n", faults, refuted);
  CHECK(faults >= 20);
}
