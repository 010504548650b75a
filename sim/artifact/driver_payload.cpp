#include "sim/artifact/driver_payload.hpp"

#include <fmt/format.h>

#include <cstring>

namespace macaw::npu {
namespace {

constexpr std::size_t kStreamAlignment = 16;  // of a command stream, for the AXI burst of its fetch

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] std::uint64_t offset() const { return at_; }
  [[nodiscard]] std::uint64_t left() const { return bytes_.size() - at_; }
  void skip(std::uint64_t n) { at_ += n; }

  template <class T>
  [[nodiscard]] Result<T> take(const char* what) {
    if (left() < sizeof(T)) return error(fmt::format("the payload ends inside {}", what));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  [[nodiscard]] Result<DriverPayload::Stream> stream(std::uint64_t words) {
    if (words > left() / 4)
      return error(fmt::format("the command stream has {} words, the payload {} bytes", words, left()));
    if (at_ % kStreamAlignment) return error("the command stream is not 16-byte aligned");
    DriverPayload::Stream stream{.words = std::vector<std::uint32_t>(words), .offset = at_};
    // memcpy does not accept null, which an empty vector may return.
    if (words > 0) std::memcpy(stream.words.data(), bytes_.data() + at_, words * 4);
    at_ += words * 4;
    return stream;
  }

  [[nodiscard]] tl::unexpected<Error> error(std::string what, ErrorCode code = ErrorCode::kInvalidFile) const {
    return fail(code, std::move(what), {.file = name_, .byte_offset = at_});
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::uint64_t at_ = 0;
};

Result<DriverPayload> parse_cop1(Reader& in) {
  enum Action : std::uint8_t { kOptimizerConfig = 1, kCommandStream = 2, kReadApbReg = 3, kDumpShram = 4, kNop = 5 };
  DriverPayload payload;
  while (in.left() > 0) {
    MACAW_ASSIGN(const auto action, in.take<std::uint32_t>("a driver action"));
    switch (action & 0xff) {
      case kOptimizerConfig: {
        MACAW_ASSIGN(payload.config_word, in.take<std::uint32_t>("OPTIMIZER_CONFIG"));
        MACAW_ASSIGN(payload.id_word, in.take<std::uint32_t>("OPTIMIZER_CONFIG"));
        break;
      }
      case kCommandStream: {
        const std::uint64_t words = std::uint64_t(action >> 8 & 0xff) << 16 | action >> 16;
        MACAW_ASSIGN(auto stream, in.stream(words));
        payload.streams.push_back(std::move(stream));
        break;
      }
      case kNop: break;
      case kReadApbReg:
      case kDumpShram:
        return in.error(fmt::format("driver action {} belongs to old drivers", action & 0xff), ErrorCode::kUnsupported);
      default: return in.error(fmt::format("driver action {} does not exist", action & 0xff));
    }
  }
  return payload;
}

Result<DriverPayload> parse_cop2(Reader& in) {
  constexpr std::uint32_t kEntryCommandStream = 1;
  constexpr std::uint32_t kVela = 0x4d554556;  // "VEUM"
  constexpr std::uint32_t kLocalAddressing = 2;
  constexpr std::uint32_t kMetadataHeader = 12, kMetadata = 20;

  DriverPayload payload;
  MACAW_ASSIGN(const auto major, in.take<std::uint16_t>("the COP2 header"));
  MACAW_ASSIGN([[maybe_unused]] const auto minor, in.take<std::uint16_t>("the COP2 header"));
  if (major != 1) return in.error(fmt::format("COP2 version {}", major), ErrorCode::kUnsupported);
  MACAW_ASSIGN(const auto length, in.take<std::uint64_t>("the COP2 header"));
  if (length != in.left())
    return in.error(fmt::format("the header says {} bytes of actions, {} follow", length, in.left()));

  while (in.left() > 0) {
    MACAW_ASSIGN(const auto type, in.take<std::uint32_t>("an entry"));
    MACAW_ASSIGN(const auto entry_length, in.take<std::uint32_t>("an entry"));
    if (entry_length > in.left()) return in.error("an entry is longer than the payload");
    if (type != kEntryCommandStream)
      return in.error(fmt::format("COP2 entry of type {}", type), ErrorCode::kUnsupported);
    const auto end = in.offset() + entry_length;

    MACAW_ASSIGN(const auto metadata_length, in.take<std::uint32_t>("the metadata"));
    const auto metadata_at = in.offset();
    if (metadata_length < kMetadataHeader + kMetadata || metadata_length > end - metadata_at)
      return in.error(fmt::format("metadata of {} bytes in an entry of {}", metadata_length, entry_length));
    MACAW_ASSIGN(const auto tag, in.take<std::uint32_t>("the metadata"));
    if (tag != kVela) return in.error(fmt::format("metadata {:#010x} is not Vela's", tag), ErrorCode::kUnsupported);
    in.skip(8);  // metadata version, length of the data
    MACAW_ASSIGN(payload.config_word, in.take<std::uint32_t>("the metadata"));
    MACAW_ASSIGN(payload.id_word, in.take<std::uint32_t>("the metadata"));
    MACAW_ASSIGN(const auto features, in.take<std::uint32_t>("the metadata"));
    payload.local_addressing = (features & kLocalAddressing) != 0;

    in.skip(metadata_at + metadata_length - in.offset());
    const auto stream_bytes = end - in.offset();
    if (stream_bytes % 4) return in.error("the command stream is not a whole number of words");
    MACAW_ASSIGN(auto stream, in.stream(stream_bytes / 4));
    payload.streams.push_back(std::move(stream));
  }
  return payload;
}

}  // namespace

Result<DriverPayload> parse_driver_payload(std::span<const std::byte> bytes, const std::string& name) {
  Reader in(bytes, name);
  if (bytes.size() % 4) return in.error("the command payload is not a whole number of words");
  MACAW_ASSIGN(const auto magic, in.take<std::uint32_t>("the identifier"));
  if (magic != kCop1 && magic != kCop2)
    return fail(ErrorCode::kInvalidFile, "the command payload begins with neither COP1 nor COP2",
                {.file = name, .byte_offset = 0});
  MACAW_ASSIGN(auto payload, magic == kCop1 ? parse_cop1(in) : parse_cop2(in));
  if (payload.streams.empty()) return in.error("the command payload holds no command stream");
  return payload;
}

}  // namespace macaw::npu
