#pragma once
#include "app/fvp/gdb_client.hpp"

#include <memory>
#include <vector>

namespace macaw::app::fvp {

/// The memory of QEMU's machine mps3-an547 as the NPU reaches it: its DDR is shared with QEMU; of the small memories
/// inside the subsystem, which QEMU keeps to itself, the NPU works on copies that go back after the job.
class GuestMemory {
 public:
  static constexpr std::uint32_t kDdrBase = 0x60000000;
  static constexpr std::uint64_t kDdrBytes = std::uint64_t{2} << 30;

  [[nodiscard]] static Result<std::unique_ptr<GuestMemory>> create();
  ~GuestMemory();
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  /// Of a file that QEMU maps as the DDR.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Whether the CPU has memory at all of these addresses.
  [[nodiscard]] static bool is_memory(std::uint64_t address, std::uint64_t bytes);
  /// From an address to the end of the memory that it lies in; empty: there is none.
  [[nodiscard]] std::span<std::uint8_t> from(std::uint64_t address);
  /// Copies are taken again when they are asked for: a job is about to start.
  void start_job(GdbClient& guest);
  /// Writes back what the job changed in copies. kIo, also if a copy could not be made.
  [[nodiscard]] Result<void> end_job();
  [[nodiscard]] std::span<const std::uint8_t> ddr() const { return {ddr_, kDdrBytes}; }

 private:
  struct Copy {
    std::uint32_t base = 0;
    std::vector<std::uint8_t> bytes, before;
    bool taken = false;
  };
  GuestMemory() = default;

  int descriptor_ = -1;
  std::uint8_t* ddr_ = nullptr;
  std::vector<std::unique_ptr<Copy>> copies_;
  GdbClient* guest_ = nullptr;
  Result<void> copied_;
};

}  // namespace macaw::app::fvp
