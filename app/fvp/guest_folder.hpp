#pragma once
#include <macaw/error.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace macaw::app::fvp {

/// A file descriptor that is closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// The one folder of the host whose files an application can open by semihosting. Paths are relative to it; absolute
/// paths, "..", symbolic links and anything but regular files are refused. Errors are errno values.
class GuestFolder {
 public:
  /// `folder` empty: no folder, every path is refused. kIo: it cannot be opened.
  [[nodiscard]] static Result<GuestFolder> open(const std::string& folder);

  /// `flags` as of open(2).
  [[nodiscard]] tl::expected<Descriptor, int> open_file(std::string_view path, int flags) const;
  [[nodiscard]] tl::expected<void, int> remove(std::string_view path) const;
  [[nodiscard]] tl::expected<void, int> rename(std::string_view from, std::string_view to) const;

 private:
  /// The folder that contains a path, and its name in it.
  struct Entry {
    Descriptor folder;
    std::string name;
  };
  /// EISDIR, EACCES and so on if the name is that of something other than a regular file.
  [[nodiscard]] tl::expected<Entry, int> find(std::string_view path) const;

  Descriptor folder_;
};

}  // namespace macaw::app::fvp
