#pragma once
#include <filesystem>
#include <mutex>
#include <vector>

#include <macaw/temporary_file.hpp>
#include <macaw/tensor.hpp>

namespace macaw::app {

/// The outputs of many runs on their way into output_0.npy, output_1.npy, ... of a folder, each with the runs along its
/// first axis. Results come in any order and stay in memory no longer than it takes to write them; the files get their
/// names when all are there.
class BatchOutputs {
 public:
  BatchOutputs(std::filesystem::path folder, std::size_t runs, io::Existing existing)
      : folder_(std::move(folder)), runs_(runs), existing_(existing) {}

  /// The results of run `index`, of the types and shapes of every other run. May be called by several threads.
  [[nodiscard]] Result<void> add(std::size_t index, const std::vector<Tensor>& outputs);
  [[nodiscard]] Result<void> publish();

 private:
  struct File {
    io::TemporaryFile temporary;
    std::size_t header = 0;  ///< bytes
    DType dtype;
    Shape shape;
  };
  [[nodiscard]] Result<void> open(const std::vector<Tensor>& outputs);

  std::filesystem::path folder_;
  std::size_t runs_;
  io::Existing existing_;
  std::mutex mutex_;
  std::vector<File> files_;
};

}  // namespace macaw::app
