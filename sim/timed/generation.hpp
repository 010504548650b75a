#pragma once
#include "sim/timed/core_config.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/pipeline.hpp"

#include <array>
#include <memory>
#include <string_view>

namespace macaw::npu::timed {

/// A register that limits the transactions of a side.
struct LimitRegister {
  std::string_view name;
  int side = 0;
};

/// Differences between the generations, as data, in the behaviour of the units that all of them have.
struct GenerationRules {
  bool short_bursts = false;             ///< command and scale reads are limited by short_burst
  bool join_bricks = false;              ///< contiguous bricks of an IFM are read in one transaction
  bool fetches_after_start = false;      ///< nothing is fetched for an operation before it starts
  bool tables_wait_for_data = false;     ///< a copy into a table waits until data has been sent, but not for the
                                         ///< responses
  bool copies_wait_for_start = false;    ///< a copy does not overtake the start of the previous operation
  bool copies_overlap = false;           ///< a copy is read while the previous one is written
  bool decodes_by_chunk = false;         ///< the contents of a weight stream determine its decoding time
  Beats copy_part{1};                    ///< size of the parts in which a copy is requested
  int copy_parts = 1;                    ///< parts in progress at a time
  std::array<LimitRegister, 4> limits;   ///< by REGIONCFG and QCONFIG value, sides 0, 0, 1, 1
  std::string_view memory_attributes{};  ///< array of registers that the values select, whose bit 2 is the side
};

/// The timing of a generation of NPUs (families that share a command set). Implemented in u55_u65/ and u85/; fixed for
/// the lifetime of a core.
class Generation {
 public:
  const GenerationRules rules;

  /// Creates the units between the command processor and the ports that process block operations.
  [[nodiscard]] virtual std::unique_ptr<Pipeline> pipeline(const sc_core::sc_module_name& name,
                                                           const CoreConfig& config, const PipelineBindings& bindings,
                                                           Pmu& pmu) const = 0;
  /// Sets decode_cycles and accumulators of an operation.
  virtual void set_costs(KernelRun& run, const CoreConfig& config) const = 0;
  /// Returns the longest transaction of a transfer in bytes if its side has such a limit, otherwise 0.
  [[nodiscard]] virtual double longest_transaction(const CoreConfig& config, const Transfer& transfer) const = 0;

 protected:
  constexpr explicit Generation(const GenerationRules& own) : rules(own) {}
  ~Generation() = default;
};

namespace u55_u65 {
[[nodiscard]] const Generation& generation();
}
namespace u85 {
[[nodiscard]] const Generation& generation();
}

}  // namespace macaw::npu::timed
