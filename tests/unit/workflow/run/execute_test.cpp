#include <macaw/npu/run.hpp>

#include <catch2/catch.hpp>

#include <macaw/interruption.hpp>
#include <macaw/npy.hpp>

#include "tests/support/checked.hpp"

using namespace macaw;
using namespace macaw::npu;
using macaw::test::checked;

namespace {

struct Network {
  Artifact artifact = checked(load_artifact("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"));
  std::vector<NamedTensor> inputs{{"", checked(read_tensor("traces/tiny_cnn/input_0.npy"))}};

  [[nodiscard]] RunSpec spec(RunMode mode) const {
    return {.artifact = artifact, .accelerator = *artifact.accelerator, .inputs = inputs, .mode = mode};
  }
};

}  // namespace

TEST_CASE("a mode decides whether a run has values and time") {
  const Network network;
  const auto functional = checked(execute(network.spec(RunMode::kFunctional)));
  const auto timed = checked(execute(network.spec(RunMode::kTimed)));
  const auto timing = checked(execute(network.spec(RunMode::kTiming)));
  CHECK((functional.cycles == 0 && functional.operations.empty()));
  CHECK((timed.cycles != 0 && timed.cycles == timing.cycles));
  REQUIRE((functional.outputs.size() == 1 && timed.outputs.size() == 1 && timing.outputs.empty()));
  CHECK(functional.outputs[0].crc32 == timed.outputs[0].crc32);
  CHECK((timed.outputs[0].file == "output_0.npy" && timed.outputs[0].name == network.artifact.outputs[0].name));
  CHECK((timed.network == "tiny_cnn.npz" && timed.accelerator == network.artifact.accelerator));
  CHECK((functional.mode == RunMode::kFunctional && to_string(timing.mode) == "timing"));
  const auto prepared = checked(PreparedNetwork::create(network.artifact, *network.artifact.accelerator));
  CHECK(checked(execute(prepared, network.inputs)).outputs == functional.values.outputs);
}

TEST_CASE("progress counts cycles, in a functional run operations, beside the observer of the caller") {
  const Network network;
  std::uint64_t done = 0, seen = 0;
  auto spec = network.spec(RunMode::kFunctional);
  spec.options.progress = [&](std::uint64_t more) { done += more; };
  spec.options.functional.observer = [&](const OperationEvent&) { ++seen; };
  const auto functional = checked(execute(spec));
  CHECK(done == functional.values.block_operations + functional.values.dma_operations);
  CHECK(seen == done);
  done = 0;
  spec.mode = RunMode::kTimed;
  (void)checked(execute(spec));
  CHECK(done != 0);
}

TEST_CASE("findings are reported once, however many steps there are") {
  Network network;
  network.artifact.inputs.clear();  // so that nothing has written what the first operation reads
  network.inputs.clear();
  int observed = 0, found = 0;
  auto spec = network.spec(RunMode::kFunctional);
  spec.options.functional.observer = [&](const OperationEvent&) { ++observed; };
  spec.options.functional.findings = [&](const Finding&) { ++found; };
  (void)checked(execute(spec));
  const auto once = std::pair(observed, found);
  REQUIRE(found != 0);
  observed = found = 0;
  spec.steps = 3;
  (void)checked(execute(spec));
  CHECK(observed == 3 * once.first);
  CHECK(found == once.second);
}

TEST_CASE("an interruption ends a run in every mode") {
  const Network network;
  const Interruption wanted([] { return true; });
  for (const auto mode : {RunMode::kFunctional, RunMode::kTimed, RunMode::kTiming})
    CHECK(execute(network.spec(mode)).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("counters are checked before a run and read after it") {
  const Network network;
  auto spec = network.spec(RunMode::kTiming);
  spec.events = {"NPU_ACTIVE"};
  const auto record = checked(execute(spec));
  REQUIRE(record.counters.size() == 1);
  CHECK(record.counters[0].value == record.cycles);
  spec.events = {"SRAM_RD_TRANS_ACCEPTED"};
  CHECK(execute(spec).error().code == ErrorCode::kUsage);
}
