#include "workflow/report/layers.hpp"
#include "workflow/run/exclusive_cycles.hpp"

#include <catch2/catch.hpp>

#include <random>

// Layers of random runs laid beside what their words in layers.hpp say, cycle by cycle and byte by byte.
using namespace macaw;

namespace {

constexpr std::uint64_t kCycles = 150;

npu::RunRecord overlapping_run(std::mt19937& random) {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.region_side = {1, 0, 0, 1, 0, 0, 0, 0};
  run.cycles = kCycles;
  std::vector<run::Interval> intervals;
  for (std::uint64_t i = 0; i < 12; ++i) {
    npu::OperationTiming o;
    o.step = i / 5;
    o.command = 3 * i;
    o.name = random() % 3 == 0 ? "NPU_OP_DMA_START" : "NPU_OP_CONV";
    constexpr const char* kSources[] = {"", "", "Conv2D 'a'", "Conv2D 'b'"};
    o.source = kSources[random() % 4];
    o.start = 10 * i + random() % 10;
    o.end = o.start + random() % 28;
    o.macs = random() % 1000;
    for (const char* unit : {"mac", "weight_read", "dma"})
      if (random() % 2 == 0) o.busy.emplace_back(unit, random() % 50);
    o.bound = random() % 2 == 0 ? "axi0" : "axi1";
    for (const bool write : {false, true}) {
      const auto first = random() % 40;
      o.memory.push_back(
          {write ? "ofm" : "ifm", static_cast<int>(random() % 4), random() % 99, first, first + random() % 9, write});
    }
    intervals.push_back({o.start, o.end, o.is_dma()});
    run.operations.push_back(o);
  }
  const auto held = run::exclusive_cycles(intervals, kCycles);
  for (std::size_t i = 0; i < held.size(); ++i) run.operations[i].exclusive = held[i];
  return run;
}

/// Keys that distinguish the layers of a run, by operation.
std::vector<std::string> keys(const npu::RunRecord& run) {
  std::vector<std::string> all(run.operations.size());
  for (std::size_t i = all.size(); i-- > 0;) {
    const auto& o = run.operations[i];
    const bool has_next = i + 1 < all.size() && run.operations[i + 1].step == o.step;
    if (!o.source.empty()) all[i] = o.source;
    else if (o.is_dma() && has_next) all[i] = all[i + 1];
    else all[i] = std::to_string(i);
  }
  return all;
}

bool is_in_progress(const npu::OperationTiming& o, std::uint64_t cycle) { return o.start <= cycle && cycle < o.end; }

std::uint64_t alive_at(const npu::RunRecord& run, const report::Summary& summary, int side, std::uint64_t cycle) {
  std::uint64_t bytes = 0;
  for (const auto& life : summary.lifetimes)
    if (run.region_side[static_cast<std::size_t>(life.region)] == side && life.start <= cycle && cycle < life.end)
      bytes += life.bytes();
  return bytes;
}

void check_layer(const npu::RunRecord& run, const report::Summary& summary, const report::Layer& layer) {
  std::uint64_t inclusive = 0, exclusive = 0, macs = 0;
  std::array<std::uint64_t, 2> alive{}, moved{};
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    const auto is_busy = [&](std::size_t i) { return is_in_progress(run.operations[i], cycle); };
    if (!std::ranges::any_of(layer.operations, is_busy)) continue;
    ++inclusive;
    for (const std::size_t side : {0, 1})
      alive[side] = std::max(alive[side], alive_at(run, summary, static_cast<int>(side), cycle));
  }
  for (const auto i : layer.operations) {
    const auto& o = run.operations[i];
    exclusive += o.exclusive.working + o.exclusive.waiting;
    macs += o.macs;
    for (const auto& m : o.memory) moved[m.region == 0 || m.region == 3 ? 1 : 0] += m.bytes;
    // An operation without length is at work in no cycle, but has its operands.
    if (o.start == o.end)
      for (const std::size_t side : {0, 1})
        alive[side] = std::max(alive[side], alive_at(run, summary, static_cast<int>(side), o.start));
  }
  CHECK(layer.inclusive == inclusive);
  CHECK(layer.exclusive == exclusive);
  CHECK(layer.macs == macs);
  CHECK(layer.alive == alive);
  CHECK(layer.moved(0) == moved[0]);
  CHECK(layer.moved(1) == moved[1]);
}

}  // namespace

TEST_CASE("layers are the operations of a source, with the copies that go before them") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const auto run = overlapping_run(random);
    const auto summary = report::summarise(run);
    const auto key = keys(run);
    std::vector<std::string> order;
    for (const auto& k : key)
      if (std::ranges::find(order, k) == order.end()) order.push_back(k);
    REQUIRE(summary.layers.size() == order.size());
    for (std::size_t layer = 0; layer < order.size(); ++layer) {
      std::vector<std::size_t> expected;
      for (std::size_t i = 0; i < key.size(); ++i)
        if (key[i] == order[layer]) expected.push_back(i);
      CHECK(summary.layers[layer].operations == expected);
      for (const auto i : expected) CHECK(summary.layer_of[i] == layer);
      check_layer(run, summary, summary.layers[layer]);
    }
  }
}

TEST_CASE("cycles of a run go to what bound its operations, and waiting to the command stream") {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    const auto run = overlapping_run(random);
    std::map<report::Bound, std::uint64_t> expected;
    for (const auto& o : run.operations) {
      std::uint64_t most = 0;
      report::Bound bound{o.bound, {}};
      for (const auto& [unit, cycles] : o.busy)
        if (&unit == &o.busy.front().first || cycles > most) {
          most = cycles;
          bound = {unit, unit == "weight_read" ? o.bound : std::string()};
        }
      CHECK(report::bound_of(o) == bound);
      expected[bound] += o.exclusive.working;
      expected[{"command_processor", ""}] += o.exclusive.waiting;
    }
    std::erase_if(expected, [](const auto& row) { return row.second == 0; });
    const auto bounds = report::summarise(run).bounds;
    CHECK(std::map(bounds.begin(), bounds.end()) == expected);
    CHECK(std::ranges::is_sorted(bounds, std::greater{}, [](const auto& row) { return row.second; }));
    std::uint64_t sum = 0;
    for (const auto& [bound, cycles] : bounds) sum += cycles;
    CHECK(sum == kCycles);
  }
  npu::RunRecord empty;
  empty.accelerator = npu::find_accelerator("ethos-u85-256");
  empty.cycles = 7;
  CHECK(report::summarise(empty).bounds ==
        std::vector<std::pair<report::Bound, std::uint64_t>>{{{"command_processor", ""}, 7}});
}

TEST_CASE("layers are bound by what most of their cycles are, and told in words") {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator("ethos-u65-512");
  for (const auto& [unit, working] :
       {std::pair<const char*, std::uint64_t>("mac", 40), {"ofm_write", 60}, {"mac", 30}}) {
    npu::OperationTiming o;
    o.name = "NPU_OP_CONV";
    o.source = "Conv2D 'a'";
    o.bound = "axi1";
    o.busy = {{unit, 5}, {"dma", 4}};
    o.exclusive.working = working;
    o.command = 9;
    run.operations.push_back(o);
  }
  run.operations[1].exclusive.waiting = 69;
  const auto layer = report::summarise(run).layers.at(0);
  CHECK(layer.bound == report::Bound{"mac", ""});
  CHECK(layer.bound.to_string() == "MAC array");
  run.operations[0].exclusive.working = 29;
  CHECK(report::summarise(run).layers.at(0).bound == report::Bound{"command_processor", ""});
  run.operations[1].exclusive.waiting = 0;
  CHECK(report::summarise(run).layers.at(0).bound.to_string() == "feature maps written on axi1");
  for (auto& o : run.operations) {
    o.source.clear();
    o.step = 2;
  }
  run.operations[2].kind = "MaxPool";
  const auto layers = report::summarise(run).layers;
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].name == "CONV (command 9)");
  CHECK(layers[0].kind == "NPU_OP_CONV");
  CHECK(layers[2].kind == "MaxPool");
  CHECK(report::Bound{"ifm_read", "ext"}.to_string() == "feature maps read on ext");
  CHECK(report::Bound{"novel_unit", ""}.to_string() == "novel_unit");
}
