#pragma once
#include <macaw/npu/host_operators.hpp>

#include <filesystem>
#include <memory>

#include "workflow/compare/program.hpp"

// What macaw_demo has less of: app/all_formats.cpp is the whole program's, app/demo/few_formats.cpp the other's.

namespace macaw::app {

/// What a compiled network is laid beside, from a file.
struct ProgramFile {
  std::shared_ptr<const void> contents;  ///< what `program` is of
  compare::Program program;
};
/// A TOSA graph, or a TensorFlow Lite network if the file's name ends as theirs do.
[[nodiscard]] Result<ProgramFile> load_program(const std::filesystem::path& file);

/// What computes the operators that a compiled network leaves to the CPU; null: nothing in this program does.
[[nodiscard]] const npu::HostOperators* host_operators();

}  // namespace macaw::app
