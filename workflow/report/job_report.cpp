#include <macaw/npu/device_job.hpp>

#include "workflow/report/run_files.hpp"
#include "workflow/run/exclusive_cycles.hpp"

namespace macaw::npu {

Result<void> write_job_report(TimedResult job, std::string_view accelerator, const std::filesystem::path& folder) {
  RunRecord record;
  static_cast<TimedResult&>(record) = std::move(job);
  record.network = folder.filename().string();
  record.accelerator = find_accelerator(accelerator);
  record.mode = RunMode::kTiming;
  record.timing_adapter = record.system != "ideal";
  run::complete(record);
  if (folder.has_parent_path()) MACAW_CHECK(io::make_directory(folder.parent_path()));
  io::FileSet files;
  MACAW_CHECK(report::add_files(files, {.folder = folder, .page = folder / "report.html"}, record));
  return files.publish();
}

}  // namespace macaw::npu
