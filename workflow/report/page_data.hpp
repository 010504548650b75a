#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// The data of a run's page, in columns; `sram_size`: bytes of the memory on AXI0 (U85: SRAM), if they are known.
[[nodiscard]] nlohmann::json page_data(const npu::RunRecord& run, const Summary& summary,
                                       std::optional<std::uint64_t> sram_size = {});

/// The page with the data in place of "@RUN@".
[[nodiscard]] std::string page_with(std::string_view page, const nlohmann::json& data);

}  // namespace macaw::report
