#include "sim/artifact/named_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "flat_tensor_generated.h"
#include "sim/artifact/executorch_tensor.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kFlatHeaderOffset = 8;  // behind root and identifier
constexpr std::string_view kFlatHeaderMagic = "FH01", kFlatIdentifier = "FT01";
constexpr std::size_t kMaxKey = 1024, kMaxEntries = 65536;

/// Header: magic, its length (4 bytes), then in 8 bytes each the offset and size of the flatbuffer, and the offset and
/// size of the segments (pytorch/executorch extension/flat_tensor/serialize/flat_tensor_header.cpp).
struct Header {
  std::uint64_t flatbuffer = 0, flatbuffer_size = 0, segments = 0, segments_size = 0;
};
constexpr std::size_t kFlatHeaderBytes = 40;

class FlatTensorFile {
 public:
  explicit FlatTensorFile(const ExternalData& file) : file_(file) {}

  Result<void> read(NamedData& into) {
    MACAW_ASSIGN(const auto header, read_header());
    // The header is inside the flatbuffer, after its identifier; its offset is the header's size.
    std::span<const std::byte> flatbuffer = file_.bytes.first(header.flatbuffer + header.flatbuffer_size);
    // flatbuffers reads 8-byte fields in place.
    std::vector<std::byte> aligned;
    if (reinterpret_cast<std::uintptr_t>(flatbuffer.data()) % alignof(std::max_align_t)) {
      aligned.assign(flatbuffer.begin(), flatbuffer.end());
      flatbuffer = aligned;
    }
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(flatbuffer.data()), flatbuffer.size());
    if (!verifier.VerifyBuffer<ptd::FlatTensor>(kFlatIdentifier.data())) return invalid("the flatbuffer is malformed");
    const auto* root = ptd::GetFlatTensor(flatbuffer.data());
    segments_ = file_.bytes.subspan(header.segments, header.segments_size);
    const auto count = root->named_data() ? root->named_data()->size() : 0;
    if (count > kMaxEntries) return invalid(fmt::format("{} keys, expected at most {}", count, kMaxEntries));
    for (unsigned i = 0; i < count; ++i) MACAW_CHECK(read(*root, *root->named_data()->Get(i), i, into));
    return {};
  }

 private:
  [[nodiscard]] tl::unexpected<Error> invalid(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = file_.file});
  }

  Result<Header> read_header() const {
    const auto has = [&](std::size_t at, std::string_view text) {
      return file_.bytes.size() >= at + text.size() &&
             std::memcmp(file_.bytes.data() + at, text.data(), text.size()) == 0;
    };
    if (!has(4, kFlatIdentifier))
      return invalid("not external data of an ExecuTorch program (.ptd); expected the identifier FT01");
    if (!has(kFlatHeaderOffset, kFlatHeaderMagic) || file_.bytes.size() < kFlatHeaderOffset + kFlatHeaderBytes)
      return invalid("the header FH01 is missing or cut off");
    std::uint32_t length = 0;
    std::memcpy(&length, file_.bytes.data() + kFlatHeaderOffset + 4, sizeof length);
    if (length < kFlatHeaderBytes)
      return invalid(fmt::format("a header of {} bytes, expected {}", length, kFlatHeaderBytes));
    Header header;
    std::uint64_t* const fields[] = {&header.flatbuffer, &header.flatbuffer_size, &header.segments,
                                     &header.segments_size};
    for (std::size_t i = 0; i < std::size(fields); ++i)
      std::memcpy(fields[i], file_.bytes.data() + kFlatHeaderOffset + 8 + 8 * i, sizeof(std::uint64_t));
    const auto inside = [&](std::uint64_t offset, std::uint64_t size) {
      return offset <= file_.bytes.size() && size <= file_.bytes.size() - offset;
    };
    if (!inside(header.flatbuffer, header.flatbuffer_size) || !inside(header.segments, header.segments_size))
      return invalid("the header points behind the end of the file");
    return header;
  }

  Result<void> read(const ptd::FlatTensor& root, const ptd::NamedData& table, unsigned index, NamedData& into) const {
    if (!table.key() || table.key()->size() == 0 || table.key()->size() > kMaxKey)
      return invalid(fmt::format("entry {}: a key of {} characters, expected 1 to {}", index,
                                 table.key() ? table.key()->size() : 0, kMaxKey));
    if (table.segment() >= (root.segments() ? root.segments()->size() : 0))
      return invalid(fmt::format("entry {}: segment {} does not exist", index, table.segment()));
    const auto* segment = root.segments()->Get(table.segment());
    if (segment->offset() > segments_.size() || segment->size() > segments_.size() - segment->offset())
      return invalid(fmt::format("segment {} lies behind the end of the file", table.segment()));
    NamedBytes entry{.bytes = segments_.subspan(segment->offset(), segment->size())};
    if (const auto* layout = table.layout()) {
      const auto shape = shape_in_memory(*layout);
      if (!shape) return invalid(fmt::format("entry {}: a tensor without a valid shape", index));
      entry.layout = NamedBytes::Layout{layout->scalar_type(), *shape};
    }
    into.add(table.key()->str(), std::move(entry));
    return {};
  }

  const ExternalData& file_;
  std::span<const std::byte> segments_;
};

}  // namespace

Result<void> NamedData::add_file(const ExternalData& file) { return FlatTensorFile(file).read(*this); }

}  // namespace macaw::npu
