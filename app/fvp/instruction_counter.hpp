#pragma once
#include <vector>

#include "app/fvp/gdb_client.hpp"

namespace macaw::app::fvp {

/// Counts the instructions that the guest's CPU executes before each job of the NPU. With kIcount, QEMU's clock goes on
/// by 32 ns with each of them; the counter of the board's FPGA (FPGAIO COUNTER, at 20 MHz in QEMU) shows that clock.
/// Whenever the CPU stands still, as in front of the NPU's registers, that clock goes to the next event of a timer
/// (icount_start_warp_timer() of QEMU's softmmu/icount.c): there is no count while a timer runs.
class InstructionCounter {
 public:
  static constexpr const char* kIcount = "shift=5,align=off,sleep=off";

  explicit InstructionCounter(GdbClient& guest) : guest_(guest) {}

  /// A job starts. The guest has stopped.
  [[nodiscard]] Result<void> start_job();

  /// A line for each job, "job,cpu_instructions_before": those between it and the one before, to within two; nothing
  /// where they are not known.
  [[nodiscard]] std::string csv() const;
  /// A line of text; empty before the first job.
  [[nodiscard]] std::string summary() const;

 private:
  /// Absent: the guest may not read there.
  [[nodiscard]] std::optional<std::uint32_t> read(std::uint32_t address);
  /// Whether the clock follows the instructions.
  [[nodiscard]] bool is_steady();

  GdbClient& guest_;
  std::uint32_t last_ = 0;
  bool was_steady_ = true;
  std::vector<std::optional<std::uint64_t>> before_jobs_;
};

}  // namespace macaw::app::fvp
