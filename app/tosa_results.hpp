#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "reference/tosa/description.hpp"

namespace macaw::app {

/// The results of a run.
struct TosaResults {
  const tosa::RunResult& run;
  const tosa::RunResult* bounds = nullptr;  ///< written beside the outputs as bounds_<output>
  bool all_variables = false;               ///< as variable_NAME.npy, in addition to those of the description
  bool overwrite = false;
};

/// Writes outputs, bounds, variables and intermediates below the description's output folder. All files are checked
/// before the first is written. Returns the files, without intermediates.
[[nodiscard]] Result<std::vector<std::string>> write_tosa_results(const tosa::TestDescription& description,
                                                                  const tosa::Graph& graph, const TosaResults& results);

}  // namespace macaw::app
