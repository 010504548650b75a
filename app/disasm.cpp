#include "sim/isa/disasm.hpp"
#include "sim/artifact/debug_db.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "sim/artifact/choose_accelerator.hpp"

namespace macaw::app {
namespace {

struct Options {
  std::string file, method, accelerator, output, debug_db;
  int stream = -1;
  bool assemble = false, words = false, json = false, force = false;
};

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
Result<std::vector<Stream>> selected(std::vector<Stream> streams, int index, const std::string& file) {
  if (index < 0) return streams;
  if (std::size_t(index) >= streams.size())
    return fail(ErrorCode::kUsage, fmt::format("there are {} command streams", streams.size()), {.file = file});
  return std::vector<Stream>{std::move(streams[std::size_t(index)])};
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

Result<std::string> disassembled(const Options& options) {
  const npu::Accelerator* accelerator = nullptr;
  std::vector<NamedStream> streams;
  npu::Artifact artifact;
  if (options.words) {
    MACAW_ASSIGN(const auto bytes, io::read_file(options.file));
    MACAW_ASSIGN(auto words, words_of(bytes, options.file));
    MACAW_ASSIGN(accelerator, npu::choose_accelerator({}, options.accelerator));
    streams.push_back({"words", std::move(words), 0});
  } else {
    MACAW_ASSIGN(artifact, npu::load_artifact(options.file, options.method));
    if (!options.debug_db.empty()) MACAW_CHECK(npu::attach_debug_database(artifact, options.debug_db));
    for (std::size_t i = 0; i < artifact.steps.size(); ++i)
      if (auto* stream = std::get_if<npu::CommandStream>(&artifact.steps[i]))
        streams.push_back({std::move(stream->name), std::move(stream->words), i});
    if (streams.empty())
      return fail(ErrorCode::kUnsupported, "the network leaves every operator to the CPU", {.file = options.file});
    MACAW_ASSIGN(accelerator, npu::choose_accelerator(artifact, options.accelerator));
  }
  MACAW_ASSIGN(const auto chosen, selected(std::move(streams), options.stream, options.file));

  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& stream : chosen) {
    auto commands = npu::decode(accelerator->family, stream.words);
    if (!commands) {
      commands.error().place.file = options.file;
      commands.error().place.op = stream.name;
      return tl::unexpected(commands.error());
    }
    if (options.json) {
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
  if (!options.json) return text;
  const nlohmann::ordered_json document{
      {"schema_version", 1}, {"accelerator", std::string(accelerator->name)}, {"streams", std::move(list)}};
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<void> assemble_file(const Options& options) {
  if (options.output.empty()) return fail(ErrorCode::kUsage, "--assemble needs --output");
  MACAW_ASSIGN(const auto bytes, io::read_file(options.file));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  MACAW_ASSIGN(auto assembly, npu::assemble(text, options.file));
  MACAW_ASSIGN(const auto streams, selected(std::move(assembly.streams), options.stream, options.file));
  if (streams.size() != 1)
    return fail(ErrorCode::kUsage, fmt::format("{} command streams; --stream chooses one", streams.size()),
                {.file = options.file});
  return write_output(options.output, std::as_bytes(std::span(streams[0].words)), options.force);
}

Result<void> run(const Options& options) {
  if (options.assemble) return assemble_file(options);
  MACAW_ASSIGN(const auto text, disassembled(options));
  if (options.output.empty()) {
    fmt::print("{}", text);
    return {};
  }
  return write_output(options.output, std::as_bytes(std::span(text)), options.force);
}

}  // namespace

void add_disasm(Command app, int& exit_code) {
  auto command = app.add_subcommand("disasm", "Print the command streams of a compiled network, or assemble such text");
  auto options = std::make_shared<Options>();
  command.add_option("ARTIFACT", options->file, "compiled network (.npz, .tflite, .pte), or text with --assemble")
      .required();
  command.add_option("-o,--output", options->output, "file to write instead of standard output");
  command.add_option("--stream", options->stream, "this command stream only, counted from 0").not_negative();
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, where the file does not name it");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--debug-db", options->debug_db,
                     "Vela's debug database, if it is not beside the artifact: comments name the operators");
  command.add_flag("--words", options->words, "the file holds nothing but command words");
  command.add_flag("--assemble", options->assemble, "turn the text back into command words");
  command.add_flag("--json", options->json, "print JSON");
  command.add_flag("--force", options->force, "overwrite the file");
  command.footer(
      "Examples: macaw disasm net_vela.tflite\n"
      "          macaw disasm net_vela.npz -o net.s && macaw disasm --assemble net.s -o net.bin\n"
      "          macaw disasm --words net.bin -a ethos-u55-128");
  command.callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace macaw::app
