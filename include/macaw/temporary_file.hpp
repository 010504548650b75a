#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <macaw/error.hpp>

namespace macaw::io {

/// Whether data for this path is written to an existing object: a device, a FIFO, an open descriptor (/dev/stdout).
[[nodiscard]] bool is_written_in_place(const std::filesystem::path& file);

/// Policy for an existing file with the target's name.
enum class Existing { kReplaced, kKept };

/// A file of a unique name that becomes `target` once it is complete: in the target's folder, or in the folder for
/// temporary files if the target is written in place. It is removed with the object, or when a signal ends the program
/// (remove_temporaries_on_signals).
class TemporaryFile {
 public:
  /// Symbolic links of `target` are followed, so that a link stays one. kIo if no file can be made beside it.
  [[nodiscard]] static Result<TemporaryFile> create(const std::filesystem::path& target);
  /// Takes over a file that other code creates, or has created, under this path; it is only removed.
  [[nodiscard]] static TemporaryFile adopt(const std::filesystem::path& file);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Sets the file's contents to `bytes`, followed by `more`.
  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes, std::span<const std::byte> more = {}) const;
  /// Overwrites the bytes from `offset` on, extending the file if necessary.
  [[nodiscard]] Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Renames the file to the target, or copies into it. kUsage if the target exists and is to be kept: another process
  /// may have created it in the meantime.
  [[nodiscard]] Result<void> publish(Existing existing = Existing::kReplaced);

 private:
  TemporaryFile() = default;
  [[nodiscard]] Result<void> copy_to_target() const;
  void forget();

  std::filesystem::path given_, target_, path_;  ///< `target_` is `given_` with links followed
  void* slot_ = nullptr;                         ///< its entry in the list for signals
  bool in_place_ = false;
};

/// Removes the temporary files; may be called by a signal handler that ends the program.
void remove_temporaries();

/// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the temporary files before they end the program. For programs,
/// not libraries.
void remove_temporaries_on_signals();

}  // namespace macaw::io
