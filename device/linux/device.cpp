#include <macaw/device.h>
#include <macaw/ethosu_linux/uapi/ethosu.h>
#include <macaw/ethosu_linux/ethosu.hpp>

#include <cstdlib>
#include <ostream>
#include <tuple>

namespace EthosU {
namespace {

constexpr uint32_t kReset = 8;  // STATUS.reset_status

/// Registers of an idle NPU.
class Registers {
 public:
  Registers(const std::string& accelerator, const std::string& system) {
    macaw_device_host host = {};
    host.struct_size = sizeof host;
    host.memory = [](void*, uint64_t, uint64_t*) -> void* { return nullptr; };
    check(macaw_device_create(accelerator.c_str(), system.empty() ? nullptr : system.c_str(), &host, &device_));
    while ((read("STATUS") & kReset) != 0) {  // each access takes a cycle
    }
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() { macaw_device_destroy(device_); }

  [[nodiscard]] uint32_t read(const char* name) {
    uint32_t offset = 0, value = 0;
    check(macaw_device_register(device_, name, &offset));
    check(macaw_device_read(device_, offset, &value));
    return value;
  }

 private:
  static void check(macaw_device_status status) {
    if (status != MACAW_DEVICE_OK) throw Exception(macaw_device_message());
  }

  macaw_device* device_ = nullptr;
};

uint32_t bits(uint32_t word, unsigned first, unsigned count) { return word >> first & ((1u << count) - 1); }

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

auto parts(const SemanticVersion& version) { return std::tie(version.major, version.minor, version.patch); }

}  // namespace

bool SemanticVersion::operator==(const SemanticVersion& other) const { return parts(*this) == parts(other); }

bool SemanticVersion::operator<(const SemanticVersion& other) const { return parts(*this) < parts(other); }

std::ostream& operator<<(std::ostream& out, const SemanticVersion& version) {
  return out << "{ major=" << version.major << ", minor=" << version.minor << ", patch=" << version.patch << " }";
}

Device::Device(const char* /*device*/)
    : accelerator_(from_environment("MACAW_ACCELERATOR", "ethos-u65-256")),
      system_(from_environment("MACAW_SYSTEM", "")),
      version_(MACAW_LINUX_VERSION) {
  Registers(accelerator_, system_);  // throws for names that are not known
}

Device::~Device() = default;

int Device::ioctl(unsigned long command, void* /*data*/) const {
  if (command == ETHOSU_IOCTL_PING || command == ETHOSU_IOCTL_VERSION_REQ) return 0;
  throw Exception(("Macaw does not know the request " + std::to_string(command) + " to a device").c_str());
}

// Fields as in Arm's ethosu55_interface.h, ethosu65_interface.h and ethosu85_interface.h, id_r and config_r.
Capabilities Device::capabilities() const {
  Registers registers(accelerator_, system_);
  const uint32_t id = registers.read("ID"), config = registers.read("CONFIG");
  const HardwareId hardware = {bits(id, 0, 4), SemanticVersion(bits(id, 8, 4), bits(id, 4, 4)),
                               SemanticVersion(bits(id, 12, 4)),
                               SemanticVersion(bits(id, 28, 4), bits(id, 20, 8), bits(id, 16, 4))};
  const HardwareConfiguration configuration = {bits(config, 0, 4), bits(config, 4, 4),
                                               HardwareConfiguration::DeviceType::DIRECT, bits(config, 27, 1) != 0};
  return {hardware, configuration, version_};
}

const SemanticVersion& Device::getDriverVersion() const { return version_; }

std::vector<std::shared_ptr<Buffer>> Device::createBuffers(const std::vector<std::size_t>& sizes) {
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (const std::size_t size : sizes) buffers.push_back(std::make_shared<Buffer>(*this, size));
  return buffers;
}

}  // namespace EthosU
