#include "sim/config/setup.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <limits>

using namespace macaw::npu;

namespace {

const Accelerator& u55() { return *find_accelerator("ethos-u55-128"); }

Setup resolved(const char* accelerator, const SetupRequest& request = {}) {
  auto setup = resolve_setup(*find_accelerator(accelerator), request);
  if (!setup) FAIL(setup.error().to_string());
  return std::move(*setup);
}

std::string error_of(const SetupRequest& request, macaw::ErrorCode code = macaw::ErrorCode::kUsage) {
  const auto setup = resolve_setup(u55(), request);
  REQUIRE_FALSE(setup);
  CHECK(setup.error().code == code);
  return setup.error().message;
}

}  // namespace

TEST_CASE("the system follows the accelerator") {
  for (const auto* name : {"ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256"})
    CHECK(resolved(name).system.name == "corstone-300-u55");
  for (const auto* name : {"ethos-u65-256", "ethos-u65-512"}) CHECK(resolved(name).system.name == "corstone-300-u65");
  for (const auto* name : {"ethos-u85-128", "ethos-u85-256"})
    CHECK(resolved(name).system.name == "corstone-320-u85-low");
  for (const auto* name : {"ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"})
    CHECK(resolved(name).system.name == "corstone-320-u85-mid");
  CHECK(resolved("ethos-u85-1024", {.system = "mps4-fpga-u85-1024", .overrides = {}}).system.clock_hz == 50e6);
}

TEST_CASE("overrides reach parameters and memories, and are listed") {
  const auto setup = resolved("ethos-u85-256", {.overrides = {{"irq_delay", 7},
                                                              {"ext.read_latency", 9},
                                                              {"axi0.max_reads", 3},
                                                              {"ext.burst_bytes", 64},
                                                              {"region7.address", 48}}});
  CHECK(setup.params.irq_delay == 7);
  CHECK(setup.burst_bytes == std::array<std::uint32_t, 2>{256, 64});
  CHECK(setup.system.memory[1].read_latency == 9);
  CHECK(setup.system.memory[0].max_reads == 3);
  CHECK(setup.overridden == std::vector<std::string>{"irq_delay", "axi1.read_latency", "axi0.max_reads",
                                                     "axi1.burst_bytes", "region7.address"});
  CHECK(setup.addresses[8] == 48u);
}

TEST_CASE("without the adapter memory is ideal, and fields that are set still count") {
  const auto setup = resolved("ethos-u55-128", {.timing_adapter = false, .overrides = {{"axi1.read_latency", 5}}});
  CHECK(setup.system.memory[0] == MemoryTiming{});
  CHECK(setup.system.memory[1] == MemoryTiming{.read_latency = 5});
}

TEST_CASE("the clock is the system's unless another is asked for") {
  const auto setup = resolved("ethos-u55-128", {.overrides = {{"clock_hz", 123e6}}});
  CHECK(setup.overridden == std::vector<std::string>{"clock_hz"});
  CHECK(setup.system.clock_hz == 123e6);
  for (const double wrong : {-1.0, 0.5, 2e12, std::numeric_limits<double>::quiet_NaN()})
    CHECK(error_of({.overrides = {{"clock_hz", wrong}}}).find("clock") != std::string::npos);
}

TEST_CASE("a wrong name or value is told apart, near names are listed") {
  CHECK(error_of({.system = "corstone-300-u56", .overrides = {}}).find("did you mean 'corstone-300-u55'") !=
        std::string::npos);
  CHECK(error_of({.memory_mode = "SharedSram", .overrides = {}}).find("did you mean 'Shared_Sram'?") !=
        std::string::npos);
  CHECK(error_of({.overrides = {{"ao_blockstart", 1}}}).find("did you mean 'ao_block_start'?") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi0.readlatency", 1}}}).find("'axi0.read_latency'") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi2.read_latency", 1}}}).find("did you mean 'axi0.read_latency'") !=
        std::string::npos);
  for (const char* of_u85 : {"sram.read_latency", "ext.read_latency", "sram.burst_bytes", "ext.burst_bytes"})
    CHECK(error_of({.overrides = {{of_u85, 64}}}).find("unknown timing parameter") != std::string::npos);
  CHECK(error_of({.overrides = {{"irq_delay", -1}}}).find("irq_delay") != std::string::npos);
  CHECK(error_of({.overrides = {{"kernel_start", 1}}}).find("does not apply") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi0.read_latency", 4096}}}).find("0 to 4095") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi0.read_latency", 1.5}}}).find("integer") != std::string::npos);
  CHECK(error_of({.overrides = {{"region8.address", 16}}}).find("'region0.address'") != std::string::npos);
  CHECK(error_of({.overrides = {{"stream.address", 24}}}).find("multiple of 16") != std::string::npos);
  CHECK(resolved("ethos-u55-128", {.overrides = {{"stream.address", 0x1p40 - 16}}}).addresses[0] == 0xff'ffff'fff0u);
  CHECK(error_of({.overrides = {{"stream.address", 0x1p40}}}).find("below 2^40") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi1.burst_bytes", 32}}}).find("64, 128 or 256") != std::string::npos);
  CHECK(error_of({.overrides = {{"axi0.pulse_off", 0}}}).find("pulse_on") != std::string::npos);
  CHECK(error_of({.system = "corstone-300-u65", .overrides = {}}, macaw::ErrorCode::kMismatch).find("ethos-u65-256") !=
        std::string::npos);
}

TEST_CASE("each name of a memory and of an address has its own place") {
  for (const auto& [name, side] : {std::pair("axi0", 0U), {"axi1", 1U}, {"sram", 0U}, {"ext", 1U}}) {
    const auto setup =
        resolved("ethos-u85-256",
                 {.overrides = {{std::string(name) + ".burst_bytes", 128}, {std::string(name) + ".max_writes", 63}}});
    CAPTURE(name);
    CHECK(setup.burst_bytes[side] == 128);
    CHECK(setup.burst_bytes[1 - side] == 256);
    CHECK(setup.system.memory[side].max_writes == 63);
    CHECK(setup.system.memory[1 - side].max_writes != 63);
  }
  for (std::size_t region = 0; region < 8; ++region) {
    const auto setup = resolved("ethos-u55-128", {.overrides = {{fmt::format("region{}.address", region), 32}}});
    for (std::size_t place = 0; place < 9; ++place) CHECK(setup.addresses[place].has_value() == (place == region + 1));
  }
  CHECK(resolved("ethos-u65-256").burst_bytes == std::array<std::uint32_t, 2>{128, 128});
  for (const char* wrong : {"region.address", "region10.address", "region/.address", "regions.address", "address"})
    CHECK(error_of({.overrides = {{wrong, 16}}}).find("unknown timing parameter") != std::string::npos);
}

TEST_CASE("values that a user sets reach their limits and no further") {
  struct Row {
    const char* name;
    double value;
    bool holds;
  };
  for (const Row& row : {Row{"clock_hz", 1, true},
                         {"clock_hz", 0.99, false},
                         {"clock_hz", 1e12, true},
                         {"axi0.read_latency", 4095, true},
                         {"axi0.read_latency", -1, false},
                         {"axi0.traffic", 0.95, true},
                         {"axi0.traffic", 0.96, false},
                         {"axi1.burst_bytes", 64, true},
                         {"axi1.burst_bytes", 256, true},
                         {"axi1.burst_bytes", 512, false},
                         {"stream.address", 0, true},
                         {"stream.address", 8, false},
                         {"stream.address", -16, false},
                         {"irq_delay", 0, true},
                         {"axi0.beats_per_cycle", 0.00005, false}}) {
    CAPTURE(row.name, row.value);
    CHECK(resolve_setup(u55(), {.overrides = {{row.name, row.value}}}).has_value() == row.holds);
  }
}
