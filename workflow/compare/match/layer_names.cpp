#include "workflow/compare/match/layer_names.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <macaw/npu/debug_database.hpp>

#include "workflow/compare/match/match.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::compare {
namespace {

struct Source {
  std::string name, kind;
  std::array<int, 3> shape{1, 1, 1};
};

/// The last three extents.
std::array<int, 3> shape_of(const Tensor& tensor) {
  std::array<int, 3> shape{1, 1, 1};
  const auto& extents = tensor.shape();
  const auto count = std::min<std::size_t>(extents.size(), 3);
  for (std::size_t i = 0; i < count; ++i) shape[3 - count + i] = static_cast<int>(extents[extents.size() - count + i]);
  return shape;
}

}  // namespace

Result<void> name_operations(std::vector<npu::OperationTiming>& operations, const Program& program,
                             const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                             const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(const auto reference, program.reference(inputs));
  MACAW_ASSIGN(const auto named, program.network_inputs(inputs, artifact));
  MACAW_ASSIGN(const auto trace, trace_program(artifact, accelerator, named, false));
  const auto& records = trace.records;
  std::map<std::pair<std::size_t, std::uint32_t>, Source> sources;
  for (const auto& match : match_by_contents(reference, records)) {
    const auto maker = std::ranges::find_if(reference.operators, [&](const ReferenceOperator& op) {
      return std::ranges::count(op.outputs, match.tensor) != 0;
    });
    const auto& tensor = reference.tensors[match.tensor];
    if (maker == reference.operators.end() || !tensor.value) continue;  // an input that the network copies
    const Source source{
        fmt::format("{} '{}' (operator {})", maker->kind, tensor.name, maker - reference.operators.begin()),
        maker->kind, shape_of(*tensor.value)};
    for (const auto i : match.records) sources[{records[i].step, records[i].command}] = source;
  }
  // Vela 3.10's database has kinds alone.
  const bool is_named = artifact.debug && std::ranges::any_of(artifact.debug->sources(), [](const auto& source) {
                          return source.second.index || !source.second.name.empty();
                        });
  const Source* next = nullptr;
  std::size_t step = 0;
  for (auto o = operations.rbegin(); o != operations.rend(); ++o) {
    if (o->step != step) next = nullptr;
    step = o->step;
    if (const auto found = sources.find({o->step, o->command}); found != sources.end()) next = &found->second;
    if (next == nullptr || (is_named && !o->source.empty())) continue;  // a debug database knows better
    o->source = next->name;
    o->kind = next->kind;
    o->shape = next->shape;
  }
  return {};
}

}  // namespace macaw::compare
