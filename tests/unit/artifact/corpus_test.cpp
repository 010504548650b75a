#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "sim/isa/command_parser.hpp"

using namespace macaw;
using namespace macaw::npu;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> artifacts_below(const char* folder) {
  const char* variable = std::getenv("MACAW_CORPUS");
  const fs::path root = fs::path(variable ? variable : "build/corpus") / folder;
  std::vector<fs::path> files;
  if (!fs::exists(root)) {
    std::printf("skipped: %s is not there (set MACAW_CORPUS)\n", root.c_str());
    return files;
  }
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto& path = entry.path();
    const bool vela = path.stem().string().find("_vela") != std::string::npos;
    if (vela && (path.extension() == ".npz" || path.extension() == ".tflite")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("every compiled network loads, decodes and snapshots", "[artifact][corpus]") {
  std::map<std::string, int> count;
  for (const char* folder : {"npu", "measured/artifacts"})
    for (const auto& file : artifacts_below(folder)) {
      INFO(file.string());
      const auto artifact = load_artifact(file);
      if (!artifact) FAIL_CHECK(artifact.error().to_string());
      if (!artifact) continue;
      ++count["artifacts"];
      for (const auto& step : artifact->steps) {
        const auto* stream = std::get_if<CommandStream>(&step);
        if (!stream) {
          ++count["host operators"];
          continue;
        }
        ++count["streams"];
        REQUIRE(artifact->accelerator);
        const auto program = parse_program(*artifact->accelerator, stream->words);
        if (!program) FAIL_CHECK(program.error().to_string());
        if (!program) continue;
        CHECK(std::holds_alternative<Stop>(program->back().action));
        for (const auto& command : *program)
          ++count[command.action.index() == 0 ? "block operations" : command.action.index() == 1 ? "DMA" : "others"];
      }
    }
  for (const auto& [what, n] : count) std::printf("%s: %d\n", what.c_str(), n);
}
