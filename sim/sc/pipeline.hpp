#pragma once
#include "sim/sc/ofm_writer.hpp"
#include "sim/sc/output_unit.hpp"
#include "sim/sc/scoreboard.hpp"
#include "sim/sc/traversal.hpp"
#include "sim/sc/u55_u65/ifm_loader.hpp"
#include "sim/sc/u55_u65/mac_array.hpp"
#include "sim/sc/weight_decoder.hpp"

namespace macaw::npu::sc {

/// What a pipeline is joined to.
struct PipelineBindings {
  sc_core::sc_fifo<KernelRef>& kernels;
  sc_core::sc_vector<AxiPort>& axi;
  Scoreboard& scoreboard;
};

/// The units between the command processor and the ports that work on block operations.
class PipelineModule : public sc_core::sc_module {
 public:
  using sc_core::sc_module::sc_module;
  /// Queues that are not empty, "mac_steps 3, columns 1": what waits in front of which unit.
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

/// Of U55 and U65.
class Pipeline : public PipelineModule {
 public:
  Pipeline(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings, Pmu& pmu);
  [[nodiscard]] std::string queues() const override;

 private:
  SharedRam ram_;
  Traversal traversal_;
  IfmLoader ifm_loader_;
  WeightDecoder weight_decoder_;
  MacArray mac_array_;
  OutputUnit output_unit_;
  OfmWriter ofm_writer_;

  sc_core::sc_fifo<StepRef> ifm_steps_, weight_steps_, mac_steps_, elementwise_steps_;
  sc_core::sc_fifo<JobRef> blocks_, accumulated_;
  sc_core::sc_fifo<std::uint64_t> weight_blocks_;
  sc_core::sc_fifo<OutputSlice> slices_;
};

}  // namespace macaw::npu::sc
