#include "app/input_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npy.hpp>

#include "base/file.hpp"
#include "base/file_name.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

bool is_byte(DType type) { return type == DType::kINT8 || type == DType::kUINT8; }

/// Whether raw bytes have the other signedness than the input's elements.
Result<bool> has_other_sign(const InputPort& port, const std::string& raw) {
  if (raw.empty()) return false;
  if (!is_byte(port.dtype))
    return fail(ErrorCode::kUsage, fmt::format("--raw {}: the elements of input '{}' are {}, not int8 or uint8", raw,
                                               port.name, to_string(port.dtype)));
  return (raw == "int8") != (port.dtype == DType::kINT8);
}

bool is_taken(const fs::path& file, const FolderOptions& options) {
  return options.reader.takes && options.reader.takes(file);
}

Result<Tensor> read_input(const fs::path& file, const InputPort& port, const FolderOptions& options) {
  if (is_taken(file, options)) return options.reader.read(file, port);
  if (file.extension() == ".npy") {
    MACAW_ASSIGN(const auto array, read_npy(file));
    return fit_input(array, port, options.fit, file.string());
  }
  MACAW_ASSIGN(const bool moved, has_other_sign(port, options.raw));
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
  if (moved)
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

void add_raw_option(Command& command, std::string& raw) {
  command
      .add_option("--raw", raw,
                  "what files of --inputs hold that are not .npy: int8 or uint8 (an int8 input gets uint8 values minus "
                  "128, a uint8 input int8 values plus 128); default: elements of the input's type, as they are")
      .one_of({"int8", "uint8"});
}

Result<std::vector<fs::path>> input_sets(const fs::path& folder, const FolderOptions& options) {
  std::error_code status, ignored;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
    if (it->path().extension() != ".csv" &&
        (options.labels.empty() || !fs::equivalent(it->path(), options.labels, ignored)))
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

std::optional<std::string> raw_note(const std::vector<fs::path>& sets, const std::vector<InputPort>& ports,
                                    const FolderOptions& options) {
  const auto port = std::ranges::find_if(ports, [](const InputPort& p) { return is_byte(p.dtype); });
  std::error_code ignored;
  const auto is_raw = [&](const fs::path& file) { return file.extension() != ".npy" && !is_taken(file, options); };
  const auto has_raw = [&](const fs::path& set) {
    if (!fs::is_directory(set, ignored)) return is_raw(set);
    const auto files = input_sets(set, options);
    return files && std::ranges::any_of(*files, is_raw);
  };
  if (port == ports.end() || !std::ranges::any_of(sets, has_raw)) return std::nullopt;
  const bool is_signed = port->dtype == DType::kINT8;
  const auto* const own = is_signed ? "int8" : "uint8";
  if (options.raw.empty() || options.raw == own)
    return fmt::format("raw files hold {}, as input '{}'; if they hold {}, add --raw {}", own, port->name,
                       is_signed ? "uint8" : "int8", is_signed ? "uint8" : "int8");
  return fmt::format("raw files hold {}; input '{}' gets their values {} 128", options.raw, port->name,
                     is_signed ? "minus" : "plus");
}

Result<std::vector<Tensor>> read_input_set(const fs::path& set, const std::vector<InputPort>& ports,
                                           const FolderOptions& options) {
  std::error_code ignored;
  std::vector<fs::path> files{set};
  if (fs::is_directory(set, ignored)) {
    MACAW_ASSIGN(files, input_sets(set, options));
  } else if (ports.size() != 1) {
    return fail(ErrorCode::kMismatch, fmt::format("a file, but the network has {} inputs: give a folder", ports.size()),
                {.file = set.string()});
  }
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto file = ports.size() == 1 && files.size() == 1 ? files.front() : file_of(files, ports, i);
    if (file.empty())
      return fail(ErrorCode::kMismatch, fmt::format("no file for input '{}'", ports[i].name), {.file = set.string()});
    MACAW_ASSIGN(auto tensor, read_input(file, ports[i], options));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace macaw::app
