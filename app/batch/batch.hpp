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

/// A data set through a network in one process.
struct BatchOptions {
  std::string inputs;                ///< a folder, .npz or .npy (app/batch/inputs.hpp)
  std::string labels;                ///< .npy or .csv of the right class of each set; empty: none
  std::filesystem::path output_dir;  ///< empty: outputs are not written
  /// Files of further results, which a run has behind its outputs.
  std::vector<std::filesystem::path> tensor_files = {};
  bool force = false;
  InputFit fit;
  std::string raw;  ///< app/input_folder.hpp
  int threads = 1;  ///< that run sets at the same time; 0: as many as the machine has
};

/// --inputs and --labels.
void add_batch_options(Command& command, BatchOptions& options);

/// Runs one set of inputs, in the order of the ports; results are the outputs and what goes into
/// BatchOptions::tensor_files. Called by several threads at the same time.
using RunOne = std::function<Result<std::vector<Tensor>>(std::vector<Tensor>)>;

struct BatchResult {
  std::size_t runs = 0;
  double seconds = 0;                               ///< of all runs, without the loading of the network
  std::optional<std::size_t> top1 = {}, top5 = {};  ///< runs whose right class was the first, or one of the first five
};

/// Runs every set. An error of any of them, the first in their order, is the result, and nothing is written then.
/// `outputs`: how many the network has.
[[nodiscard]] Result<BatchResult> run_batch(const BatchOptions& options, const std::vector<InputPort>& ports,
                                            std::size_t outputs, const std::string& command, const RunOne& run);

/// "1000 runs in 12.3 s, 81 a second", and the share of right classes.
[[nodiscard]] std::string to_text(const BatchResult& result);
[[nodiscard]] std::string to_json(const BatchResult& result);

}  // namespace macaw::app
