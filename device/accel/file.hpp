#pragma once
#include "device/accel/npu.hpp"
#include "device/accel/stream_checks.hpp"
#include "device/accel/uapi.hpp"

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace macaw::accel {

/// An open /dev/accel/accel0: its buffer objects, and the ioctls of Linux's Ethos-U driver. The descriptor refers to
/// memory that holds the mappable buffers, so that the kernel itself maps them. Used by one thread at a time.
class File {
 public:
  /// The destructor closes `descriptor`. `npu` must outlive the file.
  File(int descriptor, Npu& npu) : descriptor_(descriptor), npu_(npu) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  /// Returns 0, or the errno of a DRM driver. `argument` is an address that the caller may not have checked.
  [[nodiscard]] int ioctl(unsigned long request, void* argument);
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Returns 0, or EINVAL for a range that is not inside a mappable buffer.
  [[nodiscard]] int check_map(std::uint64_t offset, std::uint64_t length) const;

 private:
  struct Buffer {
    std::byte* bytes = nullptr;
    std::uint64_t size = 0, offset = 0, address = 0;  // offset: in the file
    std::uint32_t flags = 0;
    std::optional<StreamFacts> stream;  // set for a buffer that holds a command stream
    std::uint32_t stream_size = 0;
  };

  int call(unsigned number, void* argument);
  int create(std::uint64_t size, std::uint32_t flags, std::uint32_t& handle);
  int create_stream(std::uint32_t size, std::uint64_t data, std::uint32_t& handle);
  int close_handle(std::uint32_t handle);
  int submit(const uapi::Submit& submit);
  int perfmon(unsigned number, void* argument);
  [[nodiscard]] std::shared_ptr<Perfmon> find_perfmon(std::uint32_t id) const;
  void release(Buffer& buffer);
  [[nodiscard]] Buffer* find(std::uint32_t handle);

  int descriptor_;
  Npu& npu_;
  std::uint64_t end_ = 0;  // of the file
  std::uint32_t next_handle_ = 1;
  std::map<std::uint32_t, Buffer> buffers_;                     // by handle
  std::map<std::uint32_t, std::shared_ptr<Perfmon>> perfmons_;  // by id
};

}  // namespace macaw::accel
