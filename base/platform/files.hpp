#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

// The calls for files that differ between the systems that Macaw runs on: linux/ and wasi/ beside this file.
namespace macaw::platform {

/// A regular file's bytes without a copy. The owner is null if the file cannot be mapped or has fewer than `least`
/// bytes.
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

/// Bits from the generator of the operating system; absent if it has none to give.
[[nodiscard]] std::optional<std::uint64_t> random_bits();

/// Calls the handler for signals that end the program, except those that its caller ignores (nohup). The handler calls
/// end_by_signal(), which ends the program when the handler returns.
void handle_ending_signals(void (*handler)(int));
void end_by_signal(int signal);

/// Number of columns of standard output; absent if it is not a terminal or its terminal has no width.
[[nodiscard]] std::optional<std::size_t> window_columns();

/// Number of bytes that the process may allocate; absent if it is not limited.
[[nodiscard]] std::optional<std::uint64_t> memory_limit();

}  // namespace macaw::platform
