#include "workflow/report/run_files.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/npy_file.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_report.hpp"

namespace macaw::report {

std::vector<std::filesystem::path> names(const RunFiles& files, const npu::Artifact& artifact, npu::RunMode mode) {
  std::vector<std::filesystem::path> all;
  if (!files.page.empty()) all.push_back(files.page);
  if (files.folder.empty()) return all;
  for (std::size_t i = 0; mode != npu::RunMode::kTiming && i < artifact.outputs.size(); ++i)
    all.push_back(files.folder / npu::output_file(i));
  all.push_back(files.folder / "report.json");
  return all;
}

Result<void> add_files(io::FileSet& set, const RunFiles& files, const npu::RunRecord& record) {
  if (!files.folder.empty()) MACAW_CHECK(io::make_directory(files.folder));  // the page may go there
  if (!files.page.empty()) {
    MACAW_CHECK(set.add(files.page, render_html(record, summarise(record), files.sram_size)));
  }
  if (files.folder.empty()) return {};
  for (std::size_t i = 0; i < record.outputs.size(); ++i)
    MACAW_CHECK(io::add_tensor(set, files.folder / record.outputs[i].file, record.values.outputs[i]));
  return set.add(files.folder / "report.json", io::json_text(to_json(record), 1) + "\n");
}

}  // namespace macaw::report
