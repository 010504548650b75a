#pragma once
#include "sim/timed/axi_port.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"
#include "sim/timed/scoreboard.hpp"

namespace macaw::npu::timed {

/// Connections of a pipeline.
struct PipelineBindings {
  Fifo<KernelRef>& kernels;
  sc_core::sc_vector<AxiPort>& axi;
  Scoreboard& scoreboard;
};

/// The units between the command processor and the ports that process block operations. Each generation has its own:
/// u55_u65/pipeline.hpp, u85/pipeline.hpp.
class Pipeline : public sc_core::sc_module, public Restartable {
 public:
  using sc_core::sc_module::sc_module;
  /// Lists the queues that are not empty, "mac_steps 3, columns 1": the items waiting in front of each unit.
  [[nodiscard]] virtual std::string queues() const = 0;

 protected:
  template <class... Fifo>
  [[nodiscard]] static std::string list(const Fifo&... fifos) {
    std::string text;
    const auto add = [&](const auto& fifo) {
      const int held = fifo.num_available();
      if (held > 0) text += (text.empty() ? "" : ", ") + std::string(fifo.basename()) + " " + std::to_string(held);
    };
    (add(fifos), ...);
    return text;
  }
};

}  // namespace macaw::npu::timed
