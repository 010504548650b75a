#include "app/input_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <macaw/npy.hpp>

namespace macaw::app {

Result<std::vector<npu::NamedTensor>> read_named_inputs(const std::vector<std::string>& texts) {
  std::vector<npu::NamedTensor> inputs;
  for (const auto& text : texts) {
    std::string name, file = text;
    std::error_code ignored;
    if (const auto equals = text.rfind('='); equals != std::string::npos && !std::filesystem::exists(text, ignored)) {
      name = text.substr(0, equals);
      file = text.substr(equals + 1);
    }
    MACAW_ASSIGN(auto tensor, read_tensor(file));
    inputs.push_back({std::move(name), std::move(tensor)});
  }
  return inputs;
}

Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given, const std::vector<std::string>& names) {
  if (given.size() != names.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} inputs given, expected {}: {}", given.size(), names.size(), fmt::join(names, ", ")));
  std::vector<std::optional<Tensor>> slots(names.size());
  for (auto& [name, tensor] : given) {
    if (name.empty()) continue;
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return fail(ErrorCode::kMismatch,
                  fmt::format("no input is called '{}', expected one of {}", name, fmt::join(names, ", ")));
    auto& slot = slots[static_cast<std::size_t>(found - names.begin())];
    if (slot) return fail(ErrorCode::kMismatch, fmt::format("input '{}' is given twice", name));
    slot = std::move(tensor);
  }
  auto next = slots.begin();
  for (auto& [name, tensor] : given) {
    if (!name.empty()) continue;
    next = std::find_if(next, slots.end(), [](const auto& slot) { return !slot; });
    *next = std::move(tensor);
  }
  std::vector<Tensor> ordered;
  for (auto& slot : slots) ordered.push_back(std::move(*slot));
  return ordered;
}

}  // namespace macaw::app
