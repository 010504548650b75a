#include <macaw/device.h>
#include <macaw/npu/device_job.hpp>
#include <macaw/npu/registers.hpp>

#include "device/c_call.hpp"
#include "sim/timed/context.hpp"
#include "sim/timed/device/device_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr std::uint32_t kStateVersion = 0x4d435701;  // of macaw_device_save()

/// The memory that the host provides through its callback.
class HostMemory : public timed::SystemMemory {
 public:
  explicit HostMemory(const macaw_device_host& host) : host_(host) {}
  [[nodiscard]] std::span<std::uint8_t> from(std::uint64_t address) override {
    std::uint64_t size = 0;
    void* bytes = host_.memory ? host_.memory(host_.user, address, &size) : nullptr;
    return bytes ? std::span(static_cast<std::uint8_t*>(bytes), size) : std::span<std::uint8_t>();
  }
  void before_access(std::uint64_t address, std::uint64_t bytes) override {
    if (host_.before_access) host_.before_access(host_.user, address, bytes);
  }
  void after_write(std::uint64_t address, std::uint64_t bytes) override {
    if (host_.after_write) host_.after_write(host_.user, address, bytes);
  }

 private:
  const macaw_device_host& host_;
};

macaw_device_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return MACAW_DEVICE_USAGE;
    case ErrorCode::kIo:
    case ErrorCode::kInvalidFile: return MACAW_DEVICE_FILE;
    case ErrorCode::kMismatch: return MACAW_DEVICE_MISMATCH;
    default: return MACAW_DEVICE_UNSUPPORTED;
  }
}

template <class Body>
macaw_device_status guarded(Body&& body) {
  return c_call::guarded(status_of, MACAW_DEVICE_INTERNAL, std::forward<Body>(body));
}

using c_call::wanted;

/// Converts `host` to this library's version of the struct; members that an earlier header does not have are null.
Result<macaw_device_host> complete(const macaw_device_host* host) {
  constexpr std::size_t kFirstSize = offsetof(macaw_device_host, before_access);
  MACAW_CHECK(wanted(host, "the host"));
  if (host->struct_size < kFirstSize)
    return fail(ErrorCode::kUsage, fmt::format("struct_size of the host is {}; expected sizeof(macaw_device_host), {}",
                                               host->struct_size, sizeof *host));
  macaw_device_host whole = {};
  std::memcpy(&whole, host, std::min(host->struct_size, sizeof whole));
  MACAW_CHECK(wanted(whole.memory, "the callback for the memory"));
  return whole;
}

/// Marks the duration of a call in which callbacks may occur.
class Within {
 public:
  explicit Within(bool& inside) : inside_(inside) { inside_ = true; }
  ~Within() { inside_ = false; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  bool& inside_;
};

}  // namespace

struct macaw_device {
  macaw_device(const Accelerator& of, const macaw_device_host& outside) : accelerator(of), host(outside) {}

  /// Returns an error inside a callback, in the middle of a call, and in a thread process of a SystemC simulation.
  [[nodiscard]] Result<void> check_outside() const {
    if (inside) return fail(ErrorCode::kUsage, "a callback of the device calls the device");
    return timed::Context::check_caller();
  }

  /// Makes a call that lets time pass, and reports changes of the interrupt line to the host.
  template <class Call>
  Result<void> pass_time(Call&& call) {
    MACAW_CHECK(check_outside());
    const Within mark(inside);
    const Result<void> done = call();
    if (const bool level = simulation->interrupt(); level != raised) {
      raised = level;
      if (host.interrupt) host.interrupt(host.user, level ? 1 : 0);
    }
    return done;
  }

  const Accelerator& accelerator;
  const macaw_device_host host;
  HostMemory memory{host};
  std::unique_ptr<timed::DeviceSimulation> simulation;
  bool raised = false, inside = false;
  mutable std::string fault, warning;  ///< what macaw_device_fault() and macaw_device_warning() returned last
};

uint32_t macaw_device_abi(void) { return MACAW_DEVICE_ABI; }

const char* macaw_device_version(void) { return MACAW_LIBRARY_VERSION; }

macaw_device_status macaw_device_create(const char* accelerator, const char* system, const macaw_device_host* host,
                                        macaw_device** device) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the place for the device"));
    *device = nullptr;
    MACAW_CHECK(wanted(accelerator, "the name of the accelerator"));
    MACAW_ASSIGN(const macaw_device_host whole, complete(host));
    const Accelerator* found = find_accelerator(accelerator);
    if (!found) return fail(ErrorCode::kUsage, fmt::format("unknown accelerator '{}'", accelerator));
    MACAW_CHECK(timed::Context::check_caller());
    auto created = std::make_unique<macaw_device>(*found, whole);
    MACAW_ASSIGN(created->simulation, timed::DeviceSimulation::create(*found, system ? system : "", created->memory));
    *device = created.release();
    return {};
  });
}

void macaw_device_destroy(macaw_device* device) {
  static_cast<void>(guarded([&]() -> Result<void> {
    if (device) MACAW_CHECK(device->check_outside());
    delete device;
    return {};
  }));
}

macaw_device_status macaw_device_register(const macaw_device* device, const char* name, uint32_t* offset) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    MACAW_CHECK(wanted(name, "the name of the register"));
    MACAW_CHECK(wanted(offset, "the place for the offset"));
    const auto found = register_offset(device->accelerator.family, name);
    if (!found) return fail(ErrorCode::kUsage, fmt::format("{} has no register '{}'", device->accelerator.name, name));
    *offset = *found;
    return {};
  });
}

macaw_device_status macaw_device_read(macaw_device* device, uint32_t offset, uint32_t* value) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    MACAW_CHECK(wanted(value, "the place for the value"));
    return device->pass_time([&]() -> Result<void> {
      MACAW_ASSIGN(*value, device->simulation->read(offset));
      return {};
    });
  });
}

macaw_device_status macaw_device_write(macaw_device* device, uint32_t offset, uint32_t value) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    return device->pass_time([&] { return device->simulation->write(offset, value); });
  });
}

macaw_device_status macaw_device_reset(macaw_device* device) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    return device->pass_time([&] { return device->simulation->reset(); });
  });
}

macaw_device_status macaw_device_save(macaw_device* device, void* state, size_t* size) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    MACAW_CHECK(wanted(size, "the place for the size"));
    MACAW_CHECK(device->check_outside());
    MACAW_ASSIGN(auto words, device->simulation->save());
    words.insert(words.begin(), kStateVersion);
    const std::size_t needed = words.size() * sizeof words[0], given = std::exchange(*size, needed);
    if (!state) return {};
    if (given < needed)
      return fail(ErrorCode::kUsage, fmt::format("the state has {} bytes, {} are given", needed, given));
    std::memcpy(state, words.data(), needed);
    return {};
  });
}

macaw_device_status macaw_device_restore(macaw_device* device, const void* state, size_t size) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    MACAW_CHECK(wanted(state, "the state"));
    std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), state, words.size() * sizeof words[0]);
    if (words.empty() || size % sizeof words[0] != 0 || words[0] != kStateVersion)
      return fail(ErrorCode::kMismatch, "not a state that this release has saved");
    return device->pass_time([&] { return device->simulation->restore(std::span(words).subspan(1)); });
  });
}

macaw_device_status macaw_device_advance(macaw_device* device, uint64_t cycle) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    return device->pass_time([&] { return device->simulation->advance_to(Cycles(cycle)); });
  });
}

uint64_t macaw_device_time(const macaw_device* device) { return device ? device->simulation->time().count() : 0; }

int macaw_device_interrupt(const macaw_device* device) { return device && device->simulation->interrupt() ? 1 : 0; }

const char* macaw_device_fault(const macaw_device* device) {
  bool there = false;
  static_cast<void>(guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    there = device->simulation->fault().has_value();
    if (there) device->fault = device->simulation->fault()->to_string();
    return {};
  }));
  return there ? device->fault.c_str() : nullptr;
}

const char* macaw_device_warning(const macaw_device* device) {
  bool there = false;
  static_cast<void>(guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    auto warning = device->simulation->warning();
    there = warning.has_value();
    if (there) device->warning = *std::move(warning);
    return {};
  }));
  return there ? device->warning.c_str() : nullptr;
}

macaw_device_status macaw_device_report(const macaw_device* device, const char* folder) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(device, "the device"));
    MACAW_CHECK(wanted(folder, "the name of the folder"));
    MACAW_CHECK(device->check_outside());
    return write_job_report(last_job(*device), device->accelerator.name, folder);
  });
}

const char* macaw_device_message(void) { return c_call::last_message().c_str(); }

TimedResult macaw::npu::last_job(const macaw_device& device) { return device.simulation->last_job(); }
