#include "sim/config/operation_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macaw::npu {
namespace {

struct OperationKind {
  std::string_view accelerator;
  std::uint64_t least_cycles;
  double half_width, coverage;  ///< as in KindInterval
  int layers, in_networks;      ///< number of layers that it is derived from
};
constexpr OperationKind kKinds[] = {
#define MACAW_OPERATION_INTERVAL(accelerator, least, half_width, coverage, layers, in_networks) \
  {accelerator, least, (half_width) / 100.0, (coverage) / 100.0, layers, in_networks},
#include "sim/config/operation_intervals.def"
#undef MACAW_OPERATION_INTERVAL
};

constexpr std::string_view kMeasured[] = {"NPU_OP_CONV", "NPU_OP_DEPTHWISE"};

}  // namespace

std::optional<CyclesInterval> operation_interval(std::string_view accelerator, std::string_view name,
                                                 std::uint64_t cycles) {
  if (std::ranges::find(kMeasured, name) == std::end(kMeasured)) return {};
  const auto kind = std::ranges::find(kKinds, accelerator, &OperationKind::accelerator);
  if (kind == std::end(kKinds) || cycles < kind->least_cycles) return {};
  const auto middle = static_cast<double>(cycles);
  return CyclesInterval{.low = static_cast<std::uint64_t>(std::floor(middle * (1 - kind->half_width))),
                        .high = static_cast<std::uint64_t>(std::ceil(middle * (1 + kind->half_width))),
                        .coverage = kind->coverage,
                        .basis = fmt::format("{} single layers and {} inside networks on {}", kind->layers,
                                             kind->in_networks, kind->accelerator)};
}

}  // namespace macaw::npu
