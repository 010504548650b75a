#pragma once
#include <nlohmann/json.hpp>

#include "tests/tools/dev/check/case.hpp"

namespace macaw::app::check {

/// Calls f(json) of a file; a member that is missing or of the wrong type becomes an error that names the file.
template <class F>
auto with_json(const std::filesystem::path& file, F&& f) -> decltype(f(std::declval<const nlohmann::json&>())) {
  MACAW_ASSIGN(const auto json, read_json(file));
  try {
    return f(json);
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorCode::kInvalidFile, std::string("unexpected JSON: ") + e.what(), {.file = file.string()});
  }
}

/// Paths of a JSON list of strings or of objects with a "file" member, relative to `folder`.
[[nodiscard]] inline std::vector<std::filesystem::path> paths(const nlohmann::json& list,
                                                              const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : list)
    files.push_back(folder / (entry.is_object() ? entry.at("file") : entry).get<std::string>());
  return files;
}

}  // namespace macaw::app::check
