#pragma once
#include <optional>
#include <string>

#include <macaw/npu/run.hpp>
#include "workflow/report/layers.hpp"

namespace macaw::report {

/// A line a layer, in the network's order; with more than `most`, the longest ones.
[[nodiscard]] std::string layer_table(const npu::RunRecord& run, const Summary& summary, std::size_t most);
/// Where the cycles went by what bound them, and a sentence for the longest layers and for padded channels.
[[nodiscard]] std::string bounds_text(const npu::RunRecord& run, const Summary& summary);
/// Required size of each memory, and whether it fits into an SRAM (AXI0) of a given size.
[[nodiscard]] std::string memory_text(const npu::RunRecord& run, const Summary& summary,
                                      std::optional<std::uint64_t> sram_size);

/// False if a size is given and the memory on AXI0 must be larger.
[[nodiscard]] bool fits(const Summary& summary, std::optional<std::uint64_t> sram_size);

/// One page that needs nothing but itself: totals, bounds, timeline, graph, layers, roofline, memory over time (with a
/// limit at `sram_size` bytes of the memory on AXI0, U85: SRAM), operations, counters.
[[nodiscard]] std::string render_html(const npu::RunRecord& run, const Summary& summary,
                                      std::optional<std::uint64_t> sram_size = {});

}  // namespace macaw::report
