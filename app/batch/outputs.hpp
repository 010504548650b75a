#pragma once
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include <macaw/temporary_file.hpp>
#include <macaw/tensor.hpp>

namespace macaw::app {

/// The shape of the results of many runs: the runs take the place of a first axis of one element.
[[nodiscard]] Shape with_runs(Shape shape, std::size_t runs);

/// The results of many runs on their way into files, each with the runs along its first axis. Results come in any order
/// and stay in memory no longer than it takes to write them; the files get their names when all are there.
class BatchOutputs {
 public:
  /// A file for each result of a run; an empty path: it is not written.
  BatchOutputs(std::vector<std::filesystem::path> targets, std::size_t runs, io::Existing existing)
      : targets_(std::move(targets)), runs_(runs), existing_(existing) {}

  /// The results of run `index`, of the types and shapes of every other run. May be called by several threads.
  [[nodiscard]] Result<void> add(std::size_t index, const std::vector<Tensor>& results);
  /// Gives the files their names. `runs`: how many there were, where they ended early.
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
