#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/scoreboard.hpp"

#include <functional>
#include <utility>
#include <variant>

namespace macaw::npu::timed {

struct KernelWait {
  std::uint64_t outstanding = 0;
};
struct DmaWait {
  std::uint64_t outstanding = 0;
};
struct Stop {};
/// NPU_OP_IRQ: interrupts the host and continues.
struct Interrupt {
  std::uint16_t mask = 0;
};
/// NPU_OP_PMU_MASK: whether the counters of the performance monitor count, if they observe the mask.
struct MaskCounters {
  bool count = false;
};
struct Pass {};  ///< takes only the time of its words: a branch

/// Actions of the front end in a command stream, without the register writes between them.
struct Instruction {
  std::size_t command = 0;      ///< index in the stream
  std::uint64_t words_end = 0;  ///< words executed up to and including this command
  std::variant<KernelRef, DmaRef, KernelWait, DmaWait, Pass, Interrupt, MaskCounters, Stop> action;
};

/// Source of the front end's instructions, in the order of execution.
class Instructions {
 public:
  Instructions() = default;
  virtual ~Instructions() = default;
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;
  /// Returns the next instruction, valid until the next call. The last one is a Stop.
  [[nodiscard]] virtual const Instruction* next() = 0;
};

/// A command stream ready for the front end.
struct Program {
  /// Contiguous words [begin, end) of the stream; the next segment is fetched after a branch to it.
  struct Segment {
    std::uint64_t begin = 0, end = 0;
  };
  std::shared_ptr<Instructions> instructions;  ///< null: there is no program
  std::uint64_t words = 0;                     ///< number of executed words
  std::vector<Segment> segments;               ///< of all words; empty: one, from the start of the stream
};

/// Front end: fetches the command stream through its port, parses it word by word and issues operations. Waits for
/// stream words, for the limits of outstanding operations, for KERNEL_WAIT and DMA_WAIT, and at STOP for all
/// operations.
class CommandProcessor : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_out_if<KernelRef>> kernels;
  sc_core::sc_port<sc_core::sc_fifo_out_if<DmaRef>> dmas;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(CommandProcessor);
  CommandProcessor(const sc_core::sc_module_name& name, const CoreConfig& config, Scoreboard& scoreboard, Pmu& pmu);

  /// Called at the start of every program.
  std::function<void()> before_program;

  /// Runs a program from now on, or from the start of the simulation. Must not be called while one is running.
  void start(Program program);
  /// Issues no further operation; the program ends when those issued have finished.
  void stop() { stop_requested_ = running_; }
  /// Aborts the program.
  void restart() override;
  [[nodiscard]] bool running() const { return running_; }
  /// Notified when a program has ended.
  [[nodiscard]] const sc_core::sc_event& finished() const { return finished_; }
  /// Notified at NPU_OP_IRQ.
  [[nodiscard]] const sc_core::sc_event& interrupted() const { return interrupted_; }
  /// The masks of NPU_OP_IRQ since the last call.
  [[nodiscard]] std::uint16_t take_interrupts() { return std::exchange(interrupts_, std::uint16_t{0}); }
  /// Byte offset up to which the stream has been parsed.
  [[nodiscard]] std::uint32_t read_position() const;
  /// The value of the last NPU_OP_PMU_MASK, and an event for changes.
  [[nodiscard]] bool counts() const { return counts_; }
  [[nodiscard]] const sc_core::sc_event& counts_changed() const { return counts_changed_; }
  /// Whether NPU_OP_STOP was reached.
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] Ticks end() const { return end_; }

 private:
  struct Piece {
    Transfer transfer;
    BurstCursor cursor;
    AxiRequest request;
    std::uint64_t words = 0;
  };

  void fetch();
  void fetch_segment(const Program::Segment& segment);
  void parse();
  void run_program();
  void drain();
  void end_program();
  void parse_words(std::uint64_t end, std::size_t command);
  void issue(const KernelRef& run);
  void issue_chain();
  void issue(const DmaRef& run);

  const CoreConfig& config_;
  Program program_;
  Scoreboard& scoreboard_;
  Pmu& pmu_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  sc_core::sc_fifo<Piece*> fetched_;
  std::size_t next_piece_ = 0;
  std::uint64_t programs_ = 0, begun_ = 0, fetched_programs_ = 0;  ///< requested; begun; completely fetched
  sc_core::sc_event started_, begins_, parsed_changed_, finished_, interrupted_, counts_changed_;
  std::uint16_t interrupts_ = 0;
  std::uint64_t parsed_ = 0, here_ = 0;  ///< words parsed; words fetched, but not yet parsed
  std::vector<KernelRef> chain_;         ///< parsed, not issued
  std::uint64_t issued_ = 0;             ///< number of kernels, of all programs
  KernelRef last_kernel_, last_head_;
  bool running_ = false, stopped_ = false, stop_requested_ = false, counts_ = false;
  Ticks end_;
  Activity activity_;
};

}  // namespace macaw::npu::timed
