#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <macaw/error.hpp>
#include <macaw/input_fit.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// How files of a folder are converted to inputs.
struct FileReader {
  std::function<bool(const std::filesystem::path&)> takes = {};  ///< empty: no file
  std::function<Result<Tensor>(const std::filesystem::path&, const InputPort&)> read = {};
};

/// How files of a folder become inputs.
struct FolderOptions {
  InputFit fit = {};                  ///< of .npy files (<macaw/input_fit.hpp>)
  std::string raw = {};               ///< "int8" or "uint8": what raw files hold; empty: elements of the input's type
  std::filesystem::path labels = {};  ///< not an input, though it may be in the folder
  FileReader reader = {};
};

/// --raw.
void add_raw_option(Command& command, std::string& raw);

/// Assumptions about the raw files of these sets, if their bytes could be int8 or uint8; for stderr.
[[nodiscard]] Result<std::vector<std::filesystem::path>> input_sets(const std::filesystem::path& folder,
                                                                    const FolderOptions& options);

/// Assumptions about the raw files of these sets, where their bytes may be meant as int8 or uint8; for stderr.
[[nodiscard]] std::optional<std::string> raw_note(const std::vector<std::filesystem::path>& sets,
                                                  const std::vector<InputPort>& ports, const FolderOptions& options);

/// One set: a file for a network of one input; a folder with NAME.npy, NAME or, if the names are others, as many files
/// as there are inputs, in the order of their names. A file that is not .npy holds the bytes of the input's elements;
/// where `raw` is the 8-bit type of the other sign, each is moved by 128, as images are quantised.
[[nodiscard]] Result<std::vector<Tensor>> read_input_set(const std::filesystem::path& set,
                                                         const std::vector<InputPort>& ports,
                                                         const FolderOptions& options);

}  // namespace macaw::app
