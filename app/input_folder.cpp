#include "app/input_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npy.hpp>

#include "base/file.hpp"
#include "base/file_name.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

Result<Tensor> read_input(const fs::path& file, const InputPort& port, InputFit fit) {
  if (file.extension() == ".npy") {
    MACAW_ASSIGN(const auto array, read_npy(file));
    return fit_input(array, port, fit, file.string());
  }
  if (!port.shape)
    return fail(ErrorCode::kUnsupported, fmt::format("input '{}' has no static shape: give it as .npy", port.name),
                {.file = file.string()});
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto tensor, Tensor::create(port.dtype, *port.shape));
  if (bytes.size() != tensor.bytes().size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} bytes, the input {} {} has {}", bytes.size(), to_string(port.dtype),
                            to_string(*port.shape), tensor.bytes().size()),
                {.file = file.string()});
  std::ranges::copy(bytes, tensor.bytes().begin());
  if (tensor.dtype() == DType::kINT8)
    for (auto& byte : tensor.bytes()) byte ^= std::byte{0x80};
  return tensor;
}

/// The file of an input: by its name, or by its place among as many files.
fs::path file_of(const std::vector<fs::path>& files, const std::vector<InputPort>& ports, std::size_t input) {
  const auto name = io::file_name_of(ports[input].name);
  const auto found =
      std::ranges::find_if(files, [&](const fs::path& f) { return f.stem() == name || f.filename() == name; });
  if (found != files.end()) return *found;
  return files.size() == ports.size() ? files[input] : fs::path();
}

}  // namespace

Result<std::vector<fs::path>> input_sets(const fs::path& folder) {
  std::error_code status;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
    entries.push_back(it->path());
  if (status) {
    const bool is_file = status == std::errc::not_a_directory;
    return fail(ErrorCode::kIo, is_file ? "expected a folder with a file or folder for each set" : status.message(),
                {.file = folder.string()});
  }
  if (entries.empty()) return fail(ErrorCode::kInvalidFile, "the folder of inputs is empty", {.file = folder.string()});
  std::ranges::sort(entries);
  return entries;
}

Result<std::vector<Tensor>> read_input_set(const fs::path& set, const std::vector<InputPort>& ports, InputFit fit) {
  std::error_code ignored;
  std::vector<fs::path> files{set};
  if (fs::is_directory(set, ignored)) {
    MACAW_ASSIGN(files, input_sets(set));
  } else if (ports.size() != 1) {
    return fail(ErrorCode::kMismatch, fmt::format("a file, but the network has {} inputs: give a folder", ports.size()),
                {.file = set.string()});
  }
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto file = ports.size() == 1 && files.size() == 1 ? files.front() : file_of(files, ports, i);
    if (file.empty())
      return fail(ErrorCode::kMismatch, fmt::format("no file for input '{}'", ports[i].name), {.file = set.string()});
    MACAW_ASSIGN(auto tensor, read_input(file, ports[i], fit));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace macaw::app
