#include "app/event_dump.hpp"

#include "workflow/compare/trace/tensor_dump.hpp"
#include "workflow/trace/forms/etdump.hpp"

namespace macaw::app {

namespace {

std::filesystem::path tensor_file(std::filesystem::path dump) { return dump.replace_extension(".bin"); }

}  // namespace

Result<std::vector<std::filesystem::path>> event_dump_files(const std::filesystem::path& dump,
                                                            const npu::Artifact& artifact) {
  if (artifact.format != npu::Artifact::Format::kExecuTorch)
    return fail(ErrorCode::kUsage, "--etdump requires an ExecuTorch program", {.file = artifact.file});
  return std::vector{dump, tensor_file(dump)};
}

Result<void> add_event_dump(io::FileSet& files, const std::filesystem::path& dump, const compare::Trace& trace,
                            const npu::RunRecord& record) {
  std::vector<trace::StepTensor> tensors;
  for (const auto& one : trace.records) {
    MACAW_ASSIGN(auto tensor, compare::written_tensor(one));
    if (tensor) tensors.push_back({one.step, one.command, *std::move(tensor)});
  }
  for (const auto& call : trace.host_calls)
    for (const auto& output : call.outputs) tensors.push_back({call.step, std::nullopt, output});
  for (const auto& output : trace.outputs) tensors.push_back({SIZE_MAX, std::nullopt, output});
  MACAW_ASSIGN(const auto events, trace::etdump(record, record.network, tensors));
  MACAW_CHECK(files.add(dump, events.events));
  return files.add(tensor_file(dump), events.tensors);
}

}  // namespace macaw::app
