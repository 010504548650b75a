#include <macaw/npu/device_job.hpp>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_report.hpp"

namespace macaw::npu {

Result<void> write_job_report(TimedResult job, std::string_view accelerator, const std::filesystem::path& folder) {
  const Artifact none;  // the registers do not tell the network
  report::RunReport report;
  report.network = folder.filename().string();
  report.accelerator = accelerator;
  report.mode = "timing";
  report.artifact = &none;
  report.run = std::move(job);
  report.timing_adapter = report.run.system != "ideal";
  const std::string json = io::json_text(report::to_json(report), 1) + "\n";
  MACAW_ASSIGN(const auto saved, trace::parse_saved_run(json, "report.json"));
  if (folder.has_parent_path()) MACAW_CHECK(io::make_directory(folder.parent_path()));
  MACAW_CHECK(io::make_directory(folder));
  io::FileSet files;
  MACAW_CHECK(files.add(folder / "report.html", report::render_html(saved, report::summarise(saved))));
  MACAW_CHECK(files.add(folder / "report.json", json));
  return files.publish();
}

}  // namespace macaw::npu
