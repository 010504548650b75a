#pragma once
#include "app/fvp/gdb_client.hpp"

#include <map>
#include <memory>
#include <vector>

namespace macaw::app::fvp {

/// The memory of QEMU's machine mps3-an547 as seen by the NPU. Its DDR is shared with QEMU. QEMU does not share the
/// memories inside the subsystem: the pages that a job reads or writes are copied, and written data is copied back.
class GuestMemory {
 public:
  static constexpr std::uint32_t kDdrBase = 0x60000000;
  static constexpr std::uint64_t kDdrBytes = std::uint64_t{2} << 30;

  [[nodiscard]] static Result<std::unique_ptr<GuestMemory>> create();
  ~GuestMemory();
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  /// Descriptor of a file that QEMU maps as the DDR.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Whether the CPU has memory at all of these addresses.
  [[nodiscard]] static bool is_memory(std::uint64_t address, std::uint64_t bytes);
  /// From an address to the end of its memory; empty: no memory there. Contents of a memory inside the subsystem are
  /// valid after before_access().
  [[nodiscard]] std::span<std::uint8_t> from(std::uint64_t address);
  void before_access(std::uint64_t address, std::uint64_t bytes);
  void after_write(std::uint64_t address, std::uint64_t bytes);
  /// Discards copies of pages, because a job is about to start.
  void start_job(GdbClient& guest);
  /// Writes changed copies back to the guest. Errors: kIo, also if a page could not be copied.
  [[nodiscard]] Result<void> end_job();
  [[nodiscard]] std::span<const std::uint8_t> ddr() const { return {ddr_, kDdrBytes}; }

 private:
  /// The bytes of one memory, under either of its two aliases.
  struct Copy {
    std::vector<std::uint8_t> bytes;
    std::vector<bool> pages;                         ///< those that were copied
    std::map<std::uint32_t, std::uint32_t> written;  ///< first and last address, by the alias that was written
  };
  GuestMemory() = default;
  /// The copy that contains an address, and the address of its first byte under the same alias.
  [[nodiscard]] std::pair<Copy*, std::uint32_t> find(std::uint64_t address);

  int descriptor_ = -1;
  std::uint8_t* ddr_ = nullptr;
  std::map<std::uint32_t, Copy> copies_;  ///< by the lower alias
  GdbClient* guest_ = nullptr;
  Result<void> copied_;
};

}  // namespace macaw::app::fvp
