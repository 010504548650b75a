#include "app/fvp/guest_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kAlias = 0x10000000;  // offset of an address's secure alias

/// QEMU hw/arm/mps2-tz.c and armsse.c, and the same in the memory maps of Corstone SSE-300 and SSE-310: ITCM, code
/// SRAM, DTCM, internal SRAM, QSPI flash.
struct Range {
  std::uint32_t base, bytes;
};
constexpr std::array<Range, 5> kInside = {{{0x00000000, 0x80000},
                                           {0x01000000, 0x200000},
                                           {0x20000000, 0x80000},
                                           {0x21000000, 0x400000},
                                           {0x28000000, 0x800000}}};

/// Calls `fn(range, base)` for both aliases of each range, where `base` is the start of the alias, until it returns
/// true.
template <class Fn>
bool any_inside(const Fn& fn) {
  return std::ranges::any_of(kInside,
                             [&](const Range& one) { return fn(one, one.base) || fn(one, one.base + kAlias); });
}

}  // namespace

Result<std::unique_ptr<GuestMemory>> GuestMemory::create() {
  std::unique_ptr<GuestMemory> memory(new GuestMemory);
  memory->descriptor_ = ::memfd_create("guest", 0);
  if (memory->descriptor_ < 0 || ::ftruncate(memory->descriptor_, static_cast<off_t>(kDdrBytes)) != 0)
    return fail(ErrorCode::kIo, "no memory for the application's platform");
  void* const mapped = ::mmap(nullptr, kDdrBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->descriptor_, 0);
  if (mapped == MAP_FAILED) return fail(ErrorCode::kIo, "no memory for the application's platform");
  memory->ddr_ = static_cast<std::uint8_t*>(mapped);
  return memory;
}

GuestMemory::~GuestMemory() {
  if (ddr_) ::munmap(ddr_, kDdrBytes);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool GuestMemory::is_memory(std::uint64_t address, std::uint64_t bytes) {
  const auto lies_in = [&](std::uint64_t base, std::uint64_t size) {
    return address >= base && bytes <= size && address - base <= size - bytes;
  };
  return lies_in(kDdrBase, kDdrBytes) ||
         any_inside([&](const Range& one, std::uint32_t base) { return lies_in(base, one.bytes); });
}

std::pair<GuestMemory::Copy*, std::uint32_t> GuestMemory::find(std::uint64_t address) {
  std::pair<Copy*, std::uint32_t> found = {nullptr, 0};
  any_inside([&](const Range& one, std::uint32_t base) {
    if (address < base || address - base >= one.bytes) return false;
    Copy& copy = copies_[one.base];
    if (copy.bytes.empty()) {
      copy.bytes.resize(one.bytes);
      copy.pages.resize(one.bytes / kPage);
    }
    found = {&copy, base};
    return true;
  });
  return found;
}

std::span<std::uint8_t> GuestMemory::from(std::uint64_t address) {
  if (address >= kDdrBase && address - kDdrBase < kDdrBytes)
    return std::span(ddr_, kDdrBytes).subspan(address - kDdrBase);
  const auto [copy, base] = find(address);
  return copy ? std::span(copy->bytes).subspan(address - base) : std::span<std::uint8_t>();
}

void GuestMemory::before_access(std::uint64_t address, std::uint64_t bytes) {
  const auto [copy, base] = find(address);
  if (!copy || !guest_ || !copied_ || bytes == 0) return;
  const std::size_t first = (address - base) / kPage, last = (address - base + bytes - 1) / kPage;
  for (std::size_t page = first, end = 0; page <= last && page < copy->pages.size() && copied_; page = end) {
    for (end = page + 1; end <= last && end < copy->pages.size() && copy->pages[end] == copy->pages[page];) ++end;
    if (copy->pages[page]) continue;
    copied_ = guest_->read_memory(base + static_cast<std::uint32_t>(page * kPage),
                                  std::span(copy->bytes).subspan(page * kPage, (end - page) * kPage));
    std::fill(copy->pages.begin() + static_cast<std::ptrdiff_t>(page),
              copy->pages.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
}

void GuestMemory::after_write(std::uint64_t address, std::uint64_t bytes) {
  const auto [copy, base] = find(address);
  if (!copy || bytes == 0) return;
  auto first = static_cast<std::uint32_t>(address), last = static_cast<std::uint32_t>(address + bytes - 1);
  // Merged with adjacent and overlapping writes: most of an arena is written in consecutive rows.
  auto next = copy->written.upper_bound(first);
  if (next != copy->written.begin() && std::prev(next)->second + 1 >= first) {
    --next;
    first = next->first;
  }
  while (next != copy->written.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = copy->written.erase(next);
  }
  copy->written[first] = last;
}

void GuestMemory::start_job(GdbClient& guest) {
  guest_ = &guest;
  copied_ = {};
  for (auto& [base, copy] : copies_) {
    copy.pages.assign(copy.pages.size(), false);
    copy.written.clear();
  }
}

Result<void> GuestMemory::end_job() {
  MACAW_CHECK(copied_);
  for (auto& [lower, copy] : copies_) {
    for (const auto& [first, last] : copy.written) {
      const std::uint32_t base = lower + (first - lower) / kAlias * kAlias;
      MACAW_CHECK(guest_->write_memory(first, std::span(copy.bytes).subspan(first - base, last - first + 1)));
    }
    copy.written.clear();
  }
  return {};
}

}  // namespace macaw::app::fvp
