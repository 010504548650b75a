#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <macaw/input_fit.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// Runs a data set through a network in one process.
struct BatchOptions {
  std::string inputs;                ///< a folder, .npz or .npy (app/batch/inputs.hpp)
  std::string labels;                ///< .npy or .csv with the correct class of each set; empty: none
  std::filesystem::path output_dir;  ///< empty: outputs are not written
  /// Files for further results, which follow the outputs of a run.
  std::vector<std::filesystem::path> tensor_files = {};
  bool force = false;
  InputFit fit;
  std::string raw;  ///< app/input_folder.hpp
  int threads = 1;  ///< number of threads; 0: one per processor of the machine
};

/// --inputs and --labels.
void add_batch_options(Command& command, BatchOptions& options);

/// Runs one set of inputs, in the order of the ports. Returns the outputs, followed by the results for
/// BatchOptions::tensor_files. Called by several threads at the same time.
using RunOne = std::function<Result<std::vector<Tensor>>(std::vector<Tensor>)>;

struct BatchResult {
  std::size_t runs = 0;
  double seconds = 0;                               ///< of all runs, without loading the network
  std::optional<std::size_t> top1 = {}, top5 = {};  ///< runs whose correct class scored highest, or among the top five
};

/// Runs every set. If sets fail, the error of the first one is returned and nothing is written. `outputs`: number of
/// the network's outputs.
[[nodiscard]] Result<BatchResult> run_batch(const BatchOptions& options, const std::vector<InputPort>& ports,
                                            std::size_t outputs, const std::string& command, const RunOne& run);

/// "1000 runs in 12.3 s, 81 per second", and the share of correct classes.
[[nodiscard]] std::string to_text(const BatchResult& result);
[[nodiscard]] std::string to_json(const BatchResult& result);

}  // namespace macaw::app
