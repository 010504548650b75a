#pragma once
#include <filesystem>
#include <vector>

#include <macaw/tensor.hpp>

namespace macaw::app {

/// The right class of each run, and how often a network found it.
class Labels {
 public:
  /// An .npy of integers, one for each run, or a .csv with a line for each: the class last, and if there are other
  /// columns the file of the run's inputs first. `names` are those of the inputs' files, empty where they have none:
  /// then lines are in the order of the runs.
  [[nodiscard]] static Result<Labels> read(const std::filesystem::path& file, const std::vector<std::string>& names);

  [[nodiscard]] const std::vector<std::int64_t>& values() const { return labels_; }

  /// Place of the right class among the scores of a run, the greatest first; of equal scores the first in the tensor
  /// comes first. A label that is not a class of the scores is a mismatch.
  [[nodiscard]] Result<std::size_t> rank(std::size_t run, const Tensor& scores) const;

 private:
  std::filesystem::path file_;
  std::vector<std::int64_t> labels_;
};

}  // namespace macaw::app
