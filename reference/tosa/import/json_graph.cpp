#include <macaw/tosa/json_graph.hpp>

#include <flatbuffers/idl.h>

#include "base/file.hpp"

namespace macaw::tosa {
namespace {

/// Two characters of JSON can become an element of eight bytes, and a flatbuffer must stay below 2 GiB.
constexpr std::size_t kMostText = std::size_t{1} << 28;

Result<std::string> read_text(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  if (bytes.size() > kMostText)
    return fail(ErrorCode::kUnsupported, "a graph in JSON must be below 256 MiB", {.file = file.string()});
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find('\0') != std::string::npos)
    return fail(ErrorCode::kInvalidFile, "not a text: it holds a zero byte", {.file = file.string()});
  return text;
}

tl::unexpected<Error> parse_error(const flatbuffers::Parser& parser, const std::filesystem::path& file) {
  // The parser's message names the file itself, and ends with a newline.
  auto message = parser.error_;
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return fail(ErrorCode::kInvalidFile, message.empty() ? "cannot be parsed" : message, {.file = file.string()});
}

}  // namespace

Result<Graph> load_json_graph(const std::filesystem::path& file, const std::filesystem::path& schema) {
  if (schema.empty())
    return fail(ErrorCode::kUsage, "a graph in JSON needs its flatbuffer schema: --operator_fbs SCHEMA.fbs",
                {.file = file.string()});
  MACAW_ASSIGN(const auto schema_text, read_text(schema));
  MACAW_ASSIGN(const auto text, read_text(file));
  flatbuffers::Parser parser;
  const auto folder = schema.parent_path().string();
  const char* include_folders[] = {folder.c_str(), nullptr};
  if (!parser.Parse(schema_text.c_str(), include_folders, schema.string().c_str())) return parse_error(parser, schema);
  if (!parser.root_struct_def_)
    return fail(ErrorCode::kInvalidFile, "the schema has no root_type", {.file = schema.string()});
  if (!parser.ParseJson(text.c_str(), file.string().c_str())) return parse_error(parser, file);
  const auto* data = reinterpret_cast<const std::byte*>(parser.builder_.GetBufferPointer());
  return parse_graph({data, parser.builder_.GetSize()}, file.string());
}

}  // namespace macaw::tosa
