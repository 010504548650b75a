#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <macaw/npu/run.hpp>
#include <nlohmann/json_fwd.hpp>

namespace macaw::report {

/// TimedOptions::activity_spans of a run that is reported: short of what a page can show.
inline constexpr std::size_t kActivitySpans = 1000;

/// report.json: sorted keys, no times of day, hosts or folders. "pmu" maps the driver's event names to counts and is
/// empty for a functional run.
[[nodiscard]] nlohmann::json to_json(const npu::RunRecord& record);

/// The same for people: cycles, the longest layers and what binds them, memory, the counters that were asked for.
/// `sram_size`: bytes that the memory of AXI0 is to have.
[[nodiscard]] std::string to_text(const npu::RunRecord& record, const npu::Artifact& artifact,
                                  std::optional<std::uint64_t> sram_size = {});

}  // namespace macaw::report
