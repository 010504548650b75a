#include "workflow/report/name_tensors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::report {
namespace {

using npu::Artifact;
using npu::TensorBinding;

/// A tensor that is read after the operations before a step.
struct LaterRead {
  const TensorBinding* tensor;
  std::size_t step;
};

std::vector<LaterRead> results(const Artifact& artifact) {
  std::vector<LaterRead> all;
  const auto add = [&](const std::vector<TensorBinding>& tensors, std::size_t step) {
    for (const auto& tensor : tensors)
      if (tensor.memory >= 0 && !tensor.name.empty()) all.push_back({&tensor, step});
  };
  for (std::size_t step = 0; step < artifact.steps.size(); ++step)
    if (const auto* host = std::get_if<npu::HostOperator>(&artifact.steps[step])) add(host->inputs, step);
  add(artifact.outputs, artifact.steps.size());
  add(artifact.variables, artifact.steps.size());
  return all;
}

bool lies_in(const npu::Movement& movement, const npu::RegionBinding& region, const TensorBinding& tensor) {
  const auto bytes = element_count(tensor.shape, tensor.element_size);
  if (!bytes || region.memory != tensor.memory) return false;
  const auto first = region.offset + movement.first, last = region.offset + movement.last;
  return first >= tensor.offset && last < tensor.offset + static_cast<std::uint64_t>(*bytes) * tensor.element_size;
}

}  // namespace

void name_by_tensors(std::vector<npu::OperationTiming>& operations, const Artifact& artifact) {
  if (std::ranges::any_of(operations, [](const auto& o) { return !o.source.empty(); })) return;
  // Memory is used again: the last operation that writes within a tensor's place before it is read completes it.
  for (const auto& [tensor, step] : results(artifact))
    for (auto o = operations.rbegin(); o != operations.rend(); ++o) {
      const auto* stream = std::get_if<npu::CommandStream>(&artifact.steps[o->step]);
      if (o->step >= step || stream == nullptr) continue;
      const bool writes = std::ranges::any_of(o->memory, [&, tensor = tensor](const npu::Movement& m) {
        return m.write && m.region >= 0 && lies_in(m, stream->regions[static_cast<std::size_t>(m.region)], *tensor);
      });
      if (!writes) continue;
      if (o->source.empty()) o->source = fmt::format("'{}'", tensor->name);
      break;
    }
}

}  // namespace macaw::report
