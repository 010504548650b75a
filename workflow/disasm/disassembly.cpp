#include "workflow/disasm/disassembly.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/debug_database.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "sim/isa/disasm.hpp"

namespace macaw::disasm {
namespace {

struct NamedStream {
  std::string name;
  std::vector<std::uint32_t> words;
  std::size_t step = 0;  ///< in the artifact
};

Result<std::vector<std::uint32_t>> words_of(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.size() % 4) return fail(ErrorCode::kInvalidFile, "not a whole number of words", {.file = file});
  std::vector<std::uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

template <class Stream>
Result<std::vector<Stream>> selected(std::vector<Stream> streams, std::optional<std::uint64_t> index,
                                     const std::string& file) {
  if (!index) return streams;
  if (*index >= streams.size())
    return fail(ErrorCode::kUsage, fmt::format("there are {} command streams", streams.size()), {.file = file});
  return std::vector<Stream>{std::move(streams[*index])};
}

nlohmann::ordered_json to_json(npu::Family family, const npu::Command& command) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  for (const auto& field : command.row->fields()) {
    const auto value = command.value(field);
    const auto name = npu::value_name(family, field, value);
    if (name.empty()) fields[std::string(field.name)] = value;
    else fields[std::string(field.name)] = std::string(name);
  }
  return {{"index", command.index},
          {"offset", command.offset},
          {"command", std::string(command.row->name)},
          {"fields", std::move(fields)}};
}

}  // namespace

Result<std::string> disassembled(const Request& request) {
  const npu::Accelerator* accelerator = nullptr;
  std::vector<NamedStream> streams;
  npu::Artifact artifact;
  if (request.words) {
    MACAW_ASSIGN(const auto bytes, io::read_file(request.file));
    MACAW_ASSIGN(auto words, words_of(bytes, request.file));
    MACAW_ASSIGN(accelerator, npu::choose_accelerator({}, request.accelerator));
    streams.push_back({"words", std::move(words), 0});
  } else {
    MACAW_ASSIGN(artifact, npu::load_artifact(request.file, request.method, request.debug_db));
    for (std::size_t i = 0; i < artifact.steps.size(); ++i)
      if (auto* stream = std::get_if<npu::CommandStream>(&artifact.steps[i]))
        streams.push_back({std::move(stream->name), std::move(stream->words), i});
    if (streams.empty())
      return fail(ErrorCode::kUnsupported, "the network leaves every operator to the CPU", {.file = request.file});
    MACAW_ASSIGN(accelerator, npu::choose_accelerator(artifact, request.accelerator));
  }
  MACAW_ASSIGN(const auto chosen, selected(std::move(streams), request.stream, request.file));

  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& stream : chosen) {
    auto commands = npu::decode(accelerator->family, stream.words);
    if (!commands) {
      commands.error().place.file = request.file;
      commands.error().place.op = stream.name;
      return tl::unexpected(commands.error());
    }
    if (request.json) {
      auto rows = nlohmann::ordered_json::array();
      for (const auto& command : *commands) rows.push_back(to_json(accelerator->family, command));
      list.push_back({{"name", stream.name}, {"commands", std::move(rows)}});
    } else {
      MACAW_ASSIGN(const auto part,
                   npu::disassemble(*accelerator, stream.name, stream.words, [&](std::uint32_t offset) {
                     return npu::source_operator(artifact, stream.step, offset);
                   }));
      text += part;
    }
  }
  if (!request.json) return text;
  const nlohmann::ordered_json document{
      {"schema_version", 1}, {"accelerator", std::string(accelerator->name)}, {"streams", std::move(list)}};
  return io::json_text(document, 1) + "\n";
}

Result<std::vector<std::uint32_t>> assembled(const Request& request) {
  MACAW_ASSIGN(const auto bytes, io::read_file(request.file));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  MACAW_ASSIGN(auto assembly, npu::assemble(text, request.file));
  MACAW_ASSIGN(auto streams, selected(std::move(assembly.streams), request.stream, request.file));
  if (streams.size() != 1)
    return fail(ErrorCode::kUsage, fmt::format("{} command streams; --stream chooses one", streams.size()),
                {.file = request.file});
  return std::move(streams[0].words);
}

}  // namespace macaw::disasm
