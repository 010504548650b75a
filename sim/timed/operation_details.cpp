#include "sim/blocks/generation.hpp"
#include "sim/config/cost.hpp"
#include "sim/isa/command_table.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/movements.hpp"

#include <algorithm>

namespace macaw::npu::timed {
namespace {

std::string code_name(Family family, std::string_view enumeration, unsigned code) {
  const auto* row = find_enumeration(family, enumeration);
  if (row == nullptr) return {};
  for (const auto& value : row->values())
    if (value.code == code) return std::string(std::string_view(value.name));
  return {};
}

std::string mode_of(const BlockOperation& op) {
  switch (op.kind) {
    case OpKind::kConv:
    case OpKind::kDepthwise: return {};
    case OpKind::kPool: return code_name(op.family, "pooling_mode", static_cast<unsigned>(op.pool));
    case OpKind::kElementwise: return code_name(op.family, "elementwise_mode", static_cast<unsigned>(op.elementwise));
    case OpKind::kResize: return code_name(op.family, "resize_mode", static_cast<unsigned>(op.resize));
  }
  return {};
}

std::array<int, 3> extents(const FeatureMap& map) { return {map.h, map.w, map.c}; }

/// 1 if there is nothing.
double filled(int used, int granule) {
  if (used <= 0 || granule <= 0) return 1;
  return static_cast<double>(used) / ((used + granule - 1) / granule * granule);
}

LaneShares lane_shares(const BlockOperation& op, const OperationDetails& details, std::uint64_t macs, int array) {
  LaneShares lanes;
  lanes.channels = filled(op.ofm.c, details.granule);
  lanes.positions = filled(op.ofm.h, details.ublock[0]) * filled(op.ofm.w, details.ublock[1]);
  lanes.inputs = filled(op.ifm.c, blocks::generation(op.family).input_granule(op));
  lanes.bits = 8.0 / op.ifm.bits;
  const double used = static_cast<double>(macs) / (static_cast<double>(details.mac_cycles) * array);
  lanes.kernel = used / lanes.product();
  return lanes;
}

}  // namespace

void add_details(OperationTiming& timing, const BlockOperation& op, const WalkTotals& totals,
                 const Accelerator& accelerator) {
  OperationDetails& details = timing.details.emplace();
  details.mode = mode_of(op);
  details.ifm = extents(op.ifm);
  details.ofm = extents(op.ofm);
  if (op.has_ifm2()) details.ifm2 = extents(op.ifm2);
  details.ifm_bits = op.ifm.bits;
  details.ofm_bits = op.ofm.bits;
  details.kernel = {op.kernel.taps_y(), op.kernel.taps_x()};
  details.stride = {op.kernel.stride_y, op.kernel.stride_x};
  details.dilation = {op.kernel.dilation_y, op.kernel.dilation_x};
  if (op.upscale != Upscale::kNone)
    details.upscale = code_name(op.family, "ifm_upscale_mode", static_cast<unsigned>(op.upscale));
  details.table = op.activation.function != ActivationFunction::kNone;
  details.block = {op.block.h, op.block.w, op.block.c};
  const Hwc& ublock = op.ublock.c != 0 ? op.ublock : accelerator.ofm_ublock;
  details.ublock = {ublock.h, ublock.w, ublock.c};
  details.granule = ublock.c * active_cores(op, accelerator);
  details.mac_cycles = totals.mac_active;
  if (timing.macs != 0 && totals.mac_active != 0)
    details.lanes = lane_shares(op, details, timing.macs, accelerator.macs);
}

void add_output_cost(OperationTiming& timing, const BlockOperation& op, const Params& params) {
  if (!timing.details) return;
  const auto cost = output_cost(op, params);
  timing.details->output_cycles = params.*cost;
  timing.details->output_lanes = CoreConfig::count(params.ao_lanes);
  const auto rows = all_params();
  const auto row = std::ranges::find(rows, cost, &ParamInfo::member);
  if (row != rows.end()) timing.details->output_rule = row->name;
}

}  // namespace macaw::npu::timed
