#pragma once
#include <span>
#include <string_view>

#include <macaw/npu/run.hpp>

namespace macaw::energy {

/// What a run is counted in, by the name that tables of energy use.
struct Event {
  std::string_view name, text;
  double (*count)(const npu::RunRecord& run) = nullptr;
};
[[nodiscard]] std::span<const Event> events();
[[nodiscard]] const Event* find_event(std::string_view name);

}  // namespace macaw::energy
