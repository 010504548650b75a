#include <macaw/device.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
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
    const macaw_device_host host = {sizeof host, this, memory, interrupt, nullptr, nullptr};
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
  const macaw_device_host host = {sizeof host, nullptr, Host::memory, nullptr, nullptr, nullptr};
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

TEST_CASE("the library says its version, and a host of another size is refused or completed") {
  CHECK(macaw_device_abi() == MACAW_DEVICE_ABI);
  CHECK(std::strchr(macaw_device_version(), '.') != nullptr);
  macaw_device_host host = {0, nullptr, Host::memory, nullptr, nullptr, nullptr};
  macaw_device* device = nullptr;
  CHECK(macaw_device_create("ethos-u55-128", nullptr, &host, &device) == MACAW_DEVICE_USAGE);
  CHECK(std::string(macaw_device_message()).find("struct_size") != std::string::npos);
  host.struct_size = offsetof(macaw_device_host, before_access);  // of a program that has no such callbacks
  CHECK(macaw_device_create("ethos-u55-128", nullptr, &host, &device) == MACAW_DEVICE_OK);
  macaw_device_destroy(device);
}

TEST_CASE("the reset line ends a job and makes the registers what they were") {
  Host host("ethos-u55-128");
  host.bytes.assign(std::begin(kStop), std::end(kStop));
  host.write("QSIZE", 4);
  host.write("CMD", 0xd);
  REQUIRE(macaw_device_advance(host.device, 100'000) == MACAW_DEVICE_OK);
  REQUIRE(macaw_device_interrupt(host.device) == 1);
  const auto time = macaw_device_time(host.device);
  REQUIRE(macaw_device_reset(host.device) == MACAW_DEVICE_OK);
  CHECK(macaw_device_interrupt(host.device) == 0);
  CHECK(host.levels == std::vector<int>{1, 0});
  CHECK((host.read("STATUS") & 8) == 8);
  REQUIRE(macaw_device_advance(host.device, time + 1000) == MACAW_DEVICE_OK);
  CHECK(host.read("STATUS") == 0);
  CHECK(host.read("QSIZE") == 0);
  CHECK(macaw_device_reset(nullptr) == MACAW_DEVICE_USAGE);
}

TEST_CASE("a saved device goes on in another one as it would have itself") {
  Host first("ethos-u65-256"), second("ethos-u65-256");
  first.bytes.assign(std::begin(kStop), std::end(kStop));
  second.bytes = first.bytes;
  first.write("QSIZE", 4);
  first.write("PMCR", 1);
  first.write("PMCNTENSET", 0x80000001);
  first.write("PMEVTYPER", 35);
  std::size_t size = 0;
  first.write("CMD", 0xd);
  if ((first.read("STATUS") & 1) == 1) CHECK(macaw_device_save(first.device, nullptr, &size) == MACAW_DEVICE_USAGE);
  REQUIRE(macaw_device_advance(first.device, 50'000) == MACAW_DEVICE_OK);
  REQUIRE(macaw_device_advance(first.device, 50'000) == MACAW_DEVICE_OK);
  REQUIRE(macaw_device_save(first.device, nullptr, &size) == MACAW_DEVICE_OK);
  std::vector<unsigned char> state(size);
  --size;
  CHECK(macaw_device_save(first.device, state.data(), &size) == MACAW_DEVICE_USAGE);
  REQUIRE(macaw_device_save(first.device, state.data(), &size) == MACAW_DEVICE_OK);
  REQUIRE(macaw_device_restore(second.device, state.data(), size) == MACAW_DEVICE_OK);
  CHECK(macaw_device_interrupt(second.device) == 1);
  CHECK(second.levels == std::vector<int>{1});
  const auto time = macaw_device_time(second.device);
  CHECK(macaw_device_time(first.device) == 50'000);
  for (Host* host : {&first, &second}) {
    const auto begun = host == &first ? 50'000 : time;
    host->write("CMD", 0xe);
    CHECK(host->read("QSIZE") == 4);
    host->write("CMD", 0xd);
    REQUIRE(macaw_device_advance(host->device, begun + 5000) == MACAW_DEVICE_OK);
    REQUIRE(macaw_device_advance(host->device, begun + 5000) == MACAW_DEVICE_OK);
  }
  for (const char* name : {"STATUS", "PMCCNTR", "PMEVCNTR", "PMCNTENSET", "PMEVTYPER"}) {
    INFO(name);
    CHECK(first.read(name) == second.read(name));
  }
  Host other("ethos-u65-512");
  CHECK(macaw_device_restore(other.device, state.data(), size) == MACAW_DEVICE_MISMATCH);
  CHECK(macaw_device_restore(second.device, state.data(), size - 4) == MACAW_DEVICE_MISMATCH);
  CHECK(macaw_device_restore(second.device, "no", 2) == MACAW_DEVICE_MISMATCH);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("devices for which there is no memory are refused, and those that are there can be used and destroyed") {
  const pid_t child = fork();
  if (child == 0) {
    // 64 MiB of address space beside what the program has.
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (64 << 20);
    const rlimit space{limit, limit};
    setrlimit(RLIMIT_AS, &space);
    macaw_device_host host{};
    host.struct_size = sizeof host;
    host.memory = [](void*, std::uint64_t, std::uint64_t*) -> void* { return nullptr; };
    std::vector<macaw_device*> devices;
    macaw_device* device = nullptr;
    bool refused = false;
    while (!refused && devices.size() < 1000) {
      refused = macaw_device_create("ethos-u55-128", nullptr, &host, &device) != MACAW_DEVICE_OK;
      if (!refused) devices.push_back(device);
      if (!refused) refused = macaw_device_advance(device, 1000) != MACAW_DEVICE_OK;
    }
    const bool named = std::strstr(macaw_device_message(), "memory") != nullptr;
    std::uint32_t value = 0;
    const bool usable = devices.size() > 1 && macaw_device_read(devices[0], 0, &value) == MACAW_DEVICE_OK;
    for (macaw_device* one : devices) macaw_device_destroy(one);
    _exit(!refused ? 1 : !named ? 2 : !usable ? 3 : 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif
