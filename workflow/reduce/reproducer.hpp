#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <macaw/temporary_file.hpp>

#include "workflow/reduce/network.hpp"

namespace macaw::reduce {

/// A file of an output folder.
struct OutputFile {
  std::filesystem::path name;
  std::vector<std::byte> bytes;
};

/// Operators whose result is wrong.
struct WrongResult {
  std::vector<std::size_t> operators;  ///< of the file, constants counted, in their order
  std::string text;                    ///< what differs, for people
  std::optional<Tensor> actual = {};   ///< what the compiled network has in place of the result
};

/// A network of the wrong operators alone, with their constants and what they read in a run whose tensors `values` has:
/// network.tosa or network.tflite, input_0.npy, ... in its order, expected_0.npy, ... of its outputs, actual_0.npy, and
/// README.md. kMismatch where the operators cannot stand alone, or `values` lacks what they read.
[[nodiscard]] Result<std::vector<OutputFile>> reproducer_files(const Network& network, const compare::Reference& values,
                                                               const WrongResult& wrong);

/// The same, written into a folder, which is made.
[[nodiscard]] Result<void> write_reproducer(const std::filesystem::path& folder, const std::vector<OutputFile>& files,
                                            io::Existing existing);

}  // namespace macaw::reduce
