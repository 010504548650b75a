#pragma once
#include "sim/sc/core_config.hpp"
#include "sim/sc/scoreboard.hpp"

#include <variant>

namespace macaw::npu::sc {

struct KernelWait {
  std::uint64_t outstanding = 0;
};
struct DmaWait {
  std::uint64_t outstanding = 0;
};
struct Stop {};

/// What the command stream tells the front end to do, without the register writes in between.
struct Instruction {
  std::size_t command = 0;      ///< index in the stream
  std::uint64_t words_end = 0;  ///< words of the stream up to and with this command
  std::variant<KernelRef, DmaRef, KernelWait, DmaWait, Stop> action;
};

/// Front end: fetches the command stream through its port, parses it word by word and issues operations. Waits for
/// stream words, for the limits of outstanding operations, for KERNEL_WAIT and DMA_WAIT, and at STOP for everything.
class CommandProcessor : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_out_if<KernelRef>> kernels;
  sc_core::sc_port<sc_core::sc_fifo_out_if<DmaRef>> dmas;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(CommandProcessor);
  CommandProcessor(const sc_core::sc_module_name& name, const CoreConfig& config, std::vector<Instruction> program,
                   std::uint64_t stream_words, Scoreboard& scoreboard, Pmu& pmu);

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
  void parse();
  void parse_words(std::uint64_t end);
  void issue(const KernelRef& run);
  void issue_chain();
  void issue(const DmaRef& run);

  const CoreConfig& config_;
  std::vector<Instruction> program_;
  std::uint64_t stream_words_;
  Scoreboard& scoreboard_;
  Pmu& pmu_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  sc_core::sc_fifo<Piece*> fetched_;
  std::uint64_t parsed_ = 0, here_ = 0;  ///< words parsed; of those fetched, not yet parsed
  std::vector<KernelRef> chain_;         ///< parsed, not issued
  KernelRef last_kernel_;
  bool stopped_ = false;
  Ticks end_ = 0;
};

}  // namespace macaw::npu::sc
