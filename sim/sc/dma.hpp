#pragma once
#include "sim/sc/core_config.hpp"
#include "sim/sc/scoreboard.hpp"

namespace macaw::npu::sc {

/// Memory-to-memory copies, one job after the other. The reading process waits for a job and for its reads to be
/// issued; the writing process for the data of each part, and at the end for the last response.
class Dma : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<DmaRef>> jobs;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side
  sc_core::sc_port<ScoreboardInterface> scoreboard;

  SC_HAS_PROCESS(Dma);
  Dma(const sc_core::sc_module_name& name, const CoreConfig& config);

 private:
  /// Part of a job that has been requested.
  struct Part {
    DmaRef job;
    Ticks arrived = 0;
    std::uint64_t write_beats = 0;  ///< due once it is there, counted from the start of the job
    bool last = false;
    friend std::ostream& operator<<(std::ostream& os, const Part& part) { return os << part.write_beats; }
  };

  void read();
  void write();

  const CoreConfig& config_;
  BurstCursor read_cursor_, write_cursor_;
  AxiRequest read_request_, write_request_;
  sc_core::sc_fifo<Part> parts_;
  sc_core::sc_event job_done_;
};

}  // namespace macaw::npu::sc
