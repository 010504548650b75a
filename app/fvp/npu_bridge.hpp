#pragma once
#include <macaw/device.h>

#include <functional>
#include <map>

#include "app/fvp/application.hpp"
#include "app/fvp/guest_memory.hpp"
#include "app/fvp/instruction_counter.hpp"
#include "app/fvp/interrupt_line.hpp"
#include "app/fvp/thumb_access.hpp"

namespace macaw::app::fvp {

/// The NPU in the application's memory map: the guest stops before each access to its registers, which is executed
/// here. A job runs to its next interrupt within the access that starts it.
class NpuBridge {
 public:
  static constexpr std::uint32_t kWindowBytes = 0x1000;

  /// `go_on` is called from time to time while a job runs; an error ends the run.
  [[nodiscard]] static Result<std::unique_ptr<NpuBridge>> create(const Application& application, GdbClient& guest,
                                                                 GuestMemory& memory, InterruptLine& interrupt,
                                                                 GoOn go_on);
  ~NpuBridge() { macaw_device_destroy(device_); }
  NpuBridge(const NpuBridge&) = delete;
  NpuBridge& operator=(const NpuBridge&) = delete;

  /// Sets the watchpoints, also on the platform's CPUID if QEMU's CPU has another value; called once, before the guest
  /// runs.
  [[nodiscard]] Result<void> attach();
  /// Executes the access that the guest has stopped at.
  [[nodiscard]] Result<void> access();

  [[nodiscard]] unsigned jobs() const { return jobs_; }  ///< that have ended
  /// How the last job was started, as options of `macaw sim` that give the same cycles; empty before the first job.
  [[nodiscard]] const std::string& settings() const { return settings_; }
  /// Null: they are not counted.
  [[nodiscard]] const std::optional<InstructionCounter>& instructions() const { return instructions_; }
  /// Called when a job has ended, with its number from 1 on.
  std::function<Result<void>(const macaw_device&, unsigned)> job_ended;

 private:
  NpuBridge(const Platform& platform, GdbClient& guest, GuestMemory& memory, InterruptLine& interrupt, GoOn go_on)
      : platform_(platform), guest_(guest), memory_(memory), interrupt_(interrupt), go_on_(std::move(go_on)) {}
  // The callbacks of the device; `user` is the bridge.
  static void* find_memory(void* user, std::uint64_t address, std::uint64_t* size);
  static void before_access(void* user, std::uint64_t address, std::uint64_t size);
  static void after_write(void* user, std::uint64_t address, std::uint64_t size);

  [[nodiscard]] Result<std::uint32_t> read(std::uint32_t offset);
  [[nodiscard]] Result<void> write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] Result<std::uint32_t> read(const char* name);
  [[nodiscard]] Result<void> run_job();
  [[nodiscard]] std::string describe_settings() const;
  [[nodiscard]] Result<void> load(const ThumbAccess& access, std::uint32_t offset);
  [[nodiscard]] Result<void> store(const ThumbAccess& access, const CpuRegisters& registers, std::uint32_t offset);
  [[nodiscard]] Result<void> skip(const ThumbAccess& access, const CpuRegisters& registers);

  const Platform& platform_;
  GdbClient& guest_;
  GuestMemory& memory_;
  InterruptLine& interrupt_;
  GoOn go_on_;
  std::optional<InstructionCounter> instructions_;
  macaw_device* device_ = nullptr;
  std::uint32_t command_ = 0, reset_ = 0;  ///< offsets of CMD and RESET
  bool running_ = false;
  unsigned jobs_ = 0;
  std::map<std::uint32_t, std::uint32_t> written_;  ///< by offset: registers whose reading would take NPU time
  std::string settings_;
};

}  // namespace macaw::app::fvp
