#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "workflow/sequence/loop.hpp"

namespace macaw::app {

/// Options for running a network step by step with its state kept.
struct SequenceOptions {
  std::string sets;           ///< --sequence: a folder, .npz or .npy with a set for each step, or a number of steps
  sequence::Options joining;  ///< --feedback and related options

  /// kUsage for options that need --sequence without it.
  [[nodiscard]] Result<void> check() const;
};

/// --sequence, --feedback, --initial, --count, --stop, --score, --scale, --requantize.
void add_sequence_options(Command& command, SequenceOptions& options);

/// Parameters of a sequence that are common to all engines.
struct SequenceRun {
  std::string command;              ///< "tosa", for the line that shows progress
  std::vector<std::string> inputs;  ///< --input: the same in every step
  InputFit fit = {};
  std::string raw = {};                   ///< --raw
  std::filesystem::path output_dir = {};  ///< empty: outputs are not written
  bool force = false;
};

/// The outputs of all steps as written to files.
struct SequenceOutputs {
  std::vector<Shape> shapes;
  std::vector<std::uint32_t> crc32;
};

/// Runs a sequence and writes output_0.npy, ... with the steps along their first axis. `outputs` may be null; the
/// member `given` of `hooks` is taken from the options.
[[nodiscard]] Result<sequence::Summary> run_sequence(sequence::Engine& engine, const SequenceOptions& options,
                                                     const SequenceRun& run, SequenceOutputs* outputs = nullptr,
                                                     sequence::Hooks hooks = {});

/// Prints the summary as text or JSON.
void print_sequence(const sequence::Summary& summary, bool json);

}  // namespace macaw::app
