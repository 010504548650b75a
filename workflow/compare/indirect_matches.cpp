#include "workflow/compare/indirect_matches.hpp"

#include <algorithm>

namespace macaw::compare {
namespace {

class Search {
 public:
  Search(const Reference& reference, const Alignment& alignment, const Observed& observed,
         const std::set<TensorId>& listed)
      : reference_(reference), alignment_(alignment), observed_(observed), listed_(listed) {}

  std::vector<MatchedTensor> run() {
    for (std::size_t i = 0; i < observed_.outputs.size(); ++i)
      add(reference_.outputs[i], How::kOutput, 0, observed_.outputs[i].different);
    for (const auto& [tensor, sighting] : observed_.sightings.all()) {
      const bool read = sighting.kind == PassingValues::Kind::kRead;
      if (!is_made_from_sources(tensor, sighting.record, read)) continue;
      add(tensor, read ? How::kRead : How::kComputed, 1, 0);
    }
    for (const auto& op : reference_.operators) add_views(op);
    return std::move(found_);
  }

 private:
  void add(TensorId tensor, How how, std::size_t commands, std::int64_t different) {
    if (!reference_.is_computed(tensor) || !listed_.insert(tensor).second) return;
    const auto& t = reference_.tensors[tensor];
    found_.push_back({tensor, t.name, how, commands, t.value->size(), different});
  }

  /// Whether the tensor is computed from what the operation reads, so that the same elements are no chance. Where that
  /// is not known, the CPU wrote what is `read`.
  [[nodiscard]] bool is_made_from_sources(TensorId tensor, std::size_t record, bool read) const {
    if (alignment_.known(tensor) || (read && alignment_.sources(record).empty())) return true;
    const auto cone = alignment_.cone(tensor);
    return !cone.frontier.empty() && std::ranges::includes(alignment_.sources(record), cone.frontier);
  }

  /// Operators come before those that use their results.
  void add_views(const ReferenceOperator& op) {
    for (const auto output : op.outputs) {
      if (!reference_.is_computed(output)) continue;
      const auto bytes = std::as_const(*reference_.tensors[output].value).bytes();
      for (const auto input : op.inputs) {
        const auto& source = reference_.tensors[input];
        const bool given = std::ranges::find(reference_.inputs, input) != reference_.inputs.end();
        if (source.value && (given || listed_.contains(input)) &&
            std::ranges::equal(bytes, std::as_const(*source.value).bytes()))
          add(output, How::kView, 0, 0);
      }
    }
  }

  const Reference& reference_;
  const Alignment& alignment_;
  const Observed& observed_;
  std::set<TensorId> listed_;
  std::vector<MatchedTensor> found_;
};

}  // namespace

std::vector<MatchedTensor> indirect_matches(const Reference& reference, const Alignment& alignment,
                                            const Observed& observed, const std::set<TensorId>& listed) {
  return Search(reference, alignment, observed, listed).run();
}

}  // namespace macaw::compare
