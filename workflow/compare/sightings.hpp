#pragma once
#include "workflow/compare/passing_values.hpp"
#include "workflow/compare/reference.hpp"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace macaw::compare {

/// Tensors of the graph whose elements pass through operations: they are read in this form, though no operation writes
/// them so, or they are a step inside an operation.
class Sightings {
 public:
  struct Sighting {
    PassingValues::Kind kind{};
    std::size_t record = 0;
  };

  explicit Sightings(const Reference& reference);

  void see(std::size_t record, const PassingValues& values);
  /// Every operation that showed a tensor.
  [[nodiscard]] const std::multimap<TensorId, Sighting>& all() const { return all_; }

 private:
  /// Notes which rows of a larger tensor a map is.
  void see_rows(TensorId tensor, std::size_t record, const PassingValues& map);
  void add(TensorId tensor, std::size_t record, PassingValues::Kind kind);

  const Reference& reference_;
  std::multimap<std::size_t, TensorId> by_size_;    ///< of elements
  std::multimap<std::int64_t, TensorId> by_depth_;  ///< maps of one image, for those that are padded
  std::map<TensorId, std::vector<bool>> rows_;      ///< that were read, of tensors read in parts
  std::multimap<TensorId, Sighting> all_;
  std::set<std::tuple<TensorId, std::size_t, PassingValues::Kind>> known_;  ///< what all_ has
};

}  // namespace macaw::compare
