#pragma once
#include <macaw/device.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace macaw::accel {

constexpr std::uint64_t kPage = 4096;  ///< buffer objects are whole pages

/// Counts that a program takes while its jobs run, added up over the jobs.
struct Perfmon {
  std::vector<std::uint16_t> events;  ///< hardware numbers, at most Npu::counters()
  std::vector<std::uint64_t> values;  ///< one for each event, and the cycles
};

/// An NPU as Linux's driver sets it up, with its own SRAM and with memory at bus addresses. Used by one thread at a
/// time.
class Npu {
 public:
  struct Setup {
    std::string accelerator, system;  ///< as for macaw_device_create(); empty system: the default
    std::uint32_t sram_size = 0;
    std::string report_folder;  ///< folder for the reports of job_1, job_2, ...; empty: no reports
  };

  explicit Npu(Setup setup);
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;
  ~Npu();

  /// The reason why the NPU could not be created; empty if it was.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] std::uint32_t config() const { return config_; }
  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] std::uint32_t counters() const { return counters_; }  ///< event counters

  /// Assigns a bus address to bytes of this process.
  [[nodiscard]] std::uint64_t attach(std::byte* bytes, std::uint64_t size);
  void detach(std::uint64_t address);

  struct Job {
    std::uint64_t stream = 0;
    std::uint32_t stream_size = 0;
    std::array<std::uint64_t, 8> base{};
    std::array<bool, 8> has_base{};
    bool uses_sram = false;
    std::shared_ptr<Perfmon> perfmon;  ///< null: counts nothing, unless there is a global monitor
  };
  /// Runs the job to its end. Returns an empty string, or why it ended early in the words of the kernel's log.
  [[nodiscard]] std::string run(const Job& job);

  /// Adds what has been counted to the values of a monitor, if it is the one that counts, and stops it.
  void stop(const std::shared_ptr<Perfmon>& perfmon);
  /// Forgets a monitor: it stops without its counts.
  void remove(const std::shared_ptr<Perfmon>& perfmon);
  [[nodiscard]] bool counts() const { return active_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<Perfmon>& global() const { return global_; }
  void set_global(std::shared_ptr<Perfmon> perfmon) { global_ = std::move(perfmon); }

 private:
  struct Memory {
    std::byte* bytes;
    std::uint64_t size;
  };
  static void* memory_at(void* self, std::uint64_t address, std::uint64_t* size);
  bool check(macaw_device_status status);
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  std::uint32_t pmu(const char* name, std::uint32_t index = 0);  ///< reads a register of the performance monitor
  void set_pmu(const char* name, std::uint32_t value, std::uint32_t index = 0);
  void start(const std::shared_ptr<Perfmon>& perfmon);
  void reset();
  void set_up();  ///< registers and SRAM as Linux leaves them after a reset

  Setup setup_;
  std::string problem_;
  std::uint32_t id_ = 0, config_ = 0, counters_ = 0;
  std::shared_ptr<Perfmon> active_, global_;  ///< the monitor that counts, and the one for all jobs
  std::map<std::uint64_t, Memory> memories_;  // by bus address
  std::uint64_t next_address_, sram_address_ = 0;
  std::byte* sram_ = nullptr;
  macaw_device* device_ = nullptr;
  unsigned jobs_ = 0;
};

}  // namespace macaw::accel
