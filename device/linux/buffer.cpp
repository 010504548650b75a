#include <macaw/ethosu_linux/ethosu.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace EthosU {
namespace {

void check_range(std::size_t offset, std::size_t size, std::size_t capacity) {
  if (offset > capacity || size > capacity - offset)
    throw Exception((std::to_string(size) + " bytes at " + std::to_string(offset) + " do not fit a buffer of " +
                     std::to_string(capacity))
                        .c_str());
}

}  // namespace

Buffer::Buffer(const Device& /*device*/, std::size_t capacity) : capacity_(capacity), size_(capacity) {
  // A mapping has at least one byte.
  const std::size_t length = std::max<std::size_t>(capacity, 1);
  fd_ = ::memfd_create("ethosu-buffer", MFD_CLOEXEC);
  void* bytes = MAP_FAILED;
  if (fd_ >= 0 && length <= PTRDIFF_MAX && ::ftruncate(fd_, static_cast<off_t>(length)) == 0)
    bytes = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (bytes == MAP_FAILED) {
    const std::string reason = std::strerror(errno);
    if (fd_ >= 0) ::close(fd_);
    throw Exception(("No buffer of " + std::to_string(capacity) + " bytes: " + reason).c_str());
  }
  bytes_ = static_cast<char*>(bytes);
}

Buffer::~Buffer() {
  if (bytes_ != nullptr) ::munmap(bytes_, std::max<std::size_t>(capacity_, 1));
  if (fd_ >= 0) ::close(fd_);
}

void Buffer::clear() const { resize(0); }

void Buffer::resize(std::size_t size, std::size_t offset) const {
  check_range(offset, size, capacity_);
  size_ = size;
  offset_ = offset;
}

void Buffer::write(const char* from, std::size_t size, std::size_t offset) {
  check_range(offset, size, capacity_);
  if (size != 0) std::memcpy(bytes_ + offset, from, size);
}

void Buffer::read(char* to, std::size_t size, std::size_t offset) const {
  check_range(offset, size, capacity_);
  if (size != 0) std::memcpy(to, bytes_ + offset, size);
}

}  // namespace EthosU
