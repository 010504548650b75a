#include "workflow/compare/host_reads.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace macaw::compare {

std::vector<Match> match_host_reads(const Reference& reference, const npu::Artifact& artifact,
                                    const std::vector<HostCall>& calls) {
  std::map<std::string, std::vector<const HostCall*>> by_kind;
  for (const auto& call : calls) by_kind[std::get<npu::HostOperator>(artifact.steps[call.step]).name].push_back(&call);
  std::vector<Match> matches;
  std::set<TensorId> found;
  for (const auto& [kind, same] : by_kind) {
    if (std::ranges::count(reference.operators, kind, &ReferenceOperator::kind) !=
        static_cast<std::ptrdiff_t>(same.size()))
      continue;
    auto call = same.begin();
    for (const auto& op : reference.operators) {
      if (op.kind != kind) continue;
      const auto& [step, inputs, outputs, writers] = **call++;
      const auto given = [](const auto& input) { return input.has_value(); };
      if (std::ranges::count_if(inputs, given) != static_cast<std::ptrdiff_t>(op.inputs.size())) continue;
      auto tensor = op.inputs.begin();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]) continue;
        const auto id = *tensor++;
        if (!reference.is_computed(id)) continue;
        const auto actual = std::as_const(*inputs[i]).bytes();
        const auto& expected = std::as_const(*reference.tensors[id].value);
        if (inputs[i]->dtype() == expected.dtype() && actual.size() == expected.bytes().size() &&
            found.insert(id).second)
          matches.push_back({id, How::kHostRead, writers[i], {actual.begin(), actual.end()}});
      }
    }
  }
  return matches;
}

}  // namespace macaw::compare
