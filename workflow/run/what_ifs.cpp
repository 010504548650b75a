#include "workflow/run/what_ifs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/config/setup.hpp"

namespace macaw::run {
namespace {

/// A limit of a memory and what lifts it; no params: it does not limit.
struct Limit {
  const char* change;
  Params (*lift)(const npu::MemoryTiming& memory);
};

double twice(double value, const char* field) { return std::min(2 * value, npu::find_memory_field(field)->max); }

constexpr Limit kLimits[] = {{"with twice the bandwidth",
                              [](const npu::MemoryTiming& m) -> Params {
                                if (m.beats_per_cycle != 0)
                                  return {{"beats_per_cycle", twice(m.beats_per_cycle, "beats_per_cycle")}};
                                if (m.bandwidth_cap != 0)
                                  return {{"bandwidth_cap", twice(m.bandwidth_cap, "bandwidth_cap")}};
                                return {};
                              }},
                             {"without latency",
                              [](const npu::MemoryTiming& m) -> Params {
                                if (m.read_latency == 0 && m.write_latency == 0) return {};
                                return {{"read_latency", 0}, {"write_latency", 0}};
                              }},
                             {"with twice the transactions outstanding", [](const npu::MemoryTiming& m) {
                                Params params;
                                if (m.max_reads != 0) params.emplace_back("max_reads", twice(m.max_reads, "max_reads"));
                                if (m.max_writes != 0)
                                  params.emplace_back("max_writes", twice(m.max_writes, "max_writes"));
                                if (m.max_reads_writes != 0)
                                  params.emplace_back("max_reads_writes",
                                                      twice(m.max_reads_writes, "max_reads_writes"));
                                return params;
                              }}};

std::string side_name(const npu::Accelerator& accelerator, std::size_t side) {
  return std::string(npu::traits(accelerator.family).ports[side]);
}

}  // namespace

Result<std::vector<WhatIf>> what_ifs(const npu::Accelerator& accelerator, const npu::TimedOptions& options) {
  MACAW_ASSIGN(const auto setup, npu::resolve_setup(accelerator, npu::setup_request(options)));
  std::vector<WhatIf> all;
  for (const std::size_t side : {0, 1})
    for (const auto& limit : kLimits) {
      const auto name = side_name(accelerator, side);
      auto params = limit.lift(setup.system.memory[side]);
      for (auto& [field, value] : params) field = name + "." + field;
      if (!params.empty()) all.push_back({"memory", fmt::format("{} {}", name, limit.change), std::move(params), {}});
    }
  for (const auto& mode : setup.system.modes)
    if (mode.name != setup.mode.name) all.push_back({"memory", "memory mode " + mode.name, {}, mode.name});
  return all;
}

std::vector<WhatIf> compute_what_ifs(const npu::Accelerator& accelerator,
                                     const std::vector<npu::OperationTiming>& operations) {
  std::set<std::string> rules;
  bool has_weights = false;
  for (const auto& o : operations) {
    if (!o.details) continue;
    if (!o.details->output_rule.empty()) rules.insert(o.details->output_rule);
    has_weights |= o.details->weights.has_value();
  }
  std::vector<WhatIf> all;
  Params free;
  for (const auto& rule : rules) free.emplace_back(rule, 0);
  if (!free.empty()) all.push_back({"compute", "output unit at no cost per element", std::move(free), {}});
  Params faster;
  const auto params = npu::default_params(accelerator);
  for (const char* name : {"weights_per_cycle", "stream_weights_per_cycle", "fast_weights_per_cycle"})
    if (const auto value = params.get(name); value && std::isfinite(*value)) faster.emplace_back(name, 2 * *value);
  for (const char* name : {"weight_chunk", "weight_slice"})
    if (const auto value = params.get(name); value && std::isfinite(*value)) faster.emplace_back(name, *value / 2);
  if (has_weights && !faster.empty())
    all.push_back({"compute", "weights decoded twice as fast", std::move(faster), {}});
  return all;
}

Result<std::vector<npu::Advice>> advise(const npu::RunSpec& spec, const npu::RunRecord& record,
                                        const std::function<std::string(const WhatIf&)>& command) {
  MACAW_ASSIGN(auto changes, what_ifs(spec.accelerator, spec.options));
  for (auto& change : compute_what_ifs(spec.accelerator, record.operations)) changes.push_back(std::move(change));
  const std::uint64_t cycles = record.cycles;
  std::vector<npu::Advice> advice;
  for (const auto& change : changes) {
    npu::RunSpec changed{spec.artifact, spec.accelerator, spec.inputs, npu::RunMode::kTiming};
    changed.options = {.system = spec.options.system,
                       .memory_mode = change.memory_mode.empty() ? spec.options.memory_mode : change.memory_mode,
                       .vela_config = spec.options.vela_config,
                       .timing_adapter = spec.options.timing_adapter,
                       .params = spec.options.params};
    changed.options.params.insert(changed.options.params.end(), change.params.begin(), change.params.end());
    MACAW_ASSIGN(const auto run, npu::execute(changed));
    if (run.cycles < cycles && static_cast<double>(cycles - run.cycles) >= kLeastSaving * static_cast<double>(cycles))
      advice.push_back({change.kind, change.change, command(change), run.cycles});
  }
  std::ranges::stable_sort(advice, {}, &npu::Advice::cycles);
  return advice;
}

}  // namespace macaw::run
