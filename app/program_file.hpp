#pragma once
#include <filesystem>
#include <memory>

#include "workflow/compare/program.hpp"

namespace macaw::app {

/// The source network that a compiled one is compared with.
struct ProgramFile {
  std::shared_ptr<const tosa::Graph> graph;        ///< null: a TensorFlow Lite network
  std::shared_ptr<const tflite::Network> network;  ///< null: a TOSA graph
  compare::Program program;                        ///< of the network that is set
};

/// Reads a TensorFlow Lite network if contents or name indicate one, and a TOSA graph from any other file.
[[nodiscard]] Result<ProgramFile> load_program(const std::filesystem::path& file);

/// Whether load_program() takes the file: a TOSA graph, or a TensorFlow Lite network without an operator for an
/// Ethos-U.
[[nodiscard]] Result<bool> is_program(const std::filesystem::path& file);

}  // namespace macaw::app
