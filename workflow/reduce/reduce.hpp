#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "workflow/reduce/reproducer.hpp"

namespace macaw::reduce {

struct Options {
  std::string command;                                ///< run by /bin/sh; {} is the network's file
  std::string match;                                  ///< text that its output must have as well; empty: none
  unsigned jobs = 1;                                  ///< commands that run at a time
  std::chrono::seconds timeout{60};                   ///< for one command
  std::function<void()> checked = [] {};              ///< called for each command that was run, by any thread
  std::function<bool()> stop = [] { return false; };  ///< ends early with the smallest network so far
};

/// How large a network is.
struct Size {
  std::size_t operators = 0, elements = 0;
};

struct Reduction {
  NetworkPtr network;
  Size before, after;
  int exit_code = 0;       ///< of the command, for both
  std::size_t checks = 0;  ///< commands that were run
  bool stopped = false;    ///< by Options::stop
};

/// The smallest network found for which the command still fails as it does for the file: with the same exit code, and
/// with Options::match in its output. The result is the same for any number of jobs. Errors: those of load_network();
/// kUsage if the command does not fail for the file, or not so once Macaw has written the network anew.
[[nodiscard]] Result<Reduction> reduce(const std::string& file, const Options& options);

/// The network, random inputs for it (input_0.npy, ... in its order) and a README.md that says how it fails.
[[nodiscard]] Result<std::vector<OutputFile>> output_files(const Reduction& reduction, const Options& options);

}  // namespace macaw::reduce
