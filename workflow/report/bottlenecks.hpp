#pragma once
#include <string>
#include <vector>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// A sentence for each of the layers with most exclusive cycles, at most `most`: what it spends them on.
[[nodiscard]] std::vector<std::string> bottlenecks(const npu::RunRecord& run, const Summary& summary,
                                                   std::size_t most = 3);

/// A sentence for each layer with MACs whose output channels miss a multiple of those that the MAC array computes at
/// once by an eighth of the padded number or more.
[[nodiscard]] std::vector<std::string> padded_channels(const npu::RunRecord& run, const Summary& summary);

}  // namespace macaw::report
