// The classes through which Linux programs use an Ethos-U (driver_library/include/ethosu.hpp of Arm's
// ethos-u-linux-driver-stack), with Macaw in place of kernel, firmware and NPU: programs are compiled against this
// header instead of Arm's, and linked with libmacaw_ethosu_linux. C++11.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The C library has macros of these names.
#undef major
#undef minor

namespace EthosU {

/// Thrown by every class here, with a message.
class Exception : public std::exception {
 public:
  explicit Exception(const char* message);
  ~Exception() override;
  const char* what() const noexcept override;

 private:
  std::string message_;
};

class SemanticVersion {
 public:
  SemanticVersion(uint32_t major = 0, uint32_t minor = 0, uint32_t patch = 0)
      : major(major), minor(minor), patch(patch) {}

  bool operator==(const SemanticVersion& other) const;
  bool operator<(const SemanticVersion& other) const;
  bool operator<=(const SemanticVersion& other) const { return !(other < *this); }
  bool operator!=(const SemanticVersion& other) const { return !(*this == other); }
  bool operator>(const SemanticVersion& other) const { return other < *this; }
  bool operator>=(const SemanticVersion& other) const { return !(*this < other); }

  uint32_t major, minor, patch;
};

std::ostream& operator<<(std::ostream& out, const SemanticVersion& version);

/// The NPU's register ID.
struct HardwareId {
  uint32_t versionStatus;
  SemanticVersion version, product, architecture;
};

/// The NPU's register CONFIG.
struct HardwareConfiguration {
  enum class DeviceType { UNKNOWN = 0, SUBSYSTEM, DIRECT };

  uint32_t macsPerClockCycle;  ///< logarithm to base 2, as in the register
  uint32_t cmdStreamVersion;
  DeviceType type;
  bool customDma;
};

class Capabilities {
 public:
  HardwareId hwId;
  HardwareConfiguration hwCfg;
  SemanticVersion driver;  ///< Macaw's version
};

class Buffer;

/// An NPU: the accelerator that the environment variable MACAW_ACCELERATOR names (default: ethos-u65-256), with the
/// memories of the system in MACAW_SYSTEM. The device's name is ignored; devices are independent of each other.
class Device {
 public:
  Device(const char* device = "/dev/ethosu0");
  virtual ~Device();

  /// ETHOSU_IOCTL_PING and ETHOSU_IOCTL_VERSION_REQ do nothing; others are refused.
  int ioctl(unsigned long command, void* data = nullptr) const;
  Capabilities capabilities() const;
  const SemanticVersion& getDriverVersion() const;
  std::vector<std::shared_ptr<Buffer>> createBuffers(const std::vector<std::size_t>& sizes);

 private:
  friend class Network;
  std::string accelerator_, system_;
  SemanticVersion version_;
};

/// Memory that is shared through a file descriptor.
class Buffer {
 public:
  /// No memory, for an operand that a network does not need.
  Buffer() = default;
  Buffer(const Device& device, std::size_t capacity);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer();

  std::size_t capacity() const { return capacity_; }
  void clear() const;  ///< size 0
  char* data() const { return bytes_ + offset_; }
  void resize(std::size_t size, std::size_t offset = 0) const;
  std::size_t offset() const { return offset_; }
  std::size_t size() const { return size_; }
  void write(const char* from, std::size_t size, std::size_t offset = 0);
  void read(char* to, std::size_t size, std::size_t offset = 0) const;
  int getFd() const { return fd_; }

 private:
  int fd_ = -1;
  char* bytes_ = nullptr;
  std::size_t capacity_ = 0;
  mutable std::size_t size_ = 0, offset_ = 0;
};

/// A network that Vela compiled: a .tflite, whose other operators are computed like TensorFlow Lite's reference
/// kernels, or a bare command stream, compiled with --separate-io-regions. Types have TensorFlow Lite's numbers.
class Network {
 public:
  Network(const Device& device, const std::shared_ptr<Buffer>& buffer);
  Network(const Device& device, const unsigned char* data, std::size_t size);
  /// Networks inside the firmware are not supported.
  Network(const Device& device, unsigned index);
  virtual ~Network();

  std::shared_ptr<Buffer> getBuffer() const { return buffer_; }
  const Device& getDevice() const { return device_; }
  bool isVelaModel() const { return true; }

  // They are empty for a bare command stream, which does not contain them.
  std::size_t getInputCount() const { return ifm_.sizes.size(); }
  std::size_t getOutputCount() const { return ofm_.sizes.size(); }
  const std::vector<std::size_t>& getIfmDims() const { return ifm_.sizes; }  ///< in bytes
  const std::vector<std::size_t>& getOfmDims() const { return ofm_.sizes; }
  std::size_t getIfmSize() const;
  std::size_t getOfmSize() const;
  const std::vector<std::vector<std::size_t>>& getIfmShapes() const { return ifm_.shapes; }
  const std::vector<std::vector<std::size_t>>& getOfmShapes() const { return ofm_.shapes; }
  const std::vector<int>& getIfmTypes() const { return ifm_.types; }
  const std::vector<int>& getOfmTypes() const { return ofm_.types; }

 private:
  friend class Inference;
  struct Compiled;
  struct Operands {
    std::vector<std::size_t> sizes;
    std::vector<std::vector<std::size_t>> shapes;
    std::vector<int> types;
  };
  void load(const unsigned char* data, std::size_t size);

  Device device_;
  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<const Compiled> compiled_;
  Operands ifm_, ofm_;
};

enum TensorType {
  TensorType_FLOAT32 = 0,
  TensorType_FLOAT16 = 1,
  TensorType_INT32 = 2,
  TensorType_UINT8 = 3,
  TensorType_INT64 = 4,
  TensorType_BOOL = 6,
  TensorType_INT16 = 7,
  TensorType_INT8 = 9,
};

enum class InferenceStatus { OK, ERROR, RUNNING, REJECTED, ABORTED, ABORTING, PENDING };

std::ostream& operator<<(std::ostream& out, const InferenceStatus& status);

/// A run of a network. It has ended when the constructor returns, but counts as running until the NPU's predicted time
/// has passed in wait() calls. The outputs are in their buffers; their contents are only meaningful after a wait() for
/// the whole inference.
class Inference {
 public:
  using Buffers = std::vector<std::shared_ptr<Buffer>>;
  /// Counter values; their width is that of the library version that the program was compiled for.
  struct Counters : std::vector<uint64_t> {
    using std::vector<uint64_t>::vector;
    operator std::vector<uint32_t>() const { return {begin(), end()}; }
  };

  template <class Iterator>
  Inference(const std::shared_ptr<Network>& network, const Iterator& ifmBegin, const Iterator& ifmEnd,
            const Iterator& ofmBegin, const Iterator& ofmEnd)
      : Inference(network, ifmBegin, ifmEnd, ofmBegin, ofmEnd, std::vector<uint32_t>(), false) {}

  /// `counters`: at most getMaxPmuEventCounters() events, numbers of enum ethosu_pmu_event_type in Arm's core driver.
  template <class Iterator, class Events>
  Inference(const std::shared_ptr<Network>& network, const Iterator& ifmBegin, const Iterator& ifmEnd,
            const Iterator& ofmBegin, const Iterator& ofmEnd, const Events& counters, bool enableCycleCounter)
      : Inference(network, ifmBegin, ifmEnd, ofmBegin, ofmEnd, nullptr, nullptr, counters, enableCycleCounter) {}

  /// `intermediate` and `constant`: scratch and weights of a bare command stream, null for a .tflite.
  template <class Iterator, class Events>
  Inference(const std::shared_ptr<Network>& network, const Iterator& ifmBegin, const Iterator& ifmEnd,
            const Iterator& ofmBegin, const Iterator& ofmEnd, const std::shared_ptr<Buffer>& intermediate,
            const std::shared_ptr<Buffer>& constant, const Events& counters, bool enableCycleCounter)
      : network_(network), ifm_(ifmBegin, ifmEnd), ofm_(ofmBegin, ofmEnd), counts_cycles_(enableCycleCounter) {
    run(intermediate, constant, std::vector<uint32_t>(counters.begin(), counters.end()));
  }
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;
  virtual ~Inference();

  /// Returns true if the inference takes longer than the timeout; a negative timeout waits for its end.
  bool wait(int64_t timeoutNanos = -1) const;
  bool cancel() const;  ///< false: it has ended
  InferenceStatus status() const { return status_; }
  bool failed() const { return status_ != InferenceStatus::OK; }
  const Counters& getPmuCounters() const { return counters_; }
  uint64_t getCycleCounter() const;
  int getFd() const { return fd_; }  ///< readable: it has ended
  std::shared_ptr<Network> getNetwork() const { return network_; }
  Buffers& getIfmBuffers() { return ifm_; }
  Buffers& getOfmBuffers() { return ofm_; }

  static uint32_t getMaxPmuEventCounters();

 private:
  void run(const std::shared_ptr<Buffer>& intermediate, const std::shared_ptr<Buffer>& constant,
           const std::vector<uint32_t>& events);

  std::shared_ptr<Network> network_;
  Buffers ifm_, ofm_;
  bool counts_cycles_;
  int fd_ = -1;
  Counters counters_;
  uint64_t cycles_ = 0;
  mutable int64_t nanoseconds_left_ = 0;
  mutable InferenceStatus status_ = InferenceStatus::OK;
};

}  // namespace EthosU
