#include <macaw/npu/debug_database.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <string_view>

#include "base/file.hpp"
#include "sim/artifact/csv.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;  // after decompression

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Result<std::string> unpack(std::span<const std::byte> bytes, const std::string& name) {
  const auto bad = [&](const char* why) { return fail(ErrorCode::kInvalidFile, why, {.file = name}); };
  z_stream stream{};
  constexpr int kGzip = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) return bad("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT32_MAX));
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int status = Z_OK;
  while (status == Z_OK && text.size() <= kMaxBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > kMaxBytes) return bad("unpacks to more than 256 MiB");
  if (status != Z_STREAM_END) return bad("the gzip data is damaged or cut off");
  return text;
}

std::optional<std::int64_t> number(const std::string& text) {
  const bool hex = text.starts_with("0x");
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

/// Reads a database from its tables.
class DebugDatabaseReader {
 public:
  explicit DebugDatabaseReader(const std::string& name) : name_(name) {}

  Result<DebugDatabase> read(const std::string& text) {
    pugi::xml_document document;
    if (const auto parsed = document.load_buffer(text.data(), text.size()); !parsed)
      return fail(
          ErrorCode::kInvalidFile, fmt::format("not XML: {}", parsed.description()),
          {.file = name_, .byte_offset = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, parsed.offset))});
    const auto debug = document.child("debug");
    if (!debug) return error("there is no <debug> element");
    out_.numbering_ = debug.attribute("numbering").value();
    // Macaw's compiler writes the kind of its source there, Vela the name.
    if (out_.numbering_.empty() && std::string_view(debug.attribute("source").value()) == "TOSA")
      out_.numbering_ = "tosa";
    if (!out_.numbering_.empty() && out_.numbering_ != "tosa" && out_.numbering_ != "tflite")
      return error("numbering: expected \"tosa\" or \"tflite\"");
    for (const auto& table : debug.children("table"))
      tables_[table.attribute("name").value()] = parse_csv(table.text().get());
    MACAW_CHECK(read_operators("source", out_.sources_));
    MACAW_CHECK(read_operators("optimised", out_.optimised_));
    MACAW_CHECK(read_names());
    MACAW_CHECK(read_queue());
    MACAW_CHECK(read_tensors());
    return std::move(out_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = name_});
  }

  /// Calls fn with the cells of the wanted columns of every row; a missing table has no rows.
  template <std::size_t N, class Fn>
  Result<void> for_rows(const std::string& table, const std::array<const char*, N>& columns, Fn&& fn) {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return {};
    std::array<std::size_t, N> at{};
    for (std::size_t i = 0; i < N; ++i) {
      const auto column = found->second.column(columns[i]);
      if (!column) return error(fmt::format("table {} has no column {}", table, columns[i]));
      at[i] = *column;
    }
    for (const auto& row : found->second.rows) {
      std::array<std::string, N> cells;
      for (std::size_t i = 0; i < N; ++i) {
        if (at[i] >= row.size()) return error(fmt::format("table {} has a row of {} cells", table, row.size()));
        cells[i] = row[at[i]];
      }
      MACAW_CHECK(fn(cells));
    }
    return {};
  }

  [[nodiscard]] bool has_column(const std::string& table, const char* column) const {
    const auto found = tables_.find(table);
    return found != tables_.end() && found->second.column(column);
  }

  Result<std::int64_t> integer(const std::string& text, const char* table) const {
    if (const auto value = number(text)) return *value;
    return error(fmt::format("table {}: \"{}\" is not a number", table, text));
  }

  Result<void> read_operators(const char* table, std::map<std::int64_t, DebugDatabase::Operator>& out) {
    const bool source = &out == &out_.sources_;
    // Vela before 3.11 does not state the position in the source file.
    const bool position = source && has_column("source", "ext_key");
    const std::array columns{"id",    "operator", "ofm_h",
                             "ofm_w", "ofm_d",    position ? "ext_key" : source ? "id" : "source_id"};
    return for_rows(table, columns, [&](const auto& cells) -> Result<void> {
      DebugDatabase::Operator op;
      MACAW_ASSIGN(op.id, integer(cells[0], table));
      op.kind = cells[1];
      // Operators without an OFM have empty extents.
      op.ofm_h = static_cast<int>(number(cells[2]).value_or(0));
      op.ofm_w = static_cast<int>(number(cells[3]).value_or(0));
      op.ofm_c = static_cast<int>(number(cells[4]).value_or(0));
      if (position) op.index = number(cells[5]);
      if (!source) op.source_id = number(cells[5]);
      out[op.id] = std::move(op);
      return {};
    });
  }

  /// The table of scheduled operators contains the names of their OFMs; a source operator is named after its last one.
  Result<void> read_names() {
    // Databases of Macaw's compiler do not number the steps.
    const std::array columns{has_column("perf", "id") ? "id" : "optimised_id", "source_id", "optimised_id", "name"};
    return for_rows("perf", columns, [&](const auto& cells) -> Result<void> {
      const auto id = number(cells[0]), source = number(cells[1]), optimised = number(cells[2]);
      if (const auto op = out_.optimised_.find(optimised.value_or(-1)); optimised && op != out_.optimised_.end()) {
        op->second.name = cells[3];
        if (id) {
          auto& step = out_.scheduled_[*id] = op->second;
          step.id = *id;
        }
      }
      if (source)
        if (const auto op = out_.sources_.find(*source); op != out_.sources_.end()) op->second.name = cells[3];
      return {};
    });
  }

  Result<void> read_queue() {
    std::map<std::int64_t, std::size_t> streams;
    MACAW_CHECK(for_rows("cmdstream", std::array{"id"}, [&](const auto& cells) -> Result<void> {
      MACAW_ASSIGN(const auto id, integer(cells[0], "cmdstream"));
      streams.emplace(id, streams.size());
      return {};
    }));
    out_.queues_.resize(streams.size());
    // The queues of the legacy back end have no steps.
    const bool steps = has_column("queue", "scheduled_id");
    const std::array columns{"offset", "cmdstream_id", "optimised_id", steps ? "scheduled_id" : "optimised_id"};
    return for_rows("queue", columns, [&](const auto& cells) -> Result<void> {
      MACAW_ASSIGN(const auto offset, integer(cells[0], "queue"));
      MACAW_ASSIGN(const auto stream, integer(cells[1], "queue"));
      DebugDatabase::Made made;
      MACAW_ASSIGN(made.optimised, integer(cells[2], "queue"));
      if (steps) made.scheduled = number(cells[3]);
      const auto found = streams.find(stream);
      if (found == streams.end() || offset < 0)
        return error(fmt::format("table queue: offset {} of stream {} does not exist", offset, stream));
      out_.queues_[found->second][static_cast<std::uint64_t>(offset)] = made;
      return {};
    });
  }

  Result<void> read_tensors() {
    const std::array columns{"id", "name", "memory", "format", "data_type", "start_address", "end_address"};
    return for_rows("tensors", columns, [&](const auto& cells) -> Result<void> {
      DebugDatabase::TensorPlace tensor{.id = 0,
                                        .name = cells[1],
                                        .memory = cells[2],
                                        .format = cells[3],
                                        .data_type = cells[4],
                                        .start = 0,
                                        .end = 0};
      MACAW_ASSIGN(tensor.id, integer(cells[0], "tensors"));
      // For a tensor without an address, the cell is -1 or empty.
      const auto start = number(cells[5]), end = number(cells[6]);
      if (!start || !end || *start < 0 || *end < *start) return {};
      tensor.start = static_cast<std::uint64_t>(*start);
      tensor.end = static_cast<std::uint64_t>(*end);
      out_.tensors_.push_back(std::move(tensor));
      return {};
    });
  }

  const std::string& name_;
  std::map<std::string, CsvTable> tables_;
  DebugDatabase out_;
};

std::string DebugDatabase::Operator::to_string() const {
  std::string text = kind;
  if (!name.empty()) text += fmt::format(" '{}'", name);
  if (index) text += fmt::format(" (operator {})", *index);
  else if (name.empty()) text += fmt::format(" (id {})", id);
  return text;
}

Result<DebugDatabase> DebugDatabase::parse(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxBytes) return fail(ErrorCode::kInvalidFile, "more than 256 MiB", {.file = name});
  if (is_gzip(bytes)) {
    MACAW_ASSIGN(const auto text, unpack(bytes, name));
    return DebugDatabaseReader(name).read(text);
  }
  return DebugDatabaseReader(name).read(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

const DebugDatabase::Made* DebugDatabase::made_of(std::size_t stream, std::uint32_t byte_offset) const {
  if (stream >= queues_.size()) return nullptr;
  const auto entry = queues_[stream].lower_bound(byte_offset);
  return entry == queues_[stream].end() ? nullptr : &entry->second;
}

const DebugDatabase::Operator* DebugDatabase::optimised_of(std::size_t stream, std::uint32_t byte_offset) const {
  const auto* made = made_of(stream, byte_offset);
  if (made == nullptr) return nullptr;
  const auto op = optimised_.find(made->optimised);
  return op == optimised_.end() ? nullptr : &op->second;
}

const DebugDatabase::Operator* DebugDatabase::scheduled_of(std::size_t stream, std::uint32_t byte_offset) const {
  const auto* made = made_of(stream, byte_offset);
  if (made != nullptr && made->scheduled)
    if (const auto op = scheduled_.find(*made->scheduled); op != scheduled_.end()) return &op->second;
  return optimised_of(stream, byte_offset);
}

const DebugDatabase::Operator* DebugDatabase::source_of(std::size_t stream, std::uint32_t byte_offset) const {
  const Operator* optimised = optimised_of(stream, byte_offset);
  if (!optimised || !optimised->source_id) return nullptr;
  const auto op = sources_.find(*optimised->source_id);
  return op == sources_.end() ? nullptr : &op->second;
}

Result<void> attach_debug_database(Artifact& artifact, const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto database, DebugDatabase::parse(bytes, file.string()));
  artifact.debug = std::make_shared<const DebugDatabase>(std::move(database));
  return {};
}

std::filesystem::path debug_database_beside(const std::filesystem::path& artifact) {
  const auto stem = artifact.stem().string();
  const auto end = std::min(stem.rfind("_vela"), stem.size());  // a file may have been renamed
  for (const char* extension : {"_debug.xml", "_debug.xml.gz"}) {
    auto file = artifact.parent_path() / (stem.substr(0, end) + extension);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file;
  }
  return {};
}

std::string source_operator(const Artifact& artifact, std::size_t step, std::uint32_t byte_offset) {
  if (!artifact.debug || step >= artifact.steps.size()) return {};
  const auto streams = std::count_if(artifact.steps.begin(), artifact.steps.begin() + static_cast<std::ptrdiff_t>(step),
                                     [](const auto& s) { return std::holds_alternative<CommandStream>(s); });
  const auto* source = artifact.debug->source_of(static_cast<std::size_t>(streams), byte_offset);
  return source ? source->to_string() : std::string();
}

}  // namespace macaw::npu
