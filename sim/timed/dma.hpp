#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/condition.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/scoreboard.hpp"

namespace macaw::npu::timed {

/// Memory-to-memory copies. The reading process waits for a job, for room in the read buffer and until its reads have
/// been issued; the writing process for the data of each part; a third one for the last response. U55 and U65 finish a
/// job before they start the next, U85 continues to read.
class Dma : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<DmaRef>> jobs;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side
  sc_core::sc_port<ScoreboardInterface> scoreboard;

  SC_HAS_PROCESS(Dma);
  Dma(const sc_core::sc_module_name& name, const CoreConfig& config);

  void restart() override;

 private:
  /// Part of a job that has been requested.
  struct Part {
    DmaRef job;
    Ticks ready{};        ///< its data has arrived
    Beats write_beats{};  ///< to be written once the data has arrived, counted from the start of the job
    Beats words{};        ///< of the read buffer, one per beat
    bool last = false;
  };

  struct Finished {
    DmaRef job;
    Ticks ready{};  ///< the last response has arrived
  };

  void read();
  void read_indices(const TransferList& indices);
  void read_data(const DmaRef& job);
  void write();
  void retire();

  const CoreConfig& config_;
  const bool overlap_;
  Beats words_, held_;  ///< size of the read buffer, and words in use
  BurstCursor read_cursor_, write_cursor_;
  AxiRequest read_request_, write_request_;
  Fifo<Part> parts_;
  Fifo<Finished> finished_;
  Condition released_, job_done_;
  int under_way_ = 0;  ///< jobs in progress
  Activity activity_;
};

}  // namespace macaw::npu::timed
