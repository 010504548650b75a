#include "app/fvp/application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/fvp/guest_memory.hpp"

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t kToOtherAlias = 0x10000000;  // offset between the two aliases of an address
constexpr std::uint64_t kVectorBytes = 8;            // stack and first instruction
constexpr std::uint64_t kFpgaMemory = 0x12000000;    // of SSE-315 and SSE-320

bool covers(const std::vector<Image>& images, std::uint64_t address) {
  return std::ranges::any_of(images, [&](const Image& image) {
    return std::ranges::any_of(image.extents, [&](const Extent& one) {
      return one.address <= address && address + kVectorBytes <= one.address + one.bytes;
    });
  });
}

bool has_vectors(const Application& application, std::uint32_t address) {
  return std::ranges::any_of(std::array{address, address ^ kToOtherAlias}, [&](std::uint32_t alias) {
    return covers(application.images, alias) || covers(application.data, alias);
  });
}

/// The platform that a mismatching application may have been built for.
std::string advice(const Application& application) {
  for (const Platform& other : kPlatforms)
    if (other.has_cpu && &other != application.platform && has_vectors(application, other.vectors))
      return fmt::format("; is it built for Corstone {}? Then add --platform {}", title(other), other.name);
  return "; is the application built for another platform?";
}

}  // namespace

Result<Dump> parse_dump(const std::string& text) {
  const std::size_t at = text.rfind('@'), comma = text.find(',', at == std::string::npos ? 0 : at);
  const std::string_view whole(text);
  const auto address = comma == std::string::npos ? std::nullopt : read_address(whole.substr(at + 1, comma - at - 1));
  const auto size = comma == std::string::npos ? std::nullopt : read_number(whole.substr(comma + 1));
  if (at == 0 || !address || !size)
    return fail(ErrorCode::kUsage, fmt::format("--dump {}: expected FILE@ADDRESS,BYTES", text));
  const Dump dump{text.substr(0, at), *address, *size};
  const std::uint64_t end = GuestMemory::kDdrBase + GuestMemory::kDdrBytes;
  if (dump.address < GuestMemory::kDdrBase || dump.address > end || dump.bytes > end - dump.address)
    return fail(ErrorCode::kUsage,
                fmt::format("--dump {}: not in the DDR, {:#x} to {:#x}", text, GuestMemory::kDdrBase, end - 1));
  return dump;
}

Result<void> check_platform(const Application& application) {
  const std::string platform = title(*application.platform);
  for (const Image& image : application.images)
    for (const Extent& one : image.extents) {
      if (GuestMemory::is_memory(one.address, one.bytes)) continue;
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{} bytes at {:#x}, where Corstone {} does not have as much memory{}", one.bytes,
                              one.address, platform,
                              one.address == kFpgaMemory ? "; applications for SSE-315 and SSE-320 have code there"
                                                         : advice(application)),
                  {.file = image.file});
    }
  const std::uint32_t vectors = application.vectors.value_or(application.platform->vectors);
  if (has_vectors(application, vectors)) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("no vector table at {:#x} or {:#x}, where the CPU of Corstone {} starts{}",
                          std::min(vectors, vectors ^ kToOtherAlias), std::max(vectors, vectors ^ kToOtherAlias),
                          platform, advice(application)),
              {.file = application.images.front().file});
}

}  // namespace macaw::app::fvp
