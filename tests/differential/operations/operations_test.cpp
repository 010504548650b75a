#include <catch2/catch.hpp>

#include <macaw/npu/prepared_network.hpp>
#include <macaw/npu/simulator.hpp>

#include "compiler/compile.hpp"
#include "tests/support/networks/random_network.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

// Compiled random operators on the simulator, compared with the interpreter.
using namespace macaw;
using namespace macaw::test;

namespace {

std::uint64_t runs(std::uint64_t otherwise) {
  const char* text = std::getenv("MACAW_FUZZ_RUNS");
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string names(const RandomNetwork& network) {
  std::string all;
  for (const auto op : network.ops) all.append(to_string(op)).append(" ");
  return all;
}

/// Plain loops, threads and a network that is run again: the same bytes.
void check_other_ways(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                      const std::vector<npu::NamedTensor>& inputs, const std::vector<Tensor>& expected) {
  const auto check = [&](const Result<npu::FunctionalResult>& run, const char* way) {
    INFO(way);
    if (!run) FAIL(run.error().to_string());
    REQUIRE(run->outputs == expected);
  };
  npu::FunctionalOptions scalar, threads;
  scalar.scalar = true;
  threads.threads = 3;
  threads.share_all = true;
  check(npu::run_functional(artifact, accelerator, inputs, scalar), "plain loops");
  check(npu::run_functional(artifact, accelerator, inputs, threads), "three threads");
  // Weights of one layer at a time are kept.
  const auto network = npu::PreparedNetwork::create(artifact, accelerator, 1);
  if (!network) FAIL(network.error().to_string());
  check(network->run(inputs), "a network's first run");
  check(network->run(inputs, threads), "its second, on three threads");
  check(network->run(inputs), "its third");
}

/// Runs on an accelerator and compares every byte. False if the compiler refuses the network.
bool agrees(const RandomNetwork& network, const npu::Accelerator& accelerator, std::map<std::string, int>& refusals) {
  const auto compiled = npu::compile(network.made.graph, accelerator);
  if (!compiled) {
    INFO(compiled.error().to_string());
    REQUIRE(compiled.error().code == ErrorCode::kUnsupported);
    REQUIRE_FALSE(compiled.error().place.op.empty());
    auto op = compiled.error().place.op;
    op = op.substr(op.find('(') == std::string::npos ? 0 : op.find('('));
    ++refusals[op + ": " + compiled.error().message];
    return false;
  }
  std::vector<npu::NamedTensor> inputs;
  for (const auto& tensor : network.made.inputs) inputs.push_back({"", tensor});
  npu::FunctionalOptions options;
  std::string finding;
  options.findings = [&](const npu::Finding& f) {
    if (finding.empty()) finding = f.to_string();
  };
  const auto artifact = npu::to_artifact(*compiled);
  const auto run = npu::run_functional(artifact, accelerator, inputs, options);
  if (!run) FAIL(run.error().to_string());
  REQUIRE(finding == "");
  REQUIRE(run->outputs.size() == network.expected.size());
  for (std::size_t i = 0; i < network.expected.size(); ++i) {
    const auto want = network.expected[i].bytes(), got = run->outputs[i].bytes();
    INFO("output " << i << " " << to_string(network.expected[i].dtype()) << to_string(network.expected[i].shape()));
    REQUIRE(got.size() == want.size());
    const auto differs = std::ranges::mismatch(got, want);
    INFO("first difference in byte " << differs.in1 - got.begin());
    REQUIRE((differs.in1 == got.end()));
  }
  check_other_ways(artifact, accelerator, inputs, run->outputs);
  return true;
}

/// Random single operations, some with what an NPU does in the same operation, until `count` compiled.
void single_operations(npu::Family family, std::uint64_t count) {
  std::vector<const npu::Accelerator*> accelerators;
  for (const auto& a : npu::accelerators())
    if (a.family == family) accelerators.push_back(&a);
  std::map<std::string, int> refusals;
  std::set<tosa::Op> used;
  std::uint64_t done = 0;
  for (std::uint64_t seed = 0; done < count; ++seed) {
    REQUIRE(seed < 4 * count + 100);
    const auto choice = seed % 4 == 0 || family == npu::Family::kU85 ? Choice::kAnything : Choice::kEveryFamily;
    const auto network = random_network(seed, seed % 3 == 0 ? 2 : 1, choice);
    const auto& accelerator = *accelerators[seed % accelerators.size()];
    INFO("seed " << seed << " on " << accelerator.name << ": " << names(network));
    if (!agrees(network, accelerator, refusals)) continue;
    ++done;
    used.insert(network.ops.front());
  }
  std::printf("%s: %llu operations equal, %zu operators\n", std::string(to_string(family)).c_str(),
              static_cast<unsigned long long>(done), used.size());
  for (const auto& [reason, times] : refusals) std::printf("  refused %d times: %s\n", times, reason.c_str());
  if (count >= 400) CHECK(used.size() > (family == npu::Family::kU85 ? 48u : 42u));
}

}  // namespace

TEST_CASE("random operations compile to what the interpreter gives on U55") {
  single_operations(npu::Family::kU55, runs(400));
}
TEST_CASE("random operations compile to what the interpreter gives on U65") {
  single_operations(npu::Family::kU65, runs(400));
}
TEST_CASE("random operations compile to what the interpreter gives on U85") {
  single_operations(npu::Family::kU85, runs(400));
}

TEST_CASE("chains of 32-bit operations and random scales on U85 give what the interpreter gives") {
  const auto count = runs(60);
  std::vector<const npu::Accelerator*> accelerators;
  for (const auto& a : npu::accelerators())
    if (a.family == npu::Family::kU85) accelerators.push_back(&a);
  std::map<std::string, int> refusals;
  std::uint64_t scaled = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const auto network = random_network(2'000'000 + seed, 8 + static_cast<int>(seed % 13), Choice::kWideChain);
    const auto& accelerator = *accelerators[seed % accelerators.size()];
    INFO("seed " << 2'000'000 + seed << " on " << accelerator.name << ": " << names(network));
    REQUIRE(agrees(network, accelerator, refusals));
    const auto compiled = npu::compile(network.made.graph, accelerator);
    for (const auto& step : compiled->network.steps)
      if (const auto* layer = std::get_if<npu::Layer>(&step))
        scaled += layer->block.kind == npu::OpKind::kElementwise && layer->block.ifm.bits == 32 &&
                  layer->block.ofm_scale.scale != 1;
  }
  std::printf("%llu chains equal, %llu operations scale 32-bit results\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(scaled));
  CHECK(scaled >= count);
}

TEST_CASE("random networks of 1 to 12 operators compile to what the interpreter gives") {
  const auto count = runs(60);
  std::map<std::string, int> refusals;
  std::uint64_t done = 0;
  for (std::uint64_t seed = 0; done < count; ++seed) {
    REQUIRE(seed < 2 * count + 100);
    const auto network = random_network(1'000'000 + seed, 1 + static_cast<int>(seed % 12), Choice::kEveryFamily);
    bool all = true;
    for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
      INFO("seed " << 1'000'000 + seed << " on " << name << ": " << names(network));
      all &= agrees(network, *npu::find_accelerator(name), refusals);
    }
    done += all;
  }
  std::printf("%llu networks equal on three accelerators\n", static_cast<unsigned long long>(done));
  for (const auto& [reason, times] : refusals) std::printf("  refused %d times: %s\n", times, reason.c_str());
}
