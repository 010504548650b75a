#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <macaw/input_fit.hpp>
#include <macaw/npy.hpp>

#include "app/input_folder.hpp"

namespace macaw::app {

/// Many sets of inputs of a network: a folder with one entry per set (app/input_folder.hpp), an .npy, or an .npz with
/// arrays named like the inputs; arrays have the sets along their first axis.
class BatchInputs {
 public:
  [[nodiscard]] static Result<BatchInputs> open(const std::filesystem::path& source, std::vector<InputPort> ports,
                                                FolderOptions options);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Names of the files or folders of the sets; empty strings for sets from arrays.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Whether a file has an array of this name.
  [[nodiscard]] bool has_array(const std::string& name) const { return !name.empty() && arrays_.contains(name); }
  /// Assumptions about raw files.
  [[nodiscard]] std::optional<std::string> note() const { return raw_note(sets_, ports_, options_); }
  /// Set `index` in the order of the ports. May be called by several threads.
  [[nodiscard]] Result<std::vector<Tensor>> get(std::size_t index) const;

 private:
  [[nodiscard]] Result<void> read_arrays();
  /// The array of an input. If there is a single input, the only array is taken, whatever its name.
  [[nodiscard]] const NpyArray* array_of(std::size_t input) const;

  std::filesystem::path source_;
  std::vector<InputPort> ports_;
  FolderOptions options_;
  std::size_t size_ = 0;
  std::vector<std::filesystem::path> sets_;  ///< of a folder
  std::map<std::string, NpyArray> arrays_;   ///< of a file
};

}  // namespace macaw::app
