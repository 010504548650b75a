#include "app/inference_option.hpp"

#include <fmt/format.h>

#include "app/exclusive_options.hpp"
#include "base/number_text.hpp"
#include "workflow/inference/predict_run.hpp"

namespace macaw::app {
namespace {

/// 0 without text.
Result<double> milliseconds(const char* option, const std::string& text) {
  if (text.empty()) return 0;
  constexpr double kMostMs = 1e9;
  const auto ms = io::number_of<double>(text);
  if (!ms || !(*ms >= 0 && *ms <= kMostMs))
    return fail(ErrorCode::kUsage, fmt::format("{} {}: expected milliseconds from 0 to {:.0e}", option, text, kMostMs));
  return *ms;
}

}  // namespace

void InferenceOptions::add_to(Command command) {
  command.add_flag("--npu-only", npu_only, "do not predict the time of the whole inference").group("Whole inference");
  command
      .add_option("--cpu", cpu,
                  "override [cpu] of the system file: core, clock_hz, library, compiler, runtime, "
                  "memory, cache, copies, ends, driver, copy_low, copy_high (docs/FORMATS.md)")
      .delimiter(',')
      .one_value()
      .group("Whole inference");
  command.add_option("--before", before, "milliseconds of the application before the network").group("Whole inference");
  command.add_option("--after", after, "milliseconds of the application after the network").group("Whole inference");
}

std::vector<std::string> InferenceOptions::arguments() const {
  std::vector<std::string> words;
  if (npu_only) words.emplace_back("--npu-only");
  for (const auto& item : cpu) words.insert(words.end(), {"--cpu", item});
  if (!before.empty()) words.insert(words.end(), {"--before", before});
  if (!after.empty()) words.insert(words.end(), {"--after", after});
  return words;
}

Result<void> InferenceOptions::check() const {
  if (npu_only)
    MACAW_CHECK(
        exclude("--npu-only", {{"--cpu", !cpu.empty()}, {"--before", !before.empty()}, {"--after", !after.empty()}}));
  MACAW_CHECK(milliseconds("--before", before));
  MACAW_CHECK(milliseconds("--after", after));
  return {};
}

Result<std::optional<npu::Inference>> InferenceOptions::predict(const npu::RunSpec& spec,
                                                                const npu::RunRecord& record) const {
  if (npu_only) return std::nullopt;
  inference::Options options{.cpu = cpu};
  MACAW_ASSIGN(options.before_ms, milliseconds("--before", before));
  MACAW_ASSIGN(options.after_ms, milliseconds("--after", after));
  MACAW_ASSIGN(auto whole, inference::predict_run(spec, record, options));
  return whole;
}

}  // namespace macaw::app
