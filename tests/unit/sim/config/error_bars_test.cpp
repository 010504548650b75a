#include "sim/config/error_bars.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

const MeasuredError* error_of(const char* name, const SetupRequest& request) {
  const auto setup = resolve_setup(accelerator(name), request);
  if (!setup) FAIL(setup.error().to_string());
  return measured_error(accelerator(name), *setup);
}

}  // namespace

TEST_CASE("a configuration has the error that was measured with its adapter on or off") {
  for (const MeasuredError& row : measured_errors()) {
    const std::string name(row.accelerator);
    CAPTURE(name, row.timing_adapter);
    CHECK(error_of(name.c_str(), {.timing_adapter = row.timing_adapter}) == &row);
    CHECK(row.mean <= row.worst);
    CHECK(row.worst < 0.1);
  }
  CHECK(error_of("ethos-u85-256", {.timing_adapter = false}) == nullptr);
}

TEST_CASE("the modes that were measured are Shared_Sram of U55 and Dedicated_Sram of the others") {
  struct Row {
    const char *name, *mode;
    bool measured;
  };
  for (const Row& row : {Row{"ethos-u55-128", "Shared_Sram", true},
                         {"ethos-u55-128", "Dedicated_Sram", false},
                         {"ethos-u55-128", "Sram_Only", false},
                         {"ethos-u65-256", "Dedicated_Sram", true},
                         {"ethos-u65-256", "Shared_Sram", false},
                         {"ethos-u85-512", "Dedicated_Sram", true},
                         {"ethos-u85-512", "Shared_Sram", false}}) {
    CAPTURE(row.name, row.mode);
    CHECK((error_of(row.name, {.memory_mode = row.mode}) != nullptr) == row.measured);
  }
}

TEST_CASE("another system, and any value that is overridden, have no measured error") {
  CHECK(error_of("ethos-u55-128", {.system = "ideal"}) == nullptr);
  CHECK(error_of("ethos-u55-128", {.overrides = {{"axi0.read_latency", 32}}}) == nullptr);
  CHECK(error_of("ethos-u55-128", {.overrides = {{"clock_hz", 1e9}}}) == nullptr);
}
