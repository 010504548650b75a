#include <nlohmann/json.hpp>

#include <macaw/npu/bundled_program.hpp>

#include "tests/tools/dev/check/case.hpp"
#include "base/file.hpp"

namespace macaw::app::check {
namespace {

/// Whether a folder in `folder` holds compiled networks or their originals.
bool holds_networks(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& part : std::filesystem::directory_iterator(folder, ignored))
    for (const auto& entry : std::filesystem::directory_iterator(part.path(), ignored))
      if (const auto kind = entry.path().extension(); kind == ".npz" || kind == ".tflite") return true;
  return false;
}

}  // namespace

Result<Loader> find_loader(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return std::filesystem::exists(folder / name, ignored); };
  if (std::filesystem::is_regular_file(folder, ignored)) {
    MACAW_ASSIGN(const auto bytes, io::read_file(folder));
    return npu::is_bundled_program(bytes) ? load_bundled : load_measured;
  }
  if (!std::filesystem::is_directory(folder, ignored))
    return fail(ErrorCode::kIo,
                std::filesystem::exists(folder, ignored)
                    ? "expected a folder, a file of measurements or a bundled program"
                    : "there is no such file or folder",
                {.file = folder.string()});
  if (has("MANIFEST.json")) return load_tosa;
  if (has("meta.json")) return load_weights;
  if (has("INDEX.json")) {
    MACAW_ASSIGN(const auto index, read_json(folder / "INDEX.json"));
    if (index.is_array() && !index.empty() && index[0].is_object()) {
      if (index[0].contains("cases")) return load_networks;
      if (index[0].contains("artifact")) return load_thirdparty;
      if (index[0].contains("artifacts")) return load_unlabelled;
    }
  }
  if (has("artifacts") || has("npu")) return load_unlabelled;
  if (has("desc.json")) return load_descriptions;
  if (holds_networks(folder)) return load_lab;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (std::filesystem::exists(entry.path() / "desc.json", ignored)) return load_descriptions;
  return fail(ErrorCode::kInvalidFile,
              "not a corpus folder, expected MANIFEST.json, INDEX.json, meta.json, artifacts/ or folders with "
              "desc.json or networks in it",
              {.file = folder.string()});
}

}  // namespace macaw::app::check
