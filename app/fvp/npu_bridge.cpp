#include "app/fvp/npu_bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace macaw::app::fvp {
namespace {

constexpr std::uint32_t kRun = 1;                             // CMD, and STATUS.state
constexpr std::uint32_t kMaxBeats = 3;                        // of AXI_LIMIT: 64, 128 or 256 bytes
constexpr std::uint32_t kCpuid[] = {0xe000ed00, 0xe002ed00};  // of the Armv8-M architecture, and its alias
constexpr std::uint64_t kSlice = 200'000;                     // cycles of a job between two checks

Result<void> checked(macaw_device_status status) {
  if (status == MACAW_DEVICE_OK) return {};
  const ErrorCode code = status == MACAW_DEVICE_FILE       ? ErrorCode::kInvalidFile
                         : status == MACAW_DEVICE_USAGE    ? ErrorCode::kUsage
                         : status == MACAW_DEVICE_MISMATCH ? ErrorCode::kMismatch
                                                           : ErrorCode::kUnsupported;
  return fail(code, macaw_device_message());
}

}  // namespace

void* NpuBridge::find_memory(void* user, std::uint64_t address, std::uint64_t* size) {
  const auto bytes = static_cast<NpuBridge*>(user)->memory_.from(address);
  *size = bytes.size();
  return bytes.empty() ? nullptr : bytes.data();
}

void NpuBridge::before_access(void* user, std::uint64_t address, std::uint64_t size) {
  static_cast<NpuBridge*>(user)->memory_.before_access(address, size);
}

void NpuBridge::after_write(void* user, std::uint64_t address, std::uint64_t size) {
  static_cast<NpuBridge*>(user)->memory_.after_write(address, size);
}

Result<std::unique_ptr<NpuBridge>> NpuBridge::create(const Application& application, GdbClient& guest,
                                                     GuestMemory& memory, InterruptLine& interrupt, GoOn go_on) {
  const auto& [npu, system] = std::tie(application.npu, application.system);
  std::unique_ptr<NpuBridge> bridge(new NpuBridge(*application.platform, guest, memory, interrupt, std::move(go_on)));
  if (!application.instructions.empty()) bridge->instructions_.emplace(guest);
  const macaw_device_host host = {sizeof host, bridge.get(), find_memory, nullptr, before_access, after_write};
  MACAW_CHECK(
      checked(macaw_device_create(npu.c_str(), system.empty() ? nullptr : system.c_str(), &host, &bridge->device_)));
  MACAW_CHECK(checked(macaw_device_register(bridge->device_, "CMD", &bridge->command_)));
  MACAW_CHECK(checked(macaw_device_register(bridge->device_, "RESET", &bridge->reset_)));
  // The power-on reset is over when the application accesses the NPU.
  MACAW_CHECK(checked(macaw_device_advance(bridge->device_, kSlice)));
  return bridge;
}

Result<void> NpuBridge::attach() {
  for (const std::uint32_t window : platform_.npu) MACAW_CHECK(guest_.watch(window, kWindowBytes));
  if (platform_.cpuid != 0)
    for (const std::uint32_t address : kCpuid) MACAW_CHECK(guest_.watch(address, 4));
  return {};
}

Result<std::uint32_t> NpuBridge::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  MACAW_CHECK(checked(macaw_device_read(device_, offset, &value)));
  return value;
}

Result<std::uint32_t> NpuBridge::read(const char* name) {
  std::uint32_t offset = 0;
  MACAW_CHECK(checked(macaw_device_register(device_, name, &offset)));
  return read(offset);
}

Result<void> NpuBridge::write(std::uint32_t offset, std::uint32_t value) {
  if (offset == command_ && (value & kRun) && !running_) {
    if (instructions_) MACAW_CHECK(instructions_->start_job());
    memory_.start_job(guest_);
    running_ = true;
    settings_ = describe_settings();
  }
  if (offset == reset_) written_.clear();
  written_[offset] = value;
  MACAW_CHECK(checked(macaw_device_write(device_, offset, value)));
  return running_ ? run_job() : Result<void>();
}

std::string NpuBridge::describe_settings() const {
  const auto written = [&](const char* name, unsigned word) -> std::optional<std::uint32_t> {
    std::uint32_t offset = 0;
    if (macaw_device_register(device_, name, &offset) != MACAW_DEVICE_OK) return {};
    const auto found = written_.find(offset + 4 * word);
    if (found == written_.end()) return {};
    return found->second;
  };
  std::string text;
  const auto address = [&](const std::string& of, const char* name, unsigned word) {
    if (const auto low = written(name, word))
      text += fmt::format(" -C {}.address={}", of, *low | std::uint64_t{written(name, word + 1).value_or(0)} << 32);
  };
  address("stream", "QBASE", 0);
  for (unsigned region = 0; region < 8; ++region) address(fmt::format("region{}", region), "BASEP", 2 * region);
  for (const auto& [side, limit] : {std::pair("axi0", "AXI_LIMIT0"), std::pair("axi1", "AXI_LIMIT2")})
    text += fmt::format(" -C {}.burst_bytes={}", side, 64u << std::min(written(limit, 0).value_or(0) & kMaxBeats, 2u));
  return text;
}

/// Runs to the next interrupt, or to the end.
Result<void> NpuBridge::run_job() {
  for (;;) {
    MACAW_ASSIGN(const std::uint32_t status, read("STATUS"));
    running_ = (status & kRun) != 0;
    if (!running_ || macaw_device_interrupt(device_)) break;
    MACAW_CHECK(checked(macaw_device_advance(device_, macaw_device_time(device_) + kSlice)));
    MACAW_CHECK(go_on_());
  }
  MACAW_CHECK(memory_.end_job());
  if (running_) return {};
  ++jobs_;
  return job_ended ? job_ended(*device_, jobs_) : Result<void>();
}

Result<void> NpuBridge::access() {
  MACAW_ASSIGN(const CpuRegisters registers, guest_.registers());
  std::uint8_t code[4];
  MACAW_CHECK(guest_.read_memory(registers.r[15], code));
  MACAW_ASSIGN(const ThumbAccess access, decode_access(static_cast<std::uint16_t>(code[0] | code[1] << 8),
                                                       static_cast<std::uint16_t>(code[2] | code[3] << 8), registers));
  for (const std::uint32_t window : platform_.npu) {
    const std::uint32_t offset = access.address - window;
    if (offset >= kWindowBytes) continue;
    MACAW_CHECK(access.store ? store(access, registers, offset) : load(access, offset));
    MACAW_CHECK(interrupt_.set(macaw_device_interrupt(device_)));
    return skip(access, registers);
  }
  if (!access.store && access.words == 1 && std::ranges::find(kCpuid, access.address) != std::end(kCpuid)) {
    MACAW_CHECK(guest_.write_register(access.data[0], platform_.cpuid));
    return skip(access, registers);
  }
  return fail(ErrorCode::kUnsupported,
              fmt::format("the application stopped at {:#x} without an access to the NPU", registers.r[15]));
}

Result<void> NpuBridge::load(const ThumbAccess& access, std::uint32_t offset) {
  for (unsigned i = 0; i < access.words; ++i) {
    MACAW_ASSIGN(const std::uint32_t value, read(offset + 4 * i));
    MACAW_CHECK(guest_.write_register(access.data[i], value));
  }
  return {};
}

Result<void> NpuBridge::store(const ThumbAccess& access, const CpuRegisters& registers, std::uint32_t offset) {
  for (unsigned i = 0; i < access.words; ++i) MACAW_CHECK(write(offset + 4 * i, registers.r[access.data[i]]));
  return {};
}

Result<void> NpuBridge::skip(const ThumbAccess& access, const CpuRegisters& registers) {
  if (access.writes_back) MACAW_CHECK(guest_.write_register(access.base, access.base_after));
  if (const auto xpsr = after_instruction(registers.xpsr); xpsr != registers.xpsr)
    MACAW_CHECK(guest_.write_register(GdbClient::kXpsr, xpsr));
  return guest_.write_register(15, registers.r[15] + access.length);
}

}  // namespace macaw::app::fvp
