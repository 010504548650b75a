#include "app/input_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <macaw/npy.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::app {

void add_fit_options(Command& command, InputFit& fit) {
  command.add_flag("--reshape", fit.reshape, "accept inputs of a different shape with the same element count");
  command.add_flag("--reinterpret", fit.reinterpret, "reinterpret input bytes if only the type differs");
}

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

Result<std::vector<npu::NamedTensor>> read_inputs_of(const npu::Artifact& artifact,
                                                     const std::vector<std::string>& texts,
                                                     std::optional<std::uint64_t> seed,
                                                     const std::vector<std::string>& ranges) {
  if (!texts.empty() || artifact.inputs.empty()) return read_named_inputs(texts);
  if (!seed) {
    std::vector<std::string> names;
    for (const auto& input : artifact.inputs)
      names.push_back(
          fmt::format("'{}' {} {}", input.name,
                      input.dtype ? std::string(to_string(*input.dtype)) : fmt::format("{}-byte", input.element_size),
                      to_string(input.shape)));
    return fail(ErrorCode::kMismatch,
                fmt::format("no inputs: give --input [NAME=]FILE.npy for {}; for random inputs run 'macaw sim {} "
                            "--random-inputs 1', for cycles alone 'macaw sim {} --mode timing'",
                            fmt::join(names, ", "), artifact.file, artifact.file),
                {.file = artifact.file});
  }
  MACAW_ASSIGN(const auto stated, compare::parse_ranges(ranges));
  MACAW_ASSIGN(auto random, compare::random_inputs(artifact, static_cast<std::uint32_t>(*seed), stated));
  std::vector<npu::NamedTensor> named;
  for (auto& tensor : random) named.push_back({"", std::move(tensor)});
  return named;
}

Result<std::vector<Tensor>> order_inputs(std::vector<npu::NamedTensor> given, const std::vector<InputPort>& ports,
                                         InputFit fit) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
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
  for (std::size_t i = 0; i < slots.size(); ++i) {
    MACAW_ASSIGN(auto tensor, fit_input(to_npy(*slots[i]), ports[i], fit, ""));
    ordered.push_back(std::move(tensor));
  }
  return ordered;
}

}  // namespace macaw::app
