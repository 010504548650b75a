#include "sim/timed/device/shared_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace macaw::npu::timed {
namespace {

struct Reach {
  std::uint64_t first = 0, last = 0;
  std::size_t region = 0;
  bool write = false;
};

std::vector<Reach> by_address(std::span<const OperationTiming> operations,
                              const std::array<std::uint64_t, 8>& region_bases) {
  std::vector<Reach> all;
  for (const OperationTiming& operation : operations)
    for (const Movement& movement : operation.memory)
      if (movement.region >= 0) {
        const auto region = static_cast<std::size_t>(movement.region);
        const std::uint64_t base = region_bases.at(region);
        all.push_back({base + movement.first, base + movement.last, region, movement.write});
      }
  std::ranges::sort(all, {}, &Reach::first);
  return all;
}

}  // namespace

std::optional<std::string> shared_bytes(std::span<const OperationTiming> operations,
                                        const std::array<std::uint64_t, 8>& region_bases) {
  std::array<std::optional<std::uint64_t>, 8> reached, written;  // end of ranges that began at lower addresses
  for (const Reach& reach : by_address(operations, region_bases)) {
    for (std::size_t other = 0; other < 8; ++other) {
      const auto& end = reach.write ? reached[other] : written[other];
      if (other == reach.region || !end || *end < reach.first) continue;
      return fmt::format(
          "regions {} and {} share the bytes {:#x} to {:#x}, and values of one overwrite those of the "
          "other; a network compiled for Dedicated_Sram needs fast memory of its own in region 2 "
          "(fast_memory of ethosu_init)",
          std::min(other, reach.region), std::max(other, reach.region), reach.first, std::min(*end, reach.last));
    }
    reached[reach.region] = std::max(reached[reach.region].value_or(0), reach.last);
    if (reach.write) written[reach.region] = std::max(written[reach.region].value_or(0), reach.last);
  }
  return {};
}

}  // namespace macaw::npu::timed
