#include <catch2/catch.hpp>
#include <macaw/npu/artifact.hpp>

#include <cstdio>
#include <map>

#include "sim/isa/command_parser.hpp"
#include "sim/isa/disasm.hpp"
#include "tests/support/corpus.hpp"

using namespace macaw;
using namespace macaw::npu;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> artifacts_below(const char* folder) {
  std::vector<fs::path> files;
  if (!macaw::test::in_corpus(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(macaw::test::corpus(folder))) {
    const auto& path = entry.path();
    const bool vela = path.stem().string().find("_vela") != std::string::npos;
    if (vela && (path.extension() == ".npz" || path.extension() == ".tflite")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::uint32_t> encoded_again(Family family, std::span<const std::uint32_t> words) {
  std::vector<std::uint32_t> out;
  const auto commands = decode(family, words);
  REQUIRE(commands);
  for (const auto& command : *commands) {
    std::vector<FieldValue> values;
    for (const auto& field : command.row->fields()) values.push_back({field.name, command.value(field)});
    const auto encoded = encode(*command.row, values);
    REQUIRE(encoded);
    out.push_back(encoded->word0);
    if (command.row->words() == 2) out.push_back(encoded->payload);
  }
  return out;
}

void check_round_trips(const Accelerator& accelerator, const CommandStream& stream) {
  CHECK(encoded_again(accelerator.family, stream.words) == stream.words);
  const auto text = disassemble(accelerator, stream.name, stream.words);
  REQUIRE(text);
  const auto assembly = assemble(*text, stream.name);
  REQUIRE(assembly);
  REQUIRE(assembly->streams.size() == 1);
  CHECK(assembly->streams[0].name == stream.name);
  CHECK(assembly->streams[0].words == stream.words);
}

}  // namespace

TEST_CASE("every compiled network loads, decodes, snapshots and round-trips", "[artifact][corpus]") {
  std::map<std::string, int> count;
  for (const char* folder : {"npu", "measured/artifacts", "thirdparty", "unlabelled"})
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
        check_round_trips(*artifact->accelerator, *stream);
        const auto program = parse_program(*artifact->accelerator, stream->words);
        if (!program) FAIL_CHECK(program.error().to_string());
        if (!program) continue;
        CHECK(std::holds_alternative<StreamStop>(program->back().action));
        for (const auto& command : *program)
          ++count[command.action.index() == 0 ? "block operations" : command.action.index() == 1 ? "DMA" : "others"];
      }
    }
  for (const auto& [what, n] : count) std::printf("%s: %d\n", what.c_str(), n);
}

TEST_CASE("tensors that operators with addresses of their own share are where the streams expect them") {
  const auto files = artifacts_below("lab/movenet_cop2_refused");
  if (files.empty()) return;
  const auto artifact = load_artifact(files.front());
  REQUIRE(artifact);
  const auto stream = [&](std::string_view name) -> const CommandStream& {
    for (const auto& step : artifact->steps)
      if (const auto* found = std::get_if<CommandStream>(&step); found && found->name == name) return *found;
    throw std::runtime_error("no such stream");
  };
  // The first writes ARGMAX to byte 16 of region 4, where the second reads it beside its own outputs.
  const auto &writer = stream("operator 2 (ethos-u)"), &reader = stream("operator 4 (ethos-u)");
  REQUIRE(reader.copies.size() == 1);
  CHECK(reader.copies[0].from.memory == writer.regions[4].memory);
  CHECK(reader.copies[0].from.offset == 16);
  CHECK(reader.copies[0].to.memory == reader.regions[4].memory);
  CHECK(reader.copies[0].to.offset == 16);
  CHECK(reader.overlaps.empty());
  CHECK(stream("operator 16 (ethos-u)").overlaps.size() == 1);
}
