#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/scoreboard.hpp"

namespace macaw::npu::timed {

/// Writes OFM blocks to memory, slice by slice, and reports a block when its last response has arrived. Waits for a
/// slice and until its data has been accepted; a second process waits for the responses.
class OfmWriter : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<Fifo<OutputSlice>> slices;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side
  sc_core::sc_port<ScoreboardInterface> scoreboard;

  SC_HAS_PROCESS(OfmWriter);
  OfmWriter(const sc_core::sc_module_name& name, const CoreConfig& config);

  void restart() override { clear(written_); }

 private:
  struct Written {
    JobRef job;
    Ticks ready{};  ///< its last response has arrived
  };

  void write();
  void retire();

  const CoreConfig& config_;
  AxiRequest request_;
  Fifo<Written> written_;
  Activity activity_;
};

}  // namespace macaw::npu::timed
