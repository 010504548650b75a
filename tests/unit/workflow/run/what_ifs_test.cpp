#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "sim/config/system_config.hpp"
#include "tests/support/checked.hpp"
#include "workflow/run/what_ifs.hpp"

using namespace macaw;
using macaw::test::checked;

namespace {

using Params = std::vector<std::pair<std::string, double>>;

std::map<std::string, Params> changes(const char* accelerator, const Params& params) {
  npu::TimedOptions options;
  options.params = params;
  std::map<std::string, Params> all;
  for (const auto& change : checked(run::what_ifs(*npu::find_accelerator(accelerator), options))) {
    INFO(change.change);
    CHECK(all.emplace(change.change, change.params).second);
    CHECK(change.memory_mode.empty() == (change.change.find("memory mode") == std::string::npos));
    CHECK(change.memory_mode.empty() != change.params.empty());
  }
  return all;
}

}  // namespace

TEST_CASE("limits of a memory are lifted one by one, those that are there") {
  const Params limited = {{"axi0.beats_per_cycle", 0.25}, {"axi0.bandwidth_cap", 3},    {"axi0.read_latency", 12},
                          {"axi0.write_latency", 0},      {"axi0.max_reads", 3},        {"axi0.max_writes", 5},
                          {"axi0.max_reads_writes", 0},   {"axi1.beats_per_cycle", 0},  {"axi1.bandwidth_cap", 7},
                          {"axi1.read_latency", 0},       {"axi1.write_latency", 9},    {"axi1.max_reads", 0},
                          {"axi1.max_writes", 0},         {"axi1.max_reads_writes", 11}};
  auto all = changes("ethos-u55-128", limited);
  CHECK(all.at("axi0 with twice the bandwidth") == Params{{"axi0.beats_per_cycle", 0.5}});
  CHECK(all.at("axi0 without latency") == Params{{"axi0.read_latency", 0}, {"axi0.write_latency", 0}});
  CHECK(all.at("axi0 with twice the transactions outstanding") ==
        Params{{"axi0.max_reads", 6}, {"axi0.max_writes", 10}});
  CHECK(all.at("axi1 with twice the bandwidth") == Params{{"axi1.bandwidth_cap", 14}});
  CHECK(all.at("axi1 without latency") == Params{{"axi1.read_latency", 0}, {"axi1.write_latency", 0}});
  CHECK(all.at("axi1 with twice the transactions outstanding") == Params{{"axi1.max_reads_writes", 22}});
  const auto most = npu::find_memory_field("beats_per_cycle")->max;
  auto fast = limited;
  fast[0].second = 0.75 * most;
  CHECK(changes("ethos-u55-128", fast).at("axi0 with twice the bandwidth") == Params{{"axi0.beats_per_cycle", most}});
  auto free = limited;
  for (auto& [name, value] : free)
    if (name.starts_with("axi0")) value = 0;
  all = changes("ethos-u55-128", free);
  CHECK(std::ranges::none_of(all, [](const auto& change) { return change.first.starts_with("axi0"); }));
}

TEST_CASE("limits of the NPU are lifted where a run has their costs") {
  const auto& accelerator = *npu::find_accelerator("ethos-u55-128");
  CHECK(run::compute_what_ifs(accelerator, std::vector<npu::OperationTiming>(2)).empty());
  std::vector<npu::OperationTiming> operations(3);
  for (auto& o : operations) o.details.emplace().output_rule = "ao_default";
  operations[1].details->output_rule = "ao_mul32";
  auto all = run::compute_what_ifs(accelerator, operations);
  REQUIRE(all.size() == 1);
  CHECK(all[0].kind == "compute");
  CHECK(all[0].params == Params{{"ao_default", 0}, {"ao_mul32", 0}});
  operations[2].details->weights.emplace();
  all = run::compute_what_ifs(accelerator, operations);
  REQUIRE(all.size() == 2);
  CHECK(all[1].params == Params{{"weights_per_cycle", 16}});
  all = run::compute_what_ifs(*npu::find_accelerator("ethos-u85-256"), operations);
  CHECK(all.at(1).params == Params{{"stream_weights_per_cycle", 20},
                                   {"fast_weights_per_cycle", 64},
                                   {"weight_chunk", .5},
                                   {"weight_slice", 1.5}});
}

TEST_CASE("every other memory mode is a change, and the sides of U85 have their names") {
  npu::TimedOptions options;
  const auto& accelerator = *npu::find_accelerator("ethos-u85-256");
  std::set<std::string> seen;
  for (const auto& change : checked(run::what_ifs(accelerator, options)))
    if (!change.memory_mode.empty()) seen.insert(change.memory_mode);
  REQUIRE(seen.size() >= 2);
  options.memory_mode = *seen.begin();
  std::set<std::string> others;
  for (const auto& change : checked(run::what_ifs(accelerator, options)))
    if (!change.memory_mode.empty()) others.insert(change.memory_mode);
    else CHECK((change.change.starts_with("sram ") || change.change.starts_with("ext ")));
  CHECK(others.size() == seen.size());
  CHECK_FALSE(others.contains(options.memory_mode));
}
