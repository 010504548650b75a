#include <macaw/npu/timed_simulator.hpp>

#include <catch2/catch.hpp>
#include <string>

// The latency of the memory itself, behind that of the timing adapter.
using namespace macaw::npu;

TEST_CASE("the memory's own latency shows where the timing adapter adds less") {
  const auto artifact = load_artifact("traces/tiny_cnn/ethos-u85-256/tiny_cnn.npz");
  REQUIRE(artifact);
  const auto cycles = [&](double adapter, double own) {
    TimedOptions options{.params = {{"axi1.read_latency", adapter}, {"axi1.access_latency", own}}, .values = false};
    const auto run = run_timed(*artifact, *artifact->accelerator, {}, options);
    REQUIRE(run);
    return run->cycles;
  };
  CHECK(cycles(250, 0) == cycles(250, 250));
  CHECK(cycles(0, 40) == cycles(40, 0));
  CHECK(cycles(0, 40) > cycles(0, 0));
}
