#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "models/graph_builder.hpp"
#include "models/models.hpp"
#include "sim/isa/decoder.hpp"
#include "tests/differential/compare/corruption.hpp"
#include "tests/support/checked.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/prove.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

using namespace macaw;
using macaw::test::checked;

namespace {

struct ProvedPair {
  tosa::Graph graph;
  npu::Artifact artifact;
};

ProvedPair subject(tosa::Graph graph, const char* accelerator) {
  auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
  return {std::move(graph), std::move(artifact)};
}

ProvedPair subject(const char* model, const char* accelerator) {
  return subject((*checked(models::find(model))).build({.tiny = true, .seed = 1}), accelerator);
}

/// A sum or difference of 32 bits whose RESCALE U85 does with OFM_SCALE. That the operands have a scale for each
/// channel keeps them apart from it.
tosa::Graph scaled_sum(bool subtracts) {
  constexpr std::int64_t kChannels = 4;
  models::GraphBuilder net;
  models::Rescale widen, narrow;
  for (int c = 0; c < kChannels; ++c) models::append_scale(widen, 1000.0 * (c + 1));
  models::append_scale(narrow, 1.0 / 3000);
  narrow.output_zp = 3;
  const auto operand = [&](const char* name) {
    return net.rescale(net.input(name, DType::kINT8, {1, 8, 8, kChannels}), DType::kINT32, widen);
  };
  const auto a = operand("a"), b = operand("b");
  net.output(net.rescale(subtracts ? net.sub(a, b) : net.add(a, b), DType::kINT8, narrow), "out");
  return net.graph();
}

/// Pools whose results are concatenated; a table of some of their channels.
tosa::Graph pooled() {
  models::GraphBuilder net;
  const auto input = net.input("x", DType::kINT8, {1, 8, 8, 16});
  const models::Window halves{.kernel = {2, 2}, .stride = {2, 2}};
  const auto both = net.concat({net.max_pool2d(input, halves), net.avg_pool2d(input, halves, 3, -5)}, 3);
  std::vector<std::int8_t> entries;
  for (int i = 0; i < 256; ++i) entries.push_back(static_cast<std::int8_t>(i * 37));
  net.output(net.table(net.slice(both, {0, 0, 0, 8}, {1, 4, 4, 16}), entries), "out");
  return net.graph();
}

/// A table of int8 with one entry changed, and a product that is scaled: neither reads the other.
tosa::Graph two_branches(std::int8_t entry, double scale) {
  models::GraphBuilder net;
  const auto input = net.input("x", DType::kINT8, {1, 4, 4, 8});
  std::vector<std::int8_t> entries;
  for (int i = 0; i < 256; ++i) entries.push_back(static_cast<std::int8_t>(i * 37));
  entries[77] = entry;
  net.output(net.table(input, entries), "looked_up");
  std::vector<std::int8_t> weights;
  for (int i = 0; i < 4 * 8; ++i) weights.push_back(static_cast<std::int8_t>(i * 37));
  models::Rescale narrow;
  models::append_scale(narrow, scale);
  const auto sums =
      net.conv2d(input, models::int8_tensor({4, 1, 1, 8}, weights), models::int32_tensor({4}, {1, 2, 3, 4}), {}, 0);
  const auto narrowed = net.rescale(sums, DType::kINT8, narrow);
  net.output(net.clamp(net.table(narrowed, entries), -100, 100), "scaled");
  return net.graph();
}

/// The last row and column of a padded tensor are read by nothing.
tosa::Graph padded_too_far() {
  models::GraphBuilder net;
  const auto input = net.input("x", DType::kINT8, {1, 8, 9, 16});
  const auto zeros = net.constant(models::int8_tensor({1, 1, 9, 16}, std::vector<std::int8_t>(144, 3)));
  const auto sliced = net.slice(net.concat({input, zeros, zeros}, 1), {0, 0, 0, 0}, {1, 9, 9, 16});
  net.output(net.max_pool2d(sliced, {.kernel = {3, 3}, .stride = {2, 2}}), "out");
  return net.graph();
}

/// Sets the multiplier of every OFM_SCALE to `value`.
unsigned set_multipliers(npu::Artifact& artifact, std::uint32_t value) {
  unsigned set = 0;
  for (auto& step : artifact.steps) {
    auto* commands = std::get_if<npu::CommandStream>(&step);
    if (commands == nullptr) continue;
    for (const auto& command : checked(npu::decode(artifact.accelerator->family, commands->words)))
      if (command.row->name == "NPU_SET_OFM_SCALE") commands->words[command.offset / 4 + 1] = value, ++set;
  }
  return set;
}

/// Whether compare finds the artifact wrong for one of the first inputs.
bool confirmed(const ProvedPair& subject, const npu::Artifact& artifact, unsigned runs) {
  const compare::Program program(subject.graph);
  compare::Comparison comparison;
  for (std::uint32_t seed = 1; seed <= runs; ++seed)
    if (!compare::add_run(comparison, program, artifact, *artifact.accelerator, std::to_string(seed),
                          checked(program.random_inputs(seed))))
      return false;
  return !std::ranges::all_of(comparison.runs, [&](const auto& run) { return comparison.equal(run); });
}

std::size_t proved(const prove::Proof& proof) {
  return static_cast<std::size_t>(
      std::ranges::count(proof.tensors, prove::Verdict::kProved, &prove::TensorProof::verdict));
}

/// Data that every operation writes for an input.
std::vector<std::vector<std::byte>> contents(const ProvedPair& subject, const npu::Artifact& artifact,
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

TEST_CASE("scaled sums of 32 bits on U85 are proved, and refuted with another scale") {
  for (const bool subtracts : {false, true}) {
    INFO((subtracts ? "SUB" : "ADD"));
    const auto sound = subject(scaled_sum(subtracts), "ethos-u85-256");
    const auto& accelerator = *sound.artifact.accelerator;
    const auto proof = checked(prove::prove(sound.graph, sound.artifact, accelerator, {.runs = 1}));
    REQUIRE(proof.tensors.size() >= 2);
    const auto& sum = proof.tensors[proof.tensors.size() - 2];  // before the output
    INFO(sum.tensor << ": " << sum.reason);
    CHECK(sum.verdict == prove::Verdict::kProved);
    CHECK(sum.operators.size() == 2);

    auto wrong = sound.artifact;
    REQUIRE(set_multipliers(wrong, 1) > 0);
    const auto refutation = checked(prove::prove(sound.graph, wrong, accelerator, {.runs = 1}));
    CHECK(refutation.refuted());
    CHECK(confirmed(sound, wrong, 1));
  }
}

TEST_CASE("tables of int8 are proved, and not where an entry differs") {
  models::GraphBuilder net;
  std::vector<std::int8_t> entries;
  for (int i = 0; i < 256; ++i) entries.push_back(static_cast<std::int8_t>(i * 37));
  net.output(net.table(net.input("x", DType::kINT8, {1, 8, 8, 16}), entries), "out");
  entries[77] = static_cast<std::int8_t>(entries[77] ^ 4);
  models::GraphBuilder other;
  other.output(other.table(other.input("x", DType::kINT8, {1, 8, 8, 16}), entries), "out");
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(name);
    const auto sound = subject(net.graph(), name);
    const auto& accelerator = *sound.artifact.accelerator;
    const auto proof = checked(prove::prove(sound.graph, sound.artifact, accelerator, {.runs = 1}));
    REQUIRE(proof.tensors.size() == 2);
    INFO(proof.tensors[0].reason);
    CHECK(proof.tensors[0].verdict == prove::Verdict::kProved);
    const auto refutation = checked(prove::prove(other.graph(), sound.artifact, accelerator, {.runs = 3}));
    CHECK(refutation.refuted());
    CHECK(proved(refutation) == 0);  // only constant inputs give right outputs, which do not show places
  }
}

TEST_CASE("a difference that no random input shows is shown by the operands that it is known for") {
  const auto looked_up = [](std::int8_t changed) {
    models::GraphBuilder net;
    std::vector<std::int8_t> entries;
    for (int i = 0; i < 256; ++i) entries.push_back(static_cast<std::int8_t>(i * 37));
    entries[200] = static_cast<std::int8_t>(entries[200] + changed);
    net.output(net.table(net.input("x", DType::kINT8, {1, 1, 1, 4}), entries), "out");
    return net.graph();
  };
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(name);
    const auto sound = subject(looked_up(0), name);
    const auto proof = checked(prove::prove(looked_up(1), sound.artifact, *sound.artifact.accelerator, {.runs = 1}));
    INFO(prove::to_text(proof));
    REQUIRE(proof.refuted());
    const auto& table = proof.tensors.front();
    CHECK(table.kind == "TABLE");
    CHECK(table.verdict == prove::Verdict::kRefuted);
    CHECK(table.shown_by == "every element of input 0 is 72");
    REQUIRE(table.inputs);
    CHECK(compare::integer_at(table.inputs->front(), 3) == 72);
  }
}

TEST_CASE("operators behind a refuted one and beside it are refuted as well") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(name);
    const auto sound = subject(two_branches(5, 1.0 / 700), name);
    const auto other = two_branches(6, 1.0 / 900);
    const auto proof = checked(prove::prove(other, sound.artifact, *sound.artifact.accelerator, {.runs = 4}));
    INFO(prove::to_text(proof));
    unsigned tables = 0, products = 0;
    for (const auto& tensor : proof.tensors) {
      if (tensor.verdict != prove::Verdict::kRefuted) continue;
      CHECK(tensor.inputs);
      CHECK_FALSE(tensor.shown_by.empty());
      tables += tensor.kind == "TABLE";
      products += tensor.kind == "CONV2D" || tensor.kind == "RESCALE";
    }
    CHECK(tables >= 1);
    CHECK(products == 1);
    const auto right =
        checked(prove::prove(two_branches(5, 1.0 / 700), sound.artifact, *sound.artifact.accelerator, {.runs = 4}));
    CHECK_FALSE(right.refuted());
  }
}

TEST_CASE("what an operation writes and nothing reads refutes nothing") {
  for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(name);
    const auto sound = subject(padded_too_far(), name);
    unsigned calls = 0;
    const auto proof = checked(prove::prove(sound.graph, sound.artifact, *sound.artifact.accelerator,
                                            {.runs = 2, .progress = [&] { ++calls; }}));
    INFO(prove::to_text(proof));
    CHECK_FALSE(proof.refuted());
    CHECK(proof.tried == 6);
    CHECK(calls > proof.tried);
  }
}

TEST_CASE("pools are proved, and where their elements are moved to") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    INFO(name);
    const auto sound = subject(pooled(), name);
    const auto proof = checked(prove::prove(sound.graph, sound.artifact, *sound.artifact.accelerator, {.runs = 1}));
    std::set<std::string> kinds;
    for (const auto& tensor : proof.tensors) {
      INFO(tensor.kind << " " << tensor.tensor << ": " << tensor.reason);
      CHECK(tensor.verdict != prove::Verdict::kRefuted);
      if (tensor.verdict == prove::Verdict::kProved) kinds.insert(tensor.kind);
    }
    for (const char* kind : {"AVG_POOL2D", "MAX_POOL2D", "TABLE", "output"}) {
      INFO(kind);
      CHECK(kinds.contains(kind));
    }
  }
}

TEST_CASE("a fault that changes what an operation writes is not proved right") {
  std::mt19937 random(7);
  unsigned faults = 0, refuted = 0;
  std::vector<ProvedPair> subjects;
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    subjects.push_back(subject("tiny_cnn", accelerator));
    subjects.push_back(subject(pooled(), accelerator));
  }
  for (const auto& sound : subjects) {
    const auto before =
        proved(checked(prove::prove(sound.graph, sound.artifact, *sound.artifact.accelerator, {.runs = 1})));
    const auto right = contents(sound, sound.artifact, 1);
    for (unsigned found = 0, attempt = 0; found < 30 && attempt < 1000; ++attempt) {
      auto artifact = sound.artifact;
      const auto corruption = corrupt(artifact, *artifact.accelerator, random);
      if (!corruption) continue;
      const auto wrong = contents(sound, artifact, 1);
      if (wrong.empty() || wrong == right) continue;
      const auto proof = prove::prove(sound.graph, artifact, *artifact.accelerator, {.runs = 3});
      if (!proof) continue;
      INFO(sound.artifact.accelerator->name << ": " << corruption->what << " of command " << corruption->command);
      CHECK((proof->refuted() || proved(*proof) < before));
      if (proof->refuted()) CHECK(confirmed(sound, artifact, 3));
      ++found;
      ++faults;
      refuted += proof->refuted();
    }
  }
  std::printf("%u faults, %u refuted by an input, the others not proved\n", faults, refuted);
  CHECK(faults >= 120);
}
