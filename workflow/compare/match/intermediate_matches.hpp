#pragma once
#include "workflow/compare/reference.hpp"
#include "workflow/compare/trace/intermediate_values.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>
#include "workflow/compare/match/alignment.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {

/// Tensors of the graph whose elements pass through operations: they are read in this form although no operation writes
/// them so, or they are an intermediate result of an operation.
class IntermediateMatches {
 public:
  struct IntermediateMatch {
    IntermediateValues::Kind kind{};
    std::size_t record = 0;
  };

  explicit IntermediateMatches(const Reference& reference);

  void record(std::size_t record, const IntermediateValues& values);
  /// Every operation in which a tensor was seen.
  [[nodiscard]] const std::multimap<TensorId, IntermediateMatch>& all() const { return all_; }

 private:
  /// Records which rows of a larger tensor a map covers.
  void record_rows(TensorId tensor, std::size_t record, const IntermediateValues& map);
  void add(TensorId tensor, std::size_t record, IntermediateValues::Kind kind);

  const Reference& reference_;
  std::multimap<std::size_t, TensorId> by_size_;    ///< of elements
  std::multimap<std::int64_t, TensorId> by_depth_;  ///< maps of one image, for those that are padded
  std::map<TensorId, std::vector<bool>> rows_;      ///< rows that were read, of tensors that are read in parts
  std::multimap<TensorId, IntermediateMatch> all_;
  std::set<std::tuple<TensorId, std::size_t, IntermediateValues::Kind>> known_;  ///< what all_ has
};

/// The observations of a run of the compiled network.
struct Observed {
  const std::vector<Record>& records;
  const IntermediateMatches& intermediate;
  const std::vector<OutputComparison>& outputs;  ///< empty: not known
  const std::vector<HostCall>& host_calls;

  [[nodiscard]] bool outputs_equal() const {
    return !outputs.empty() && std::ranges::all_of(outputs, [](const auto& o) { return o.different == 0; });
  }
  /// By number. If another output is wrong, few elements of it are right by chance.
  [[nodiscard]] std::set<std::size_t> right_outputs() const {
    std::set<std::size_t> right;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].different == 0 && (outputs_equal() || outputs[i].elements >= std::int64_t{kMinDistinctiveBytes}))
        right.insert(i);
    return right;
  }
};

/// Tensors without a match that were seen in outputs of the network, in data that commands read or compute internally,
/// or in the elements of another tensor.
[[nodiscard]] std::vector<MatchedTensor> indirect_matches(const Reference& reference, const Alignment& alignment,
                                                          const Observed& observed, const std::set<TensorId>& listed);

}  // namespace macaw::compare
