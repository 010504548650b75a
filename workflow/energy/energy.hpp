#pragma once
#include "workflow/energy/table.hpp"

namespace macaw::energy {

/// An event of a run with its total energy.
struct Part {
  const Cost* cost = nullptr;
  double count = 0;
  Range joules;
};

/// Energy of a run from a cost table, always as a range.
struct Energy {
  const Table* table = nullptr;
  std::vector<Part> parts;
  Range joules, milliwatts;
  bool has_cpu = false;                ///< the sums include the CPU's part, and the power includes its time
  std::vector<const Event*> left_out;  ///< events of the run that the table does not cover
};

/// kInvalidFile for a report that does not state the width of its multiply-accumulates.
[[nodiscard]] Result<Energy> energy_of(const npu::RunRecord& run, const Table& table);

[[nodiscard]] std::string to_text(const Energy& energy);

}  // namespace macaw::energy
