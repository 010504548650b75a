#include <nlohmann/json.hpp>

#include "workflow/report/embedded_html.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/render.hpp"

namespace macaw::report {

std::string render_html(const npu::RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  return page_with(kReportPage, page_data(run, summary, sram_size));
}

}  // namespace macaw::report
