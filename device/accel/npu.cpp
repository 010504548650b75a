#include "device/accel/npu.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <span>

namespace macaw::accel {
namespace {

// Registers and values that Linux's driver writes (drivers/accel/ethosu/ethosu_device.h and ethosu_drv.c of
// torvalds/linux at 2991f9f7).
enum Register : std::uint32_t {
  kId = 0x00,
  kStatus = 0x04,
  kCommand = 0x08,
  kReset = 0x0c,
  kQueueBase = 0x10,
  kQueueRead = 0x18,
  kQueueSize = 0x20,
  kConfig = 0x28,
  kRegionConfig = 0x3c,
  kAxiLimit0 = 0x40,  // of U65; memory attributes 0 of U85
  kAxiLimit2 = 0x48,  // of U65; memory attributes 2 of U85
  kAxiSram = 0x50,    // U85
  kAxiExt = 0x54,     // U85
  kRegionBase = 0x80
};
enum StatusBits : std::uint32_t { kRunning = 1, kBusError = 1 << 2, kInReset = 1 << 3, kParseError = 1 << 4 };
constexpr unsigned kCounterCount = 11;  // of PMCR
constexpr std::uint32_t kRun = 1, kClearInterrupt = 2, kResetToNonSecure = 2;

constexpr std::uint64_t kFirstAddress = 0x8000'0000;
constexpr std::uint64_t kForEver = std::uint64_t{1} << 62;  // cycles

}  // namespace

Npu::Npu(Setup setup) : setup_(std::move(setup)), next_address_(kFirstAddress) {
  macaw_device_host host = {};
  host.struct_size = sizeof host;
  host.user = this;
  host.memory = memory_at;
  if (!check(macaw_device_create(setup_.accelerator.c_str(), setup_.system.empty() ? nullptr : setup_.system.c_str(),
                                 &host, &device_)))
    return;
  if (setup_.sram_size > 0) {
    sram_ = static_cast<std::byte*>(std::calloc(setup_.sram_size, 1));
    if (sram_ == nullptr) {
      problem_ = fmt::format("no memory for an SRAM of {} bytes", setup_.sram_size);
      return;
    }
    sram_address_ = attach(sram_, setup_.sram_size);
  }
  reset();
  id_ = read(kId);
  config_ = read(kConfig);
  counters_ = pmu("PMCR") >> kCounterCount & 31;
  set_up();
}

Npu::~Npu() {
  macaw_device_destroy(device_);
  std::free(sram_);
}

bool Npu::check(macaw_device_status status) {
  if (status == MACAW_DEVICE_OK) return true;
  if (problem_.empty()) problem_ = macaw_device_message();
  return false;
}

std::uint32_t Npu::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  check(macaw_device_read(device_, offset, &value));
  return value;
}

void Npu::write(std::uint32_t offset, std::uint32_t value) { check(macaw_device_write(device_, offset, value)); }

void Npu::reset() {
  write(kReset, kResetToNonSecure);
  while (problem_.empty() && (read(kStatus) & kInReset) != 0) {  // each access takes a cycle
  }
}

void Npu::set_up() {
  struct Written {
    std::uint32_t offset, value;
  };
  constexpr Written kWithLimits[] = {{kAxiLimit0, 0x1f3f'00b0}, {kAxiLimit2, 0x1f3f'0002}};
  constexpr Written kWithAttributes[] = {
      {kAxiSram, 0x0002'1f3f}, {kAxiExt, 0x0002'1f3f}, {kAxiLimit0, 0}, {kAxiLimit2, 0xb7}};
  constexpr std::uint32_t kAllButSramOnPort1 = 0xaa8a;
  write(kRegionConfig, kAllButSramOnPort1);
  const bool has_limits = id_ >> 28 == 1;  // the architecture's major version, by which the kernel's driver chooses
  for (const auto& [offset, value] :
       has_limits ? std::span<const Written>(kWithLimits) : std::span<const Written>(kWithAttributes))
    write(offset, value);
  if (sram_ != nullptr) std::memset(sram_, 0, setup_.sram_size);
}

std::uint64_t Npu::attach(std::byte* bytes, std::uint64_t size) {
  const auto address = next_address_;
  memories_[address] = {bytes, size};
  // A page between two buffers has no memory, so that an access behind a buffer is a bus error.
  next_address_ += (size + 2 * kPage - 1) / kPage * kPage;
  return address;
}

void Npu::detach(std::uint64_t address) { memories_.erase(address); }

void* Npu::memory_at(void* self, std::uint64_t address, std::uint64_t* size) {
  const auto& memories = static_cast<Npu*>(self)->memories_;
  auto after = memories.upper_bound(address);
  if (after == memories.begin()) return nullptr;
  const auto& [base, memory] = *std::prev(after);
  if (address - base >= memory.size) return nullptr;
  *size = memory.size - (address - base);
  return memory.bytes + (address - base);
}

std::string Npu::run(const Job& job) {
  const auto address = [&](std::uint32_t offset, std::uint64_t value) {
    write(offset, static_cast<std::uint32_t>(value));
    write(offset + 4, static_cast<std::uint32_t>(value >> 32));
  };
  problem_.clear();
  if (const auto& perfmon = global_ ? global_ : job.perfmon; perfmon != active_) {
    stop(active_);
    if (perfmon) start(perfmon);
  }
  for (std::size_t i = 0; i < job.base.size(); ++i)
    if (job.has_base[i]) address(kRegionBase + 8 * static_cast<std::uint32_t>(i), job.base[i]);
  if (job.uses_sram) address(kRegionBase + 8 * 2, sram_address_);
  address(kQueueBase, job.stream);
  write(kQueueSize, job.stream_size);
  write(kCommand, kRun);
  check(macaw_device_advance(device_, macaw_device_time(device_) + kForEver));
  ++jobs_;
  if (!problem_.empty()) return problem_;
  const std::uint32_t status = read(kStatus);
  std::string ended;
  if ((status & (kBusError | kParseError)) != 0) {
    const char* fault = macaw_device_fault(device_);
    ended = fmt::format("Error IRQ - {:x}{}{}", status, fault != nullptr ? ": " : "", fault != nullptr ? fault : "");
  } else if (macaw_device_interrupt(device_) == 0) {
    ended = fmt::format("NPU sched timed out: NPU {}, cmdstream offset {:#x}: no interrupt was raised",
                        (status & kRunning) != 0 ? "running" : "stopped", read(kQueueRead));
  }
  if (!setup_.report_folder.empty())
    if (!check(macaw_device_report(device_, fmt::format("{}/job_{}", setup_.report_folder, jobs_).c_str())) &&
        ended.empty())
      ended = problem_;
  write(kCommand, kClearInterrupt);
  if (!ended.empty()) {
    active_ = nullptr;
    reset();
    set_up();
  }
  return ended;
}

}  // namespace macaw::accel
