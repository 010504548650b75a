#include "app/sram_size.hpp"

#include <algorithm>

#include "workflow/report/render.hpp"

namespace macaw::app {

void add_sram_size(Command command, std::optional<std::uint64_t>& size) {
  command
      .add_option("--sram-size", size,
                  "size of the memory on AXI0 (U85: SRAM), e.g. 1MiB: check whether the network fits; exit code 1 if "
                  "it does not")
      .bytes();
}

Result<SramFit> sram_fit(const npu::RunSpec& spec, std::uint64_t size) {
  const auto is_stream = [](const auto& step) { return std::holds_alternative<npu::CommandStream>(step); };
  if (std::ranges::none_of(spec.artifact.steps, is_stream))
    return fail(ErrorCode::kUsage, "--sram-size is about the memory of the NPU, for which this network has no commands",
                {.file = spec.artifact.file});
  npu::RunSpec timing = spec;
  timing.mode = npu::RunMode::kTiming;
  timing.steps = 1;
  timing.options.movements = true;
  timing.options.activity_spans = 0;
  timing.options.functional.findings = {};
  timing.options.progress = {};
  MACAW_ASSIGN(const auto record, npu::execute(timing));
  const auto summary = report::summarise(record);
  return SramFit{report::fits(summary, size), report::memory_text(record, summary, size)};
}

}  // namespace macaw::app
