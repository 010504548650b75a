#include <macaw/device.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Memory from address 0 on, and what the interrupt line did.
struct Host {
  std::vector<unsigned char> bytes;
  std::vector<int> levels;
  macaw_device* device = nullptr;
  macaw_device_status from_callback = MACAW_DEVICE_OK, report_from_callback = MACAW_DEVICE_OK;
  bool destroys = false;

  static void* memory(void* user, std::uint64_t address, std::uint64_t* size) {
    auto& host = *static_cast<Host*>(user);
    host.from_callback = macaw_device_write(host.device, 0x10, 0);
    if (host.destroys) {
      macaw_device_destroy(host.device);
      host.report_from_callback = macaw_device_report(host.device, "reports");
    }
    if (address >= host.bytes.size()) return nullptr;
    *size = host.bytes.size() - address;
    return host.bytes.data() + address;
  }
  static void interrupt(void* user, int level) { static_cast<Host*>(user)->levels.push_back(level); }

  explicit Host(const char* accelerator) {
    const macaw_device_host host = {this, memory, interrupt};
    REQUIRE(macaw_device_create(accelerator, nullptr, &host, &device) == MACAW_DEVICE_OK);
    REQUIRE(macaw_device_advance(device, 1000) == MACAW_DEVICE_OK);
  }
  ~Host() { macaw_device_destroy(device); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  std::uint32_t offset(const char* name) const {
    std::uint32_t at = 0;
    REQUIRE(macaw_device_register(device, name, &at) == MACAW_DEVICE_OK);
    return at;
  }
  void write(const char* name, std::uint32_t value) {
    REQUIRE(macaw_device_write(device, offset(name), value) == MACAW_DEVICE_OK);
  }
  std::uint32_t read(const char* name) {
    std::uint32_t value = 0;
    REQUIRE(macaw_device_read(device, offset(name), &value) == MACAW_DEVICE_OK);
    return value;
  }
};

constexpr unsigned char kStop[16] = {0, 0, 8, 0};  // NPU_OP_STOP mask=8

}  // namespace

TEST_CASE("an accelerator and a system that are not known are usage errors that name them") {
  const macaw_device_host host = {nullptr, Host::memory, nullptr};
  macaw_device* device = nullptr;
  CHECK(macaw_device_create("ethos-u99", nullptr, &host, &device) == MACAW_DEVICE_USAGE);
  CHECK(device == nullptr);
  CHECK(std::string(macaw_device_message()).find("ethos-u99") != std::string::npos);
  CHECK(macaw_device_create("ethos-u55-128", "no-such-system", &host, &device) == MACAW_DEVICE_USAGE);
  CHECK(std::string(macaw_device_message()).find("no-such-system") != std::string::npos);
}

TEST_CASE("null pointers are usage errors") {
  macaw_device* device = nullptr;
  std::uint32_t value = 0;
  CHECK(macaw_device_create("ethos-u55-128", nullptr, nullptr, &device) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_create(nullptr, nullptr, nullptr, nullptr) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_read(nullptr, 0, &value) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_write(nullptr, 0, 0) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_advance(nullptr, 1) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_report(nullptr, "reports") == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_warning(nullptr) == nullptr);
  macaw_device_destroy(nullptr);
}

TEST_CASE("a register that the device has not is a usage error, by name and by offset") {
  Host host("ethos-u55-128");
  std::uint32_t offset = 0;
  CHECK(macaw_device_register(host.device, "MEM_ATTR", &offset) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_read(host.device, 3, &offset) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_write(host.device, MACAW_DEVICE_SPACE, 0) == MACAW_DEVICE_USAGE);
}

TEST_CASE("advancing goes to the time that is asked for, never back") {
  Host host("ethos-u65-256");
  REQUIRE(macaw_device_advance(host.device, 5000) == MACAW_DEVICE_OK);
  CHECK(macaw_device_time(host.device) == 5000);
  REQUIRE(macaw_device_advance(host.device, 10) == MACAW_DEVICE_OK);
  CHECK(macaw_device_time(host.device) == 5000);
}

TEST_CASE("the interrupt callback hears the rise and the fall of the line, and time passes while it is up") {
  Host host("ethos-u55-128");
  host.bytes.assign(std::begin(kStop), std::end(kStop));
  host.write("QSIZE", 4);
  host.write("CMD", 0xd);
  REQUIRE(macaw_device_advance(host.device, 100'000) == MACAW_DEVICE_OK);
  CHECK(macaw_device_time(host.device) < 100'000);
  CHECK(macaw_device_interrupt(host.device) == 1);
  REQUIRE(macaw_device_advance(host.device, 100'000) == MACAW_DEVICE_OK);
  CHECK(macaw_device_time(host.device) == 100'000);
  CHECK((host.read("STATUS") & 0x3f) == 0x22);
  host.write("CMD", 0xe);
  CHECK(host.levels == std::vector<int>{1, 0});
  CHECK(macaw_device_fault(host.device) == nullptr);
  CHECK(macaw_device_warning(host.device) == nullptr);
  CHECK(macaw_device_report(host.device, nullptr) == MACAW_DEVICE_USAGE);
  CHECK(macaw_device_report(host.device, "/dev/null/reports") == MACAW_DEVICE_FILE);
  CHECK(std::string(macaw_device_message()).find("/dev/null") != std::string::npos);
}

TEST_CASE("a job without memory faults and says why") {
  Host host("ethos-u85-256");
  host.write("QBASE", 0x1000);
  host.write("QSIZE", 4);
  host.write("CMD", 0xd);
  REQUIRE(macaw_device_advance(host.device, 100'000) == MACAW_DEVICE_OK);
  CHECK((host.read("STATUS") & 4) == 4);
  REQUIRE(macaw_device_fault(host.device) != nullptr);
  CHECK(std::strstr(macaw_device_fault(host.device), "no memory for the command stream") != nullptr);
}

TEST_CASE("a call from within a callback is refused and leaves the device working") {
  Host host("ethos-u55-32");
  host.bytes.assign(std::begin(kStop), std::end(kStop));
  host.destroys = true;
  host.write("QSIZE", 4);
  host.write("CMD", 0xd);
  CHECK(host.from_callback == MACAW_DEVICE_USAGE);
  CHECK(host.report_from_callback == MACAW_DEVICE_USAGE);
  CHECK(std::string(macaw_device_message()) == "a callback of the device calls the device");
  REQUIRE(macaw_device_advance(host.device, 100'000) == MACAW_DEVICE_OK);
  CHECK((host.read("STATUS") & 0x3f) == 0x22);
}
