#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "sim/isa/command_parser.hpp"

using namespace macaw;
using namespace macaw::npu;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Whatever the bytes are, there is an artifact whose streams can be asked for, or an error.
void load(std::span<const std::byte> bytes) {
  const auto artifact = parse_artifact(bytes, "mutant");
  if (!artifact) {
    CHECK(artifact.error().place.file.starts_with("mutant"));
    CHECK_FALSE(artifact.error().message.empty());
    return;
  }
  for (const auto& step : artifact->steps)
    if (const auto* stream = std::get_if<CommandStream>(&step); stream && artifact->accelerator)
      (void)parse_program(*artifact->accelerator, stream->words);
}

}  // namespace

TEST_CASE("bytes that are not an artifact are errors", "[artifact]") {
  for (const std::string text : {"", "P", "PK", "PK\x03\x04", "xxxxTFL3", "xxxxET12", "vela_bin_stream"}) {
    INFO(text);
    CHECK_FALSE(parse_artifact(std::as_bytes(std::span(text)), "mutant"));
  }
}

TEST_CASE("the contents decide what a file is, whatever its name") {
  const auto bytes = contents("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz");
  REQUIRE_FALSE(bytes.empty());
  for (const char* name : {"net.onnx", "net.pt", "net.pb", "net.keras"}) {
    INFO(name);
    const auto artifact = parse_artifact(bytes, name);
    CHECK((artifact && artifact->accelerator));
    // A zip file, and text.
    for (const std::string text : {"PK\x03\x04", "other contents"}) {
      const auto other = parse_artifact(std::as_bytes(std::span(text)), name);
      REQUIRE_FALSE(other);
      CHECK(other.error().message.starts_with("this is a"));
      CHECK(other.error().place.file == name);
    }
  }
}

TEST_CASE("truncated and changed files load or fail in order", "[artifact][corpus]") {
  const char* variable = std::getenv("MACAW_CORPUS");
  const fs::path root = fs::path(variable ? variable : "build/corpus") / "npu";
  if (!fs::exists(root)) {
    std::printf("skipped: %s is not there (set MACAW_CORPUS)\n", root.c_str());
    return;
  }
  std::vector<fs::path> files;
  for (const char* model : {"hello_world_int8", "keyword_scrambled_8bit"})
    for (const auto& entry : fs::recursive_directory_iterator(root / model))
      if (entry.path().stem().string().ends_with("_vela") && fs::file_size(entry.path()) < 40000)
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  std::mt19937 random(1);
  for (std::size_t f = 0; f < files.size(); f += 4) {
    const auto original = contents(files[f]);
    INFO(files[f].string());
    for (int i = 0; i < 20; ++i) load(std::span(original).first(random() % original.size()));
    for (int i = 0; i < 200; ++i) {
      auto mutant = original;
      for (unsigned n = 1 + random() % 4; n > 0; --n) mutant[random() % mutant.size()] = std::byte(random());
      load(mutant);
      // Small values in words: counts, offsets and indices.
      mutant = original;
      const std::uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, std::uint32_t(random() % 64)};
      std::memcpy(mutant.data() + random() % (mutant.size() / 4) * 4, &values[random() % 6], 4);
      load(mutant);
    }
  }
}
