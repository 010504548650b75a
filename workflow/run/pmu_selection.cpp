#include "workflow/run/pmu_selection.hpp"

#include <fmt/format.h>

#include "base/near_names.hpp"
#include "base/number_text.hpp"
#include "sim/isa/pmu_events.hpp"

namespace macaw::run {
namespace {

constexpr std::string_view kPrefix = "ETHOSU_PMU_";

const npu::PmuEventRow* find_event(npu::Family family, std::string_view text) {
  if (const auto number = io::number_of<unsigned>(text)) return npu::find_pmu_event(family, *number);
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  return npu::find_pmu_event(family, text);
}

std::vector<std::string> event_names(npu::Family family) {
  std::vector<std::string> names;
  for (const auto& row : npu::pmu_events())
    if (row.families & npu::family_set(family)) names.emplace_back(row.name);
  return names;
}

}  // namespace

Result<std::vector<npu::PmuCounter>> select_events(const npu::Accelerator& accelerator,
                                                   const std::vector<std::string>& events) {
  if (events.size() > static_cast<std::size_t>(accelerator.pmu_counters))
    return fail(ErrorCode::kUsage, fmt::format("--pmu: {} events, but {} has {} counters beside the cycle counter",
                                               events.size(), accelerator.name, accelerator.pmu_counters));
  std::vector<npu::PmuCounter> counters;
  for (const auto& text : events) {
    const auto* row = find_event(accelerator.family, text);
    if (row == nullptr)
      return fail(ErrorCode::kUsage, fmt::format("--pmu: {} has no event '{}'{}", accelerator.name, text,
                                                 io::near_names(text, event_names(accelerator.family))));
    counters.push_back({row->name, row->number, {}, false});
  }
  return counters;
}

void read_counters(std::vector<npu::PmuCounter>& counters, const npu::PmuCounters& counts) {
  for (auto& counter : counters) {
    const auto found = counts.counts.find(std::string(kPrefix) + counter.event);
    if (found == counts.counts.end()) continue;
    counter.value = static_cast<std::uint32_t>(found->second);
    counter.overflow = found->second > UINT32_MAX;
  }
}

}  // namespace macaw::run
