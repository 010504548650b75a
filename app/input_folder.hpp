#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <macaw/error.hpp>
#include <macaw/input_fit.hpp>

namespace macaw::app {

/// The entries of a folder of inputs in the order of their names, each one set of inputs. kInvalidFile if there is
/// none.
[[nodiscard]] Result<std::vector<std::filesystem::path>> input_sets(const std::filesystem::path& folder);

/// One set: a file for a network of one input; a folder with NAME.npy, NAME or, if the names are others, as many files
/// as there are inputs, in the order of their names. A file that is no .npy holds the bytes of the input's elements;
/// for an int8 input it is an image of uint8, from which 128 is subtracted. Arrays must be
/// what the inputs take (<macaw/input_fit.hpp>).
[[nodiscard]] Result<std::vector<Tensor>> read_input_set(const std::filesystem::path& set,
                                                         const std::vector<InputPort>& ports, InputFit fit);

}  // namespace macaw::app
