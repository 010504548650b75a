#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

// The calls for files that differ between the systems that Macaw runs on: linux/ and wasi/ beside this file.
namespace macaw::platform {

/// A regular file's bytes without a copy; no owner: it cannot be mapped, or has fewer than `least` bytes.
struct MappedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};
[[nodiscard]] MappedBytes map_regular_file(const std::filesystem::path& file, std::size_t least);

/// Renames a file unless something has the new name. Returns 0 or an errno: EEXIST where something has it, another one
/// where the system cannot promise this.
[[nodiscard]] int rename_to_new(const char* from, const char* to);

/// Gives a file that is open the permissions of another one.
void set_permissions(int descriptor, std::filesystem::perms permissions);

/// Random bits from the system's generator; empty if it cannot supply any.
[[nodiscard]] std::optional<std::uint64_t> random_bits();

/// Calls the handler for signals that end the program, except those that its caller ignores (nohup). The handler calls
/// end_by_signal(), which ends the program when the handler returns.
void handle_ending_signals(void (*handler)(int));
void end_by_signal(int signal);

/// Columns of the terminal that standard output is; none: it is not a terminal, or has no width.
[[nodiscard]] std::optional<std::size_t> window_columns();

/// Bytes that the process may allocate; none: not limited.
[[nodiscard]] std::optional<std::uint64_t> memory_limit();

}  // namespace macaw::platform
