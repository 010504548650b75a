#include "workflow/report/forms/access_cycles.hpp"

#include <array>

namespace macaw::report {

std::uint64_t busy_cycles(const npu::OperationTiming& operation, std::string_view unit) {
  for (const auto& [name, cycles] : operation.busy)
    if (name == unit) return cycles;
  return 0;
}

std::uint64_t access_cycles(const npu::RunRecord& run, const Layer& layer, int side) {
  struct Mover {
    std::string_view unit, purpose;
  };
  constexpr std::array<Mover, 4> kMovers{
      {{"ifm_read", "ifm"}, {"weight_read", "weights"}, {"ofm_write", "ofm"}, {"dma", "source"}}};
  std::uint64_t sum = 0;
  for (const auto i : layer.operations)
    for (const auto& m : run.operations[i].memory)
      for (const auto& [unit, purpose] : kMovers)
        if (m.purpose == purpose && run.region_side[static_cast<std::size_t>(m.region)] == side)
          sum += busy_cycles(run.operations[i], unit);
  return sum;
}

}  // namespace macaw::report
