#include <glob.h>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

std::vector<Network> expand(const std::vector<Network>& networks, const std::filesystem::path& folder) {
  std::vector<Network> all;
  for (const auto& network : networks) {
    glob_t found{};
    const auto pattern = network.artifact.native();
    const bool has_pattern = pattern.find_first_of("*?[") != pattern.npos;
    if (has_pattern && ::glob((folder / network.artifact).c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        auto one = network;
        one.artifact = std::filesystem::path(found.gl_pathv[i]).lexically_relative(folder);
        one.name.append(" ").append(one.artifact.string());
        all.push_back(std::move(one));
      }
    } else {
      all.push_back(network);
    }
    ::globfree(&found);
  }
  return all;
}

}  // namespace macaw::golden
