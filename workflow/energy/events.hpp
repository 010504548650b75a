#pragma once
#include <span>
#include <string_view>

#include <macaw/npu/run.hpp>

namespace macaw::energy {

/// Events of a run, by the names that energy tables use.
struct Event {
  std::string_view name, text;
  double (*count)(const npu::RunRecord& run) = nullptr;
};
[[nodiscard]] std::span<const Event> events();
[[nodiscard]] const Event* find_event(std::string_view name);

}  // namespace macaw::energy
