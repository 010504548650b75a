#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "workflow/sweep/study.hpp"

namespace macaw::sweep {

/// Inputs of a run; without a name there are none.
struct InputSet {
  std::string name = {};  ///< relative to the study
  std::filesystem::path path = {};
  std::string content = {};  ///< hash of its files
};

/// One network on one combination of the axes.
struct Run {
  /// 32 hexadecimal digits, a hash of all that decides the result: contents of files, not their places.
  std::string id = {};
  std::string content = {};         ///< hash of the file
  std::string network = {};         ///< file name; with its folders where several of the study have the same
  std::filesystem::path file = {};  ///< compiled network or graph
  std::string compile = {};         ///< as Network::compile
  std::string accelerator = {}, system = {}, memory_mode = {};  ///< empty: the default
  std::string system_file = {};                                 ///< what `system` means from here, where it is a file
  std::uint64_t fast_memory = 0;  ///< bytes that the bundled compiler may use beside the arena's memory
  std::vector<std::pair<std::string, double>> params = {};
  InputSet inputs = {};

  /// "net.tflite, ethos-u55-128, axi1.read_latency 500", defaults left out.
  [[nodiscard]] std::string describe() const;
};

/// A hash of what a graph and its compilation for an accelerator and its memories are, for the name of the result.
[[nodiscard]] std::string artifact_key(const Run& run);

struct Plan {
  std::vector<Run> runs;           ///< in the study's order
  std::vector<std::string> notes;  ///< combinations that there cannot be
};

/// The runs of a study whose files are relative to `folder`. A compiled network runs on the accelerator that it states.
/// Errors: kIo for a pattern or a name that means no file, kUsage for an accelerator that is not known.
[[nodiscard]] Result<Plan> make_plan(const Study& study, const std::filesystem::path& folder);

}  // namespace macaw::sweep
