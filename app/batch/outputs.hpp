#pragma once
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include <macaw/temporary_file.hpp>
#include <macaw/tensor.hpp>

namespace macaw::app {

/// The shape of the results of many runs: the runs replace a first axis of one element.
[[nodiscard]] Shape with_runs(Shape shape, std::size_t runs);

/// Writes the results of many runs to files, each with the runs along its first axis. Results are accepted in any order
/// and written at once; the files get their names when all results are written.
class BatchOutputs {
 public:
  /// One target per result of a run; an empty path: not written.
  BatchOutputs(std::vector<std::filesystem::path> targets, std::size_t runs, io::Existing existing)
      : targets_(std::move(targets)), runs_(runs), existing_(existing) {}

  /// Adds the results of run `index`; types and shapes must be those of every other run. May be called by several
  /// threads.
  [[nodiscard]] Result<void> add(std::size_t index, const std::vector<Tensor>& results);
  /// Gives the files their names. `runs`: number of runs, if they ended early.
  [[nodiscard]] Result<void> publish(std::optional<std::size_t> runs = std::nullopt);

 private:
  struct File {
    std::size_t result = 0;  ///< of a run, by number
    io::TemporaryFile temporary;
    std::size_t header = 0;  ///< bytes
    DType dtype;
    Shape shape;
  };
  [[nodiscard]] Result<void> open(const std::vector<Tensor>& results);

  std::vector<std::filesystem::path> targets_;
  std::size_t runs_;
  io::Existing existing_;
  std::mutex mutex_;
  std::vector<File> files_;
};

}  // namespace macaw::app
