#include "sim/datapath/execute.hpp"
#include "sim/datapath/conv.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/datapath/input_map.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/operation_maps.hpp"
#include "sim/datapath/pool.hpp"
#include "sim/datapath/resize.hpp"
#include "sim/datapath/work.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// On U55 and U65 a maximum is never scaled, regardless of OFM_SCALE: under the global scale Vela 5.0 writes 1 over the
/// window's area there, and Arm's platform returns yolo-fastest's outputs (CRC32 5B9BFCEC and 772F633F on all six
/// configurations) only if that is ignored. On U85 the global scale applies (1 in Vela's TFLite networks); without it
/// OFM_SCALE has the value of an earlier operation.
bool is_unscaled_maximum(const BlockOperation& op) {
  if (op.kind != OpKind::kPool || op.pool != PoolMode::kMax) return false;
  return !traits(op.family).scales_maximum || (op.scale_per_channel && !op.has_scales());
}

Result<ChannelScaling> channel_scaling(const BlockOperation& op, const MemoryMap& memory) {
  const int bits = accumulator_bits(op.acc_format);
  if (is_unscaled_maximum(op)) return ChannelScaling(Scaling{}, op.ofm.c, bits);
  if (!op.has_scales()) {
    // An average derives its multiplier from the window instead. On U85 Vela 5.0 writes the constants of the window to
    // OFM_SCALE and later versions a scale of 1, and Arm's platform divides once for the former; Vela does not fuse a
    // scale with an average (ethosu/regor/architecture/ethosu85/ethos_u85_constraints.cpp, SupportedOFMQuant).
    const bool unscaled = op.divides_by_valid_taps();
    return ChannelScaling(unscaled ? Scaling{} : op.ofm_scale, op.ofm.c, bits);
  }
  MACAW_ASSIGN(auto entries, load_scales(op, memory));
  if (!op.scale_per_channel) {
    for (auto& entry : entries) {
      entry.scale = op.ofm_scale.scale;
      entry.shift = op.ofm_scale.shift;
    }
  }
  return ChannelScaling(entries, op.ofm_scale.rounding, bits);
}

/// CONV, DEPTHWISE and POOL use accumulators; the others do not.
bool accumulates(const BlockOperation& op) {
  return op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise || op.kind == OpKind::kPool;
}

bool passes_accumulators(const BlockOperation& op) { return op.kind == OpKind::kPool && op.pool == PoolMode::kNone; }

Result<void> check(const BlockOperation& op) {
  const auto& generation = datapath::generation(op.family);
  // This limit also applies to an OFM that is not written to memory.
  if (Int128{op.ofm.h} * op.ofm.w * op.ofm.c > kMaxElements)
    return fail(ErrorCode::kUnsupported,
                fmt::format("OFM: {}x{}x{} is more than {} elements", op.ofm.h, op.ofm.w, op.ofm.c, kMaxElements));
  if (op.acc_format == AccFormat::kF16) return fail(ErrorCode::kUnsupported, "16-bit floating-point accumulators");
  MACAW_CHECK(generation.check(op));
  const bool mac = op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise;
  if (mac && op.ifm.bits > generation.convolution_bits())
    return fail(ErrorCode::kHardwareFault, fmt::format("a convolution does not take a {}-bit IFM", op.ifm.bits));
  if (op.kind == OpKind::kPool && op.ifm.bits > 32 && !passes_accumulators(op))
    return fail(ErrorCode::kHardwareFault, fmt::format("a pool does not take a {}-bit IFM", op.ifm.bits));
  if ((op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.pool != PoolMode::kReduceSum)) &&
      op.ifm.c != op.ofm.c)
    return fail(ErrorCode::kHardwareFault, fmt::format("IFM depth {} is not OFM depth {}", op.ifm.c, op.ofm.c));
  return {};
}

/// Returns the initial accumulators of an operation, [h][w][c]; empty if they are zero.
Result<std::vector<std::int64_t>> initial_accumulators(const BlockOperation& op, const FeatureMapView* ifm2,
                                                       const MemoryMap& memory) {
  if (op.acc_input == AccInput::kKeep) {
    if (!memory.core || memory.core->accumulators.values.empty())
      return fail(ErrorCode::kHardwareFault, "no earlier operation kept its accumulators");
    auto kept = std::move(memory.core->accumulators);
    memory.core->accumulators = {};
    if (kept.h != op.ofm.h || kept.w != op.ofm.w || kept.c != op.ofm.c)
      return fail(ErrorCode::kHardwareFault, fmt::format("accumulators of {}x{}x{} were kept for an OFM of {}x{}x{}",
                                                         kept.h, kept.w, kept.c, op.ofm.h, op.ofm.w, op.ofm.c));
    return std::move(kept.values);
  }
  if (op.acc_input != AccInput::kIfm2) return std::vector<std::int64_t>{};
  const std::ptrdiff_t row = std::ptrdiff_t{op.ofm.w} * op.ofm.c;
  std::vector<std::int64_t> values(static_cast<std::size_t>(row) * static_cast<std::size_t>(op.ofm.h));
  for (int y = 0; y < op.ofm.h; ++y) ifm2->read_row(y, values.data() + y * row, op.ofm.c);
  return values;
}

/// Inputs of an operation; absent if it has none.
struct Inputs {
  std::optional<FeatureMapView> ifm, ifm2;
};
Result<Inputs> open_inputs(const BlockOperation& op, const MemoryMap& memory) {
  Inputs in;
  if (reads_ifm(op)) {
    MACAW_ASSIGN(in.ifm, open_input(op.ifm, memory, "IFM"));
  }
  if (reads_ifm2(op)) {
    MACAW_ASSIGN(in.ifm2, open_input(op.ifm2, memory, "IFM2"));
  }
  return in;
}

Result<void> compute(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory,
                     const Inputs& in, const Execution& execution, OutputRows& out) {
  const FeatureMapView* ifm2 = in.ifm2 ? &*in.ifm2 : nullptr;
  const bool scalar = execution.scalar;
  if (accumulates(op)) {
    MACAW_ASSIGN(auto scaling, channel_scaling(op, memory));
    out.scale_with(std::move(scaling), scalar);
  }
  switch (op.kind) {
    case OpKind::kConv:
    case OpKind::kDepthwise: {
      if (op.weights_from_ifm2) return multiply_matrices(op, *in.ifm, *ifm2, scalar, out);
      if (!execution.values) {
        MACAW_CHECK(execution.weights ? execution.weights->check(op, accelerator, memory)
                                      : check_weights(op, accelerator, memory));
        MACAW_CHECK(load_input<std::int16_t>(op, *in.ifm, true, 1, out.workers()));
        return {};
      }
      MACAW_ASSIGN(const auto weights, execution.weights ? execution.weights->get(op, accelerator, memory, scalar)
                                                         : prepare_weights(op, accelerator, memory, scalar));
      return op.kind == OpKind::kConv ? convolve(op, *in.ifm, *weights, out)
                                      : convolve_depthwise(op, *in.ifm, *weights, out);
    }
    case OpKind::kPool: {
      if (!passes_accumulators(op)) return pool(op, *in.ifm, out);
      pass_accumulators(op, out);
      return {};
    }
    case OpKind::kElementwise:
      return datapath::generation(op.family).elementwise(op, in.ifm ? &*in.ifm : nullptr, ifm2, scalar, out);
    case OpKind::kResize: return resize(op, *in.ifm, out);
  }
  return fail(ErrorCode::kUnsupported, "an unknown kind of operation");
}

/// Minimum work of an operation to be shared between threads.
constexpr std::int64_t kSharedWork = std::int64_t{1} << 18;

bool in_memory(const FeatureMap& map) { return map.storage == Storage::kTile2x2 || map.storage == Storage::kTile3x1; }

}  // namespace

bool reads_ifm(const BlockOperation& op) {
  return !passes_accumulators(op) && !(op.kind == OpKind::kElementwise && op.ifm_broadcast.scalar);
}

bool reads_ifm2(const BlockOperation& op) { return op.has_ifm2() && op.kind != OpKind::kResize; }

std::int64_t work(const BlockOperation& op) {
  const Int128 elements = Int128{op.ofm.h} * op.ofm.w * op.ofm.c;
  Int128 each = 1;
  if (accumulates(op)) each *= Int128{op.kernel.taps_y()} * op.kernel.taps_x();
  if (op.kind == OpKind::kConv || (op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum)) each *= op.ifm.c;
  // Weights are decoded again for every operation.
  const Int128 weights = op.has_weights() ? each * op.ofm.c : Int128{0};
  const Int128 total = elements * each + (elements + weights) * Work::kElement;
  return static_cast<std::int64_t>(std::min<Int128>(total, INT64_MAX));
}

Result<void> check_addresses(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  MACAW_CHECK(check(op));
  if (reads_ifm(op) && in_memory(op.ifm)) MACAW_CHECK(open_input(op.ifm, memory, "IFM"));
  if (op.has_ifm2() && op.kind != OpKind::kResize && in_memory(op.ifm2))
    MACAW_CHECK(open_input(op.ifm2, memory, "IFM2"));
  if (in_memory(op.ofm)) MACAW_CHECK(open_output(op, memory));
  if (op.has_scales()) MACAW_CHECK(check_scale_streams(op, memory));
  if (op.has_weights()) MACAW_CHECK(check_weight_streams(op, accelerator, memory));
  return {};
}

Result<Footprint> execute(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory,
                          const Execution& execution) {
  MACAW_CHECK(check(op));
  MACAW_ASSIGN(const Inputs in, open_inputs(op, memory));
  MACAW_ASSIGN(OutputMap target, open_output(op, memory));
  MACAW_ASSIGN(auto stage, datapath::generation(op.family).output_stage(op, accelerator, memory));
  Footprint footprint;
  if (in.ifm && in_memory(op.ifm)) footprint.ifm = in.ifm->range();
  if (in.ifm2 && in_memory(op.ifm2)) footprint.ifm2 = in.ifm2->range();
  if (target.view && in_memory(op.ofm)) footprint.ofm = target.view->range();

  OutputRows out(std::move(stage), op, target.view);
  if (!execution.values) out.share_with(&Workers::check_only());
  else if (execution.share_all || work(op) >= kSharedWork) out.share_with(execution.workers);
  const bool keeps = accumulates(op) && !op.acc_output;
  CoreState::Accumulators kept;
  if (accumulates(op)) {
    MACAW_ASSIGN(auto initial, initial_accumulators(op, in.ifm2 ? &*in.ifm2 : nullptr, memory));
    if (!initial.empty()) out.start_from(std::move(initial));
    if (keeps) {
      if (!memory.core) return fail(ErrorCode::kHardwareFault, "there is no place to keep accumulators");
      const std::int64_t elements = std::int64_t{op.ofm.h} * op.ofm.w * op.ofm.c;
      kept = {op.ofm.h, op.ofm.w, op.ofm.c, std::vector<std::int64_t>(static_cast<std::size_t>(elements))};
      out.keep_in(kept.values);
    }
  }
  MACAW_CHECK(compute(op, accelerator, memory, in, execution, out));
  if (execution.values) out.finish();
  if (keeps) {
    memory.core->accumulators = std::move(kept);
  } else if (memory.core) {
    memory.core->result_flag = out.result_flag();
  }
  commit(op, memory, std::move(target));
  return footprint;
}

Result<Stages> stages(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  MACAW_CHECK(check(op));
  if (op.acc_input == AccInput::kKeep) return fail(ErrorCode::kUnsupported, "accumulators of an earlier operation");
  MACAW_ASSIGN(const Inputs in, open_inputs(op, memory));
  MACAW_ASSIGN(auto stage, datapath::generation(op.family).output_stage(op, accelerator, memory));
  OutputRows out(std::move(stage), op, std::nullopt);
  Stages stages;
  out.show_in(stages);
  if (accumulates(op)) {
    MACAW_ASSIGN(auto initial, initial_accumulators(op, in.ifm2 ? &*in.ifm2 : nullptr, memory));
    if (!initial.empty()) out.start_from(std::move(initial));
  }
  MACAW_CHECK(compute(op, accelerator, memory, in, {}, out));
  return stages;
}

}  // namespace macaw::npu
