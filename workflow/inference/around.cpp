#include "workflow/inference/around.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace macaw::inference {
namespace {

constexpr double kLineBytes = 32;
constexpr double kAroundJob = 2;  // what is cleaned before a job and invalidated after it

template <class Step>
double count_steps(const npu::Artifact& artifact) {
  return static_cast<double>(
      std::ranges::count_if(artifact.steps, [](const auto& step) { return std::holds_alternative<Step>(step); }));
}

Range each(double count) { return {count, count, count}; }

double bytes_of_tensors(const std::vector<npu::TensorBinding>& tensors) {
  double bytes = 0;
  for (const auto& tensor : tensors) {
    if (tensor.memory < 0) continue;
    double size = tensor.element_size;
    for (const auto extent : tensor.shape) size *= static_cast<double>(extent);
    bytes += size;
  }
  return bytes;
}

/// Bytes that jobs may write, as their regions say.
double writable_bytes(const npu::Artifact& artifact) {
  double bytes = 0;
  for (const auto& step : artifact.steps)
    if (const auto* stream = std::get_if<npu::CommandStream>(&step))
      for (const auto& region : stream->regions)
        if (region.memory >= 0 && !artifact.memories[static_cast<std::size_t>(region.memory)].read_only)
          bytes += static_cast<double>(region.size);
  return bytes;
}

std::string default_runtime(const npu::Artifact& artifact) {
  switch (artifact.format) {
    case npu::Artifact::Format::kVelaTflite: return "tflm";
    case npu::Artifact::Format::kExecuTorch: return "executorch";
    case npu::Artifact::Format::kVelaNpz: break;
  }
  return "ahead-of-time";
}

}  // namespace

Range hull(Range a, Range b) {
  return {std::min(a.low, b.low), std::sqrt(a.typical * b.typical), std::max(a.high, b.high)};
}

Range milliseconds(Range cycles, const npu::CpuConfig& cpu) { return cycles * each(1e3 / cpu.clock_hz); }

PlatformEntry memory_factor(const CostTables& tables, const npu::CpuConfig& cpu) {
  if (!cpu.memory.empty()) return tables.at("memory", cpu.memory);
  PlatformEntry both{{},
                     hull(tables.at("memory", "tcm").range, tables.at("memory", "sram").range),
                     "memory not stated: TCM or cached SRAM"};
  return both;
}

Part copies(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact, bool inputs) {
  const bool own = artifact.format == npu::Artifact::Format::kExecuTorch;
  const auto made = cpu.copies.empty() ? own ? "none" : "both" : cpu.copies;
  const bool is_made = made == "both" || made == (inputs ? "inputs" : "outputs");
  const double bytes = is_made ? bytes_of_tensors(inputs ? artifact.inputs : artifact.outputs) : 0;
  Part part{fmt::format("{} bytes of {}", static_cast<std::uint64_t>(bytes), inputs ? "inputs" : "outputs"), {}, {}};
  if (cpu.copy_low > 0) {
    constexpr double kNanosecond = 1e-6;  // in milliseconds
    const double middle = std::sqrt(cpu.copy_low * cpu.copy_high);
    part.ms = Range{1 / cpu.copy_high, 1 / middle, 1 / cpu.copy_low} * each(bytes * kNanosecond);
    part.source = cpu.source;
  } else {
    const auto& byte = tables.at("copy", "byte");
    part.ms = milliseconds(byte.range * each(bytes), cpu);
    part.source = byte.source;
  }
  return part;
}

Part cache_maintenance(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact) {
  const double jobs = count_steps<npu::CommandStream>(artifact);
  const auto& line = tables.at("cache", "line");
  const auto& whole = tables.at("cache", "whole");
  const auto by_address = line.range * each(std::ceil(writable_bytes(artifact) / kLineBytes) * kAroundJob);
  const auto all = (whole.range * each(kAroundJob) + tables.at("cache", "written_back").range) * each(jobs);
  Range cycles;
  std::string name, source;
  if (cpu.cache == "none" || (cpu.cache.empty() && (cpu.memory == "tcm" || cpu.memory == "uncached"))) {
    cycles = tables.at("cache", "none").range;
    name = "none";
    source = tables.at("cache", "none").source;
  } else if (cpu.cache == "by-address") {
    cycles = by_address;
    name = "clean and invalidate by address";
    source = line.source;
  } else if (cpu.cache == "whole") {
    cycles = all;
    name = "clean and invalidate all lines";
    source = whole.source;
  } else {
    cycles = {0, all.typical / 2, all.high};
    name = "maintenance not stated";
    source = "from none to all lines: " + whole.source;
  }
  return {name, milliseconds(cycles, cpu), source};
}

Part driver(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact) {
  const auto& entry = tables.at("driver", cpu.driver.empty() ? "job" : cpu.driver);
  const double jobs = count_steps<npu::CommandStream>(artifact);
  return {fmt::format("driver and interrupt, {} job{}", jobs, jobs == 1 ? "" : "s"),
          milliseconds(entry.range * each(jobs), cpu), entry.source};
}

Part runtime(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact) {
  const auto name = cpu.runtime.empty() ? default_runtime(artifact) : cpu.runtime;
  const auto& entry = tables.at("runtime", name);
  const double operators = count_steps<npu::CommandStream>(artifact) + count_steps<npu::HostOperator>(artifact);
  return {fmt::format("{}, {} operator{}", name, operators, operators == 1 ? "" : "s"),
          milliseconds(entry.range * each(operators), cpu), entry.source};
}

}  // namespace macaw::inference
