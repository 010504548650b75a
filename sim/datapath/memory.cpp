#include "sim/datapath/memory.hpp"

#include <fmt/format.h>

namespace macaw::npu {

void announce(const MemoryMap& memory, int region, const ByteRange& range) {
  if (memory.access && range.first < range.last) memory.access->before(region, range);
}

Result<std::span<std::uint8_t>> bound_region(const MemoryMap& memory, int region, bool write, std::string_view what) {
  if (region < 0 || region >= static_cast<int>(memory.regions.size()))
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: region {} does not exist", what, region));
  const RegionView& view = memory.regions[static_cast<std::size_t>(region)];
  if (!view.bound) return fail(ErrorCode::kHardwareFault, fmt::format("{}: region {} is not bound", what, region));
  if (write && !view.writable)
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: region {} is read-only", what, region));
  return view.bytes;
}

Result<std::span<const std::uint8_t>> readable(const MemoryMap& memory, int region, std::uint64_t base,
                                               std::uint64_t length, std::string_view what) {
  MACAW_ASSIGN(const auto bytes, bound_region(memory, region, false, what));
  if (base > bytes.size() || length > bytes.size() - base)
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: bytes [{}, {}+{}) are outside region {} of {} bytes", what,
                                                       base, base, length, region, bytes.size()));
  announce(memory, region, {base, base + length});
  return std::span<const std::uint8_t>(bytes.subspan(base, length));
}

}  // namespace macaw::npu
