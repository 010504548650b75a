#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// What the page of a run shows, in columns.
[[nodiscard]] nlohmann::json page_data(const npu::RunRecord& run, const Summary& summary);

/// The page with the data in place of "@RUN@".
[[nodiscard]] std::string page_with(std::string_view page, const nlohmann::json& data);

}  // namespace macaw::report
