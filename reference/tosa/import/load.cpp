#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include <macaw/tosa/view_graph.hpp>

#include "base/file.hpp"
#include "reference/tosa/import/import.hpp"

namespace macaw::tosa {
namespace {

tl::unexpected<Error> file_error(ErrorCode code, std::string message, const std::string& name) {
  return fail(code, std::move(message), Place{name, "", {}, {}});
}

/// Whether a file begins with these bytes.
bool begins(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kLooked = 256;
  return !bytes.empty() && std::ranges::none_of(bytes.first(std::min(bytes.size(), kLooked)), [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

/// Formats other than the flatbuffers; none if it is one of those or nothing known.
std::optional<Result<Graph>> parse_other(std::span<const std::byte> bytes, const std::string& name,
                                         const std::string& function) {
  using namespace std::string_view_literals;
  if (begins(bytes, "ML\xEFR"))
    return file_error(
        ErrorCode::kUnsupported,
        "MLIR bytecode: `mlir-opt FILE -o FILE.mlir`, of the version that wrote it, makes a text of it, which is "
        "read",
        name);
  if (begins(bytes, "VGF1") || begins(bytes, "\xC3\xD2\xE1\xF0")) return import_vgf(bytes, name);
  if (begins(bytes, "\x03\x02\x23\x07"sv)) return import_spirv(bytes, name);
  if (is_text(bytes)) return import_mlir(bytes, name, function);
  return std::nullopt;
}

}  // namespace

Result<Graph> parse_graph(std::span<const std::byte> bytes, const std::string& name) {
  return view_graph(bytes, nullptr, name);
}

Result<Graph> view_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                         int threads, const std::string& function) {
  if (!function.empty() && !is_text(bytes))
    return file_error(ErrorCode::kUsage, fmt::format("--function {}: only MLIR text has functions", function), name);
  if (auto other = parse_other(bytes, name, function)) return *std::move(other);
  std::vector<std::byte> copy;
  FileBytes file{aligned(bytes, copy), {std::move(owner), threads}};
  if (file.bytes.data() != bytes.data()) file.how.owner = nullptr;
  MACAW_ASSIGN(const auto version, flatbuffer_version(file.bytes, name));
  if (version.major == 0 && version.minor == 80) return import_v0_80(file, version, name);
  if (version.major == 1) return import_v1(file, version, name);
  return file_error(ErrorCode::kUnsupported,
                    fmt::format("graph of TOSA {}; versions 0.80 and 1.x are read", to_string(version)), name);
}

Result<Graph> load_graph(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return parse_graph(bytes, file.string());
}

Result<std::vector<std::byte>> write_graph(const Graph& graph, const Version& version) {
  if (version.major == 0 && version.minor == 80) return write_v0_80(graph, version);
  if (version.major == 1) return write_v1(graph, version);
  return fail(ErrorCode::kUnsupported, fmt::format("TOSA {}; versions 0.80 and 1.x are written", to_string(version)));
}

}  // namespace macaw::tosa
