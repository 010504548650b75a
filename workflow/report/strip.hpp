#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// A figure of the summary of a run.
struct StripEntry {
  std::string value;  ///< "12.517 ms"
  std::string name;   ///< "predicted at 500 MHz, 79.9 inferences/s"
  std::string title;  ///< an explanation with the unit
};

/// A run in one glance: predicted time with its interval, the part that is not on the NPU where it is known, what
/// limits it, MAC utilisation, the memory on AXI0 (U85: SRAM) against `sram_size` bytes, weights, traffic. The page,
/// its copied text and the Markdown form show the same entries.
[[nodiscard]] std::vector<StripEntry> strip(const npu::RunRecord& run, const Summary& summary,
                                            std::optional<std::uint64_t> sram_size = {});

}  // namespace macaw::report
