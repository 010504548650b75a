#include <macaw/device.h>

#include <catch2/catch.hpp>
#include <string>
#include <systemc>
#include <vector>

namespace {

/// A platform with a process of each kind that uses the device of the C interface.
class Platform : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Platform);
  Platform(const sc_core::sc_module_name& name, macaw_device* outside) : sc_core::sc_module(name), outside_(outside) {
    SC_THREAD(thread);
    SC_METHOD(method);
    sensitive << call_;
    dont_initialize();
  }

  macaw_device_status created_in_thread = MACAW_DEVICE_OK, read_in_thread = MACAW_DEVICE_OK;
  macaw_device_status created_in_method = MACAW_DEVICE_INTERNAL, read_in_method = MACAW_DEVICE_INTERNAL;
  std::string message;
  std::uint64_t device_time = 0;
  int waits = 0;

 private:
  static void* memory(void*, std::uint64_t, std::uint64_t*) { return nullptr; }

  void thread() {
    const macaw_device_host host = {sizeof host, this, memory, nullptr, nullptr, nullptr};
    macaw_device* device = nullptr;
    wait(5, sc_core::SC_US);
    created_in_thread = macaw_device_create("ethos-u55-128", nullptr, &host, &device);
    message = macaw_device_message();
    std::uint32_t value = 0;
    read_in_thread = macaw_device_read(outside_, 0, &value);
    macaw_device_destroy(outside_);  // leaves it as it is
    for (; waits < 10; ++waits) {
      wait(1, sc_core::SC_US);
      call_.notify();
    }
  }

  void method() {
    const macaw_device_host host = {sizeof host, this, memory, nullptr, nullptr, nullptr};
    macaw_device* device = nullptr;
    created_in_method = macaw_device_create("ethos-u55-128", nullptr, &host, &device);
    std::uint32_t value = 0;
    read_in_method = macaw_device_read(device, 0, &value);
    macaw_device_advance(outside_, macaw_device_time(outside_) + 1000);
    device_time = macaw_device_time(outside_);
    macaw_device_destroy(device);
  }

  macaw_device* outside_;
  sc_core::sc_event call_;
};

}  // namespace

TEST_CASE("a SystemC host calls a device from methods; in a thread process every call is refused") {
  const macaw_device_host host = {
      sizeof host, nullptr, [](void*, std::uint64_t, std::uint64_t*) -> void* { return nullptr; },
      nullptr,     nullptr, nullptr};
  macaw_device* device = nullptr;
  REQUIRE(macaw_device_create("ethos-u55-128", nullptr, &host, &device) == MACAW_DEVICE_OK);
  Platform platform("platform", device);
  sc_core::sc_start(20, sc_core::SC_US);
  CHECK(platform.created_in_thread == MACAW_DEVICE_USAGE);
  CHECK(platform.message.find("SC_THREAD") != std::string::npos);
  CHECK(platform.read_in_thread == MACAW_DEVICE_USAGE);
  CHECK(platform.waits == 10);
  CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(20, sc_core::SC_US));
  CHECK(platform.created_in_method == MACAW_DEVICE_OK);
  CHECK(platform.read_in_method == MACAW_DEVICE_OK);
  CHECK(platform.device_time == 10000);
  // Between parts of the host's simulation a device is used as without one.
  CHECK(macaw_device_advance(device, 20000) == MACAW_DEVICE_OK);
  CHECK(macaw_device_time(device) == 20000);
  sc_core::sc_start(1, sc_core::SC_US);
  macaw_device_destroy(device);
}
