#include "app/fvp/guest_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace macaw::app::fvp {
namespace {

/// QEMU hw/arm/mps2-tz.c and armsse.c: code SRAM, tightly coupled data, and internal SRAM, each with its secure alias.
struct Range {
  std::uint32_t base, bytes;
};
constexpr std::array<Range, 8> kSmall = {{{0x00000000, 0x80000},
                                          {0x10000000, 0x80000},
                                          {0x01000000, 0x200000},
                                          {0x11000000, 0x200000},
                                          {0x20000000, 0x80000},
                                          {0x30000000, 0x80000},
                                          {0x21000000, 0x400000},
                                          {0x31000000, 0x400000}}};
/// The flash, which the NPU of this model does not read, and its secure alias.
constexpr std::array<Range, 2> kFlash = {{{0x28000000, 0x800000}, {0x38000000, 0x800000}}};

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
  const auto is_in = [&](const Range& one) { return lies_in(one.base, one.bytes); };
  return lies_in(kDdrBase, kDdrBytes) || std::ranges::any_of(kSmall, is_in) || std::ranges::any_of(kFlash, is_in);
}

std::span<std::uint8_t> GuestMemory::from(std::uint64_t address) {
  if (address >= kDdrBase && address - kDdrBase < kDdrBytes)
    return std::span(ddr_, kDdrBytes).subspan(address - kDdrBase);
  const auto* range = std::ranges::find_if(
      kSmall, [&](const Range& one) { return address >= one.base && address - one.base < one.bytes; });
  if (range == kSmall.end() || !guest_) return {};
  auto copy = std::ranges::find_if(copies_, [&](const auto& one) { return one->base == range->base; });
  if (copy == copies_.end()) {
    copies_.push_back(std::make_unique<Copy>(Copy{range->base, std::vector<std::uint8_t>(range->bytes), {}}));
    copy = copies_.end() - 1;
  }
  if (!(*copy)->taken) {
    if (auto read = guest_->read_memory(range->base, (*copy)->bytes); !read) {
      copied_ = std::move(read);
      return {};
    }
    (*copy)->before = (*copy)->bytes;
    (*copy)->taken = true;
  }
  return std::span((*copy)->bytes).subspan(address - range->base);
}

void GuestMemory::start_job(GdbClient& guest) {
  guest_ = &guest;
  copied_ = {};
  for (auto& copy : copies_) copy->taken = false;
}

Result<void> GuestMemory::end_job() {
  MACAW_CHECK(copied_);
  for (auto& copy : copies_) {
    if (!copy->taken) continue;
    const auto first = std::ranges::mismatch(copy->bytes, copy->before);
    if (first.in1 == copy->bytes.end()) continue;
    const auto last = std::mismatch(copy->bytes.rbegin(), copy->bytes.rend(), copy->before.rbegin());
    const auto from = first.in1 - copy->bytes.begin(), to = last.first.base() - copy->bytes.begin();
    const std::span changed(copy->bytes.begin() + from, copy->bytes.begin() + to);
    MACAW_CHECK(guest_->write_memory(copy->base + static_cast<std::uint32_t>(from), changed));
    copy->before = copy->bytes;
  }
  return {};
}

}  // namespace macaw::app::fvp
