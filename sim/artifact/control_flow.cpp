#include "sim/artifact/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/tflite/options.hpp"
#include "sim/artifact/bindings.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{if,while}.cc.
namespace macaw::npu {
namespace {

using Bindings = std::span<const TensorBinding>;

tl::unexpected<Error> invalid(const Artifact& artifact, const std::string& name, std::string what) {
  return fail(ErrorCode::kInvalidFile, std::move(what), {.file = artifact.file, .op = name});
}

Result<RegionBinding> region_of(const Artifact& artifact, const std::string& name, const TensorBinding& tensor) {
  if (tensor.memory < 0) return invalid(artifact, name, "an operand is absent");
  MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact.file));
  return RegionBinding{tensor.memory, tensor.offset, bytes};
}

Result<std::vector<OperandCopy>> copies(const Artifact& artifact, const std::string& name, Bindings from, Bindings to) {
  if (from.size() != to.size())
    return invalid(artifact, name, fmt::format("{} tensors for {} tensors", from.size(), to.size()));
  std::vector<OperandCopy> all;
  for (std::size_t i = 0; i < from.size(); ++i) {
    MACAW_ASSIGN(const auto source, region_of(artifact, name, from[i]));
    MACAW_ASSIGN(const auto target, region_of(artifact, name, to[i]));
    if (source.size != target.size || from[i].dtype != to[i].dtype)
      return invalid(artifact, name, fmt::format("tensor '{}' does not fit tensor '{}'", from[i].name, to[i].name));
    all.push_back({source, target});
  }
  return all;
}

Result<RegionBinding> condition(const Artifact& artifact, const std::string& name, Bindings tensors) {
  if (tensors.empty() || tensors[0].dtype != DType::kBOOL)
    return invalid(artifact, name, "the condition is not a BOOL");
  MACAW_ASSIGN(const auto region, region_of(artifact, name, tensors[0]));
  if (region.size != 1) return invalid(artifact, name, fmt::format("a condition of {} values", region.size));
  return region;
}

}  // namespace

bool has_control_flow(const Artifact& artifact) {
  return std::ranges::any_of(artifact.steps,
                             [](const auto& step) { return std::holds_alternative<ControlStep>(step); });
}

Result<SubgraphInterface> ControlFlow::interface(std::int64_t subgraph) {
  if (subgraph < 0 || static_cast<std::size_t>(subgraph) >= subgraphs_)
    return fail(ErrorCode::kInvalidFile, fmt::format("there is no subgraph {}", subgraph), {.file = artifact_.file});
  const auto index = static_cast<std::size_t>(subgraph);
  const auto known = interfaces_.find(index);
  if (known != interfaces_.end()) return known->second;
  MACAW_ASSIGN(auto placed, place_(index));
  return interfaces_.emplace(index, std::move(placed)).first->second;
}

Result<void> ControlFlow::add(const std::string& name, const tflite::Options* options,
                              const std::vector<TensorBinding>& inputs, const std::vector<TensorBinding>& outputs) {
  if (options) {
    if (const auto* branch = options->value.AsIfOptions())
      return add_if(name, inputs, outputs, branch->then_subgraph_index, branch->else_subgraph_index);
    if (const auto* loop = options->value.AsWhileOptions())
      return add_while(name, inputs, outputs, loop->cond_subgraph_index, loop->body_subgraph_index);
  }
  return invalid(artifact_, name, "the options are missing");
}

void ControlFlow::add_step(ControlStep step) { artifact_.steps.emplace_back(std::move(step)); }

Result<void> ControlFlow::add_call(std::string name, const std::vector<TensorBinding>& from, std::int64_t subgraph) {
  MACAW_ASSIGN(const auto callee, interface(subgraph));
  MACAW_ASSIGN(auto arguments, copies(artifact_, name, from, callee.inputs));
  calls_.emplace_back(artifact_.steps.size(), static_cast<std::size_t>(subgraph));
  add_step({.name = std::move(name), .copies = std::move(arguments), .kind = ControlStep::Kind::kCall});
  return {};
}

/// jump to ELSE unless the condition; call then; results; jump to END; ELSE: call else; results; END:
Result<void> ControlFlow::add_if(const std::string& name, const std::vector<TensorBinding>& inputs,
                                 const std::vector<TensorBinding>& outputs, std::int64_t then_index,
                                 std::int64_t else_index) {
  MACAW_ASSIGN(const auto chosen, condition(artifact_, name, inputs));
  const std::vector<TensorBinding> arguments(inputs.begin() + 1, inputs.end());
  const auto first = artifact_.steps.size();
  constexpr std::size_t kElse = 3, kEnd = 5;
  add_step({.name = name, .kind = ControlStep::Kind::kJump, .target = first + kElse, .unless = chosen});
  for (const auto subgraph : {then_index, else_index}) {
    MACAW_CHECK(add_call("", arguments, subgraph));
    MACAW_ASSIGN(const auto callee, interface(subgraph));
    MACAW_ASSIGN(auto results, copies(artifact_, name, callee.outputs, outputs));
    add_step({.copies = std::move(results), .kind = ControlStep::Kind::kJump, .target = first + kEnd});
  }
  return {};
}

/// The outputs hold the values of the loop. Copy inputs; LOOP: call condition; jump to END if it is false; call body;
/// copy results, jump to LOOP; END:
Result<void> ControlFlow::add_while(const std::string& name, const std::vector<TensorBinding>& inputs,
                                    const std::vector<TensorBinding>& outputs, std::int64_t condition_index,
                                    std::int64_t body_index) {
  MACAW_ASSIGN(auto initial, copies(artifact_, name, inputs, outputs));
  const auto first = artifact_.steps.size();
  constexpr std::size_t kLoop = 1, kEnd = 5;
  add_step({.name = name, .copies = std::move(initial)});
  MACAW_CHECK(add_call("", outputs, condition_index));
  MACAW_ASSIGN(const auto test, interface(condition_index));
  if (test.outputs.size() != 1) return invalid(artifact_, name, "the condition has not exactly one output");
  MACAW_ASSIGN(const auto goes_on, condition(artifact_, name, test.outputs));
  add_step({.kind = ControlStep::Kind::kJump, .target = first + kEnd, .unless = goes_on});
  MACAW_CHECK(add_call("", outputs, body_index));
  MACAW_ASSIGN(const auto body, interface(body_index));
  MACAW_ASSIGN(auto results, copies(artifact_, name, body.outputs, outputs));
  add_step({.copies = std::move(results), .kind = ControlStep::Kind::kJump, .target = first + kLoop});
  return {};
}

std::optional<std::size_t> ControlFlow::begin_subgraph() {
  for (const auto& [step, subgraph] : calls_) {
    if (begins_.contains(subgraph)) continue;
    add_step({.kind = ControlStep::Kind::kReturn});
    begins_[subgraph] = artifact_.steps.size();
    return subgraph;
  }
  return std::nullopt;
}

void ControlFlow::end() {
  if (calls_.empty()) return;
  add_step({.kind = ControlStep::Kind::kReturn});
  for (const auto& [step, subgraph] : calls_)
    std::get<ControlStep>(artifact_.steps[step]).target = begins_.at(subgraph);
}

}  // namespace macaw::npu
