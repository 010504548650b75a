#pragma once
#include "workflow/energy/table.hpp"

namespace macaw::energy {

/// An event of a run with what all of it took.
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
  bool has_cpu = false;                ///< the CPU's part is in the sums, and in the time of the milliwatts
  std::vector<const Event*> left_out;  ///< that the run has and the table has not
};

/// kInvalidFile for a report that does not say how wide its multiply-accumulates are.
[[nodiscard]] Result<Energy> energy_of(const npu::RunRecord& run, const Table& table);

[[nodiscard]] std::string to_text(const Energy& energy);

}  // namespace macaw::energy
