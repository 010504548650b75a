#pragma once
#include <filesystem>
#include <vector>

#include <macaw/tensor.hpp>

namespace macaw::app {

/// The correct class of each run, and how often a network predicted it.
class Labels {
 public:
  /// Reads an .npy of integers, one per run, or a .csv with one line per run: the class is the last column; the first
  /// of several is the file of the run's inputs. `names` are those of the inputs' files, empty if they have none: then
  /// lines are in the order of the runs.
  [[nodiscard]] static Result<Labels> read(const std::filesystem::path& file, const std::vector<std::string>& names);

  [[nodiscard]] const std::vector<std::int64_t>& values() const { return labels_; }

  /// Rank of the correct class among the scores of a run, from 0; equal scores rank in tensor order. kMismatch for a
  /// label that is not a class of the scores.
  [[nodiscard]] Result<std::size_t> rank(std::size_t run, const Tensor& scores) const;

 private:
  std::filesystem::path file_;
  std::vector<std::int64_t> labels_;
};

}  // namespace macaw::app
