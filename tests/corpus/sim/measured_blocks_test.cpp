#include "sim/blocks/walk.hpp"
#include "sim/config/cost.hpp"
#include "sim/config/system_config.hpp"
#include "sim/isa/command_parser.hpp"
#include "tests/support/corpus.hpp"

#include <macaw/npu/artifact.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <variant>

using namespace macaw;
using namespace macaw::npu;

namespace {

struct Counters {
  std::array<std::uint64_t, 2> reads{}, writes{};
  std::uint64_t mac_active = 0;
  double mac_bound = 0;
};

/// Cycles that a step holds the MAC array when it waits for the decoder: each weight block takes the longer of both.
double mac_cycles(const Accelerator& npu, const Params& params, const MacWork& mac) {
  const auto cycles = static_cast<double>(mac.cycles);
  const double longest = mac.uses_weights ? std::max(cycles, weight_block_decode_cycles(npu, params)) : cycles;
  return static_cast<double>(mac.weight_blocks) * longest;
}

struct Machine {
  const Accelerator& npu;
  const MemoryMode& mode;
  Params params;
  Counters counters;

  void add(const TransferList& list) {
    for (const auto& transfer : list) {
      const auto side = static_cast<std::size_t>(mode.side(transfer.region));
      (transfer.write() ? counters.writes : counters.reads)[side] +=
          transfer.beats(static_cast<unsigned>(npu.beat_bytes));
    }
  }
  void add(const BlockOperation& op) {
    auto walk = BlockWalk::create(op, npu);
    REQUIRE(walk);
    IfmBlock step;
    for (OfmBlock block; walk->next_block(block);) {
      add(block.scales);
      add(block.writes);
      while (walk->next_step(step)) {
        for (const auto* list : {&step.reads, &step.reads2, &step.weights}) add(*list);
        const auto& mac = step.mac;
        counters.mac_active += mac.active();
        if (npu.family != Family::kU85) counters.mac_bound += mac_cycles(npu, params, mac);
      }
    }
  }
  void add(const DmaOperation& op) {
    const auto traffic = dma_traffic(op);
    for (const auto* list : {&traffic.reads, &traffic.writes, &traffic.indices}) add(*list);
  }
  void add(const CommandStream& stream) {
    TransferList fetch;
    fetch.push_back(contiguous(Channel::kReadCommands, -1, 0, stream.words.size() * 4));
    add(fetch);
    const auto program = parse_program(npu, stream.words);
    REQUIRE(program);
    for (const auto& step : *program) {
      if (const auto* op = std::get_if<BlockOperation>(&step.action)) add(*op);
      if (const auto* dma = std::get_if<DmaOperation>(&step.action)) add(*dma);
    }
  }
};

Counters count(const std::filesystem::path& file, const char* mode_name) {
  const auto artifact = load_artifact(file);
  REQUIRE(artifact);
  REQUIRE(artifact->accelerator != nullptr);
  const auto system = load_system_config("ideal");
  REQUIRE(system);
  const auto mode = system->find_mode(mode_name);
  REQUIRE(mode);
  Machine machine{*artifact->accelerator, *mode, default_params(*artifact->accelerator), {}};
  for (const auto& step : artifact->steps)
    if (const auto* stream = std::get_if<CommandStream>(&step)) machine.add(*stream);
  return machine.counters;
}

struct Row {
  const char *artifact, *mode;
  std::int64_t reads0, writes0, reads1, writes1, mac_active, mac_bound;
};
constexpr Row kRows[] = {
#define MEASURED(...) {__VA_ARGS__},
#include "tests/corpus/sim/measured_networks.def"
#undef MEASURED
};

}  // namespace

TEST_CASE("beats of measured networks are exact on every port") {
  if (!macaw::test::in_corpus("measured/measurements.json")) return;
  for (const auto& row : kRows) {
    CAPTURE(row.artifact);
    const auto counters = count(macaw::test::corpus("measured/artifacts") / row.artifact, row.mode);
    CHECK(counters.reads[0] == static_cast<std::uint64_t>(row.reads0));
    CHECK(counters.writes[0] == static_cast<std::uint64_t>(row.writes0));
    CHECK(counters.reads[1] == static_cast<std::uint64_t>(row.reads1));
    if (row.writes1 >= 0) CHECK(counters.writes[1] == static_cast<std::uint64_t>(row.writes1));
    if (row.mac_active >= 0) CHECK(counters.mac_active == static_cast<std::uint64_t>(row.mac_active));
    if (row.mac_bound >= 0) CHECK(counters.mac_bound == static_cast<double>(row.mac_bound));
  }
}

// Alif Ensemble E7 silicon, Ethos-U55-256: one fully connected layer, its inputs or its neurons swept.
TEST_CASE("MAC_ACTIVE of fully connected layers equals silicon") {
  if (!macaw::test::in_corpus("measured/measurements.json")) return;
  std::ifstream file(macaw::test::corpus("measured/measurements.json"));
  const auto measurements = nlohmann::json::parse(file);
  int points = 0;
  for (const auto& entry : measurements) {
    const auto id = entry.at("id").get<std::string>();
    const std::string prefix = "S10-AlifE7-";
    if (!id.starts_with(prefix)) continue;
    const int fixed = std::stoi(id.substr(prefix.size()));
    const bool inputs_fixed = id.find("_input_size_only") != std::string::npos;
    for (const auto& [key, value] : entry.at("metrics").items()) {
      const int swept = std::stoi(key);
      BlockOperation op;
      op.ofm.h = op.ofm.w = op.ifm.h = op.ifm.w = 1;
      op.ifm.c = inputs_fixed ? fixed : swept;
      op.ofm.c = inputs_fixed ? swept : fixed;
      op.block = {2, 2, 128};
      const auto totals = walk_totals(op, *find_accelerator("ethos-u55-256"));
      REQUIRE(totals);
      CAPTURE(id, key);
      CHECK(totals->mac_active == value.at("mac_active").get<std::uint64_t>());
      ++points;
    }
  }
  CHECK(points == 132);
}
