#include <macaw/npu/timed_simulator.hpp>

#include "sim/config/params.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

// Constants that a user may set (`-C NAME=VALUE`): whatever the value, a run ends with cycles or says which one it was.
using namespace macaw;
using namespace macaw::npu;

TEST_CASE("every value of every constant ends in cycles or in an error that names it") {
  for (const std::string name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    const auto artifact = load_artifact("traces/tiny_cnn/" + name + "/tiny_cnn.npz");
    REQUIRE(artifact);
    const auto defaults = default_params(*artifact->accelerator);
    const auto usual = run_timed(*artifact, *artifact->accelerator, {}, {.values = false});
    REQUIRE(usual);
    for (const ParamInfo& param : all_params()) {
      if (std::isnan(defaults.*param.member)) continue;
      for (const double value : {0.0, 1e-9, 0.5, 1.0, 2.0, 3.0, 17.0, 1000.0, 1e9, 1e300}) {
        CAPTURE(name, param.name, value);
        TimedOptions options{.params = {{std::string(param.name), value}}, .values = false};
        options.max_cycles = 100'000'000;
        const auto run = run_timed(*artifact, *artifact->accelerator, {}, options);
        if (run) {
          CHECK(run->cycles > 0);
          CHECK(run->pmu.counts.at("ETHOSU_PMU_MAC_ACTIVE") == usual->pmu.counts.at("ETHOSU_PMU_MAC_ACTIVE"));
          continue;
        }
        CHECK((run.error().code == ErrorCode::kUsage || run.error().code == ErrorCode::kUnsupported));
        CHECK(run.error().message.find(std::string(param.name) + "=") != std::string::npos);
      }
    }
  }
}
