#include "app/fvp/job_report.hpp"

#include <macaw/npu/device_job.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_report.hpp"

namespace macaw::app::fvp {

Result<void> write_report(const std::string& folder, const std::string& npu, const macaw_device& device, unsigned job) {
  const npu::Artifact none;  // the registers do not tell the network
  report::RunReport report;
  report.network = fmt::format("job {}", job);
  report.accelerator = npu;
  report.mode = "timing";
  report.artifact = &none;
  report.run = npu::last_job(device);
  report.timing_adapter = report.run.system != "ideal";
  const std::string json = io::json_text(report::to_json(report), 1) + "\n";
  MACAW_ASSIGN(const auto saved, trace::parse_saved_run(json, "report.json"));
  const auto place = std::filesystem::path(folder) / fmt::format("job_{}", job);
  MACAW_CHECK(io::make_directory(folder));
  MACAW_CHECK(io::make_directory(place));
  io::FileSet files;
  MACAW_CHECK(files.add(place / "report.html", report::render_html(saved, report::summarise(saved))));
  MACAW_CHECK(files.add(place / "report.json", json));
  return files.publish();
}

}  // namespace macaw::app::fvp
