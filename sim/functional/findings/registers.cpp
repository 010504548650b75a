#include "sim/functional/findings/registers.hpp"

#include "sim/datapath/execute.hpp"
#include "sim/datapath/output_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::uint64_t kAlignment = 16, kFastWeightUnit = 32;

bool is_mac(const BlockOperation& op) { return op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise; }
bool windowed(const BlockOperation& op) { return is_mac(op) || op.kind == OpKind::kPool; }
bool has_shared_ram(const Accelerator& accelerator) { return accelerator.shram_banks > 0; }

/// Bounds are compared in the type to which they clamp (u55_u65 5.6).
bool bounds_are_signed(const BlockOperation& op) {
  switch (op.activation.clip) {
    case ClipRange::kForceUint8:
    case ClipRange::kForceInt8:
    case ClipRange::kForceInt16: return true;
    default: return op.ofm.is_signed;
  }
}

bool bounds_crossed(const BlockOperation& op) {
  // A 32-bit OFM has no bounds on U55 and U65; on U85 a table has bounds for its index.
  if (op.activation.clip == ClipRange::kNone || op.ofm.bits > 16 || op.activation.function != ActivationFunction::kNone)
    return false;
  if (bounds_are_signed(op))
    return static_cast<std::int16_t>(op.activation.min) > static_cast<std::int16_t>(op.activation.max);
  return op.activation.min > op.activation.max;
}

struct Rule {
  const char* message;
  bool (*broken)(const BlockOperation&, const Accelerator&);
};

// Sources: u55_u65 2.4, 3.2, 6.1, 6.3, 6.8; Vela ethosu/vela/tflite_supported_operators.py for the limits of a kernel.
constexpr Rule kRules[] = {
    {"the OFM block is not a whole number of micro-blocks",
     [](const BlockOperation& op, const Accelerator& a) {
       const bool chosen = a.ofm_ublocks[0] != Hwc{};  // by the operation
       const Hwc& unit = chosen ? op.ublock : a.ofm_ublock;
       return windowed(op) && (op.block.h % unit.h != 0 || op.block.w % unit.w != 0 || op.block.c % unit.c != 0);
     }},
    {"ACTIVATION_MIN is above ACTIVATION_MAX",
     [](const BlockOperation& op, const Accelerator&) { return bounds_crossed(op); }},
    {"the IFM buffers end behind the last bank of the shared RAM",
     [](const BlockOperation& op, const Accelerator& a) { return has_shared_ram(a) && op.ib_end > a.shram_banks; }},
    {"the accumulators start behind the last bank of the shared RAM",
     [](const BlockOperation& op, const Accelerator& a) {
       return has_shared_ram(a) && windowed(op) && op.ab_start >= a.shram_banks;
     }},
    {"the IFM buffers reach into the accumulators",
     [](const BlockOperation& op, const Accelerator& a) {
       return has_shared_ram(a) && windowed(op) && op.ib_end > op.ab_start;
     }},
    {"the IFM2 buffers start inside the output buffers or behind the end of the IFM buffers",
     [](const BlockOperation& op, const Accelerator& a) {
       return has_shared_ram(a) && op.kind == OpKind::kElementwise && op.has_ifm2() &&
              (op.ib2_start < 2 || op.ib2_start > op.ib_end);
     }},
    {"a reduction over the channels has an OFM of more than one channel",
     [](const BlockOperation& op, const Accelerator&) {
       return op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum && op.ofm.c != 1;
     }},
    {"a reduction of 32-bit elements needs NHWC",
     [](const BlockOperation& op, const Accelerator&) {
       return op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum && op.ifm.bits == 32 &&
              op.ifm.storage != Storage::kChained && op.ifm.layout != Layout::kNHWC;
     }},
    {"a kernel stride of 4",
     [](const BlockOperation& op, const Accelerator&) {
       return windowed(op) && (op.kernel.stride_y > 3 || op.kernel.stride_x > 3);
     }},
    {"a convolution kernel of more than 64 rows or 4096 elements",
     [](const BlockOperation& op, const Accelerator&) {
       return is_mac(op) &&
              (op.kernel.height > 64 || std::int64_t{op.kernel.height} * op.kernel.width > std::int64_t{64} * 64);
     }},
    // Regor computes the CLZ of a constant with a scalar IFM, where the hardware supports it.
    {"both operands are scalars",
     [](const BlockOperation& op, const Accelerator&) {
       return op.kind == OpKind::kElementwise && op.ifm_broadcast.scalar &&
              (is_unary(op.elementwise) ? !traits(op.family).repeats_ifm : op.ifm2_broadcast.scalar);
     }},
    {"operands of different width",
     [](const BlockOperation& op, const Accelerator&) {
       return op.kind == OpKind::kElementwise && op.has_ifm2() && !op.ifm_broadcast.scalar &&
              op.ifm.bits != op.ifm2.bits;
     }},
    {"SHR, SHL and CLZ take 32-bit operands",
     [](const BlockOperation& op, const Accelerator&) {
       return op.kind == OpKind::kElementwise && op.ifm.bits < traits(op.family).shift_bits &&
              (op.elementwise == ElementwiseMode::kShr || op.elementwise == ElementwiseMode::kShl ||
               op.elementwise == ElementwiseMode::kClz);
     }},
};

bool aligned(std::uint64_t value, std::uint64_t to) { return value % to == 0; }
bool aligned(std::int64_t value, std::uint64_t to) { return value % static_cast<std::int64_t>(to) == 0; }

void check_map(const FeatureMap& map, std::string_view what, const RegisterProblem& problem) {
  if (map.storage == Storage::kChained || map.storage == Storage::kNone) return;
  const bool bricks = map.layout == Layout::kNHCWB16;
  const std::uint64_t to = bricks ? kAlignment : static_cast<std::uint64_t>(map.bytes());
  const auto check = [&](const char* name, auto value) {
    if (!aligned(value, to))
      problem(FindingKind::kUnaligned, fmt::format("{}_{} {} is not a multiple of {}", what, name, value, to));
  };
  const bool right = map.w > map.width0, low_left = map.h > map.height0, low_right = map.h > map.height1;
  if (map.height0 > 0 && map.width0 > 0) check("BASE0", map.base[0]);
  if (map.storage == Storage::kTile3x1) {
    if (low_left) check("BASE1", map.base[1]);
    if (map.h > map.height0 + map.height1) check("BASE2", map.base[2]);
  } else {
    if (right) check("BASE1", map.base[1]);
    if (low_left) check("BASE2", map.base[2]);
    if (right && low_right) check("BASE3", map.base[3]);
  }
  if (map.h > 1) check("STRIDE_Y", map.stride_y);
  if (bricks && map.c > 16) check("STRIDE_C", map.stride_c);
  if (!bricks && map.w > 1) check("STRIDE_X", map.stride_x);
}

/// A map that is wider or higher than its first tile continues at the base of another one. Compilers write 0 to the
/// bases of unused tiles, so a tile at 0, far from the first, was never set up. A buffer that is refilled from its
/// start may legitimately be at 0: it is a multiple of rows away.
void check_tiles(const FeatureMap& map, std::string_view what, const RegisterProblem& problem) {
  if (map.storage != Storage::kTile2x2 || map.layout != Layout::kNHWC) return;
  const bool right = map.w > map.width0 && map.height1 > 0, below = map.h > map.height0;
  const auto extent = static_cast<std::uint64_t>(std::abs(map.stride_y)) * static_cast<std::uint64_t>(map.h);
  const bool far = map.base[0] > extent;
  const auto report = [&](int tile, int first, const char* unit) {
    problem(FindingKind::kUnsetTile,
            fmt::format("{} has {}x{} elements, {} {} and more are read from {}_BASE{}, which is 0", what, map.h, map.w,
                        unit, first, what, tile));
  };
  if (right && far && map.base[1] == 0) report(1, map.width0, "columns");
  if (below && far && map.base[2] == 0 && map.stride_y != 0 &&
      static_cast<std::int64_t>(map.base[0]) % map.stride_y != 0)
    report(2, map.height0, "rows");
}

/// Streams begin at and consist of multiples of 16 bytes (u55_u65 4), fast weight streams of 32 bytes (u85 4.2).
void check_stream(const Stream& stream, const char* what, std::size_t index, std::uint64_t unit,
                  const RegisterProblem& problem) {
  if (stream.length == 0) return;
  const auto name = [&] { return index == 0 ? std::string(what) : fmt::format("{}{}", what, index); };
  if (!aligned(stream.base, kAlignment))
    problem(FindingKind::kUnaligned, fmt::format("{}_BASE {} is not a multiple of 16", name(), stream.base));
  if (!aligned(stream.length, unit))
    problem(FindingKind::kUnaligned, fmt::format("{}_LENGTH {} is not a multiple of {}", name(), stream.length, unit));
}

}  // namespace

void check_registers(const BlockOperation& op, const Accelerator& accelerator, const RegisterProblem& problem) {
  for (const auto& rule : kRules)
    if (rule.broken(op, accelerator)) problem(FindingKind::kRegisters, rule.message);
  if (reads_ifm(op)) check_map(op.ifm, "IFM", problem);
  if (reads_ifm2(op)) check_map(op.ifm2, "IFM2", problem);
  if (reads_ifm(op)) check_tiles(op.ifm, "IFM", problem);
  if (reads_ifm2(op)) check_tiles(op.ifm2, "IFM2", problem);
  if (op.acc_output) check_map(stored_ofm(op), "OFM", problem);
  const auto weight_unit = op.fast_weights ? kFastWeightUnit : kAlignment;
  if (op.has_weights())
    for (std::size_t i = 0; i < op.weights.size(); ++i) check_stream(op.weights[i], "WEIGHT", i, weight_unit, problem);
  if (op.has_scales())
    for (std::size_t i = 0; i < op.scales.size(); ++i) check_stream(op.scales[i], "SCALE", i, kAlignment, problem);
}

void check_registers(const DmaOperation& op, const RegisterProblem& problem) {
  // Rule: u55_u65 6.5: U55 requires 16 bytes on both sides, the others on the side inside the NPU. Vela's Python core
  // also rounds the length; regor does not between external memories, and a network that Arm publishes relies on that.
  const auto check = [&](const char* name, std::uint64_t value, bool strict) {
    if (strict && !aligned(value, kAlignment))
      problem(FindingKind::kUnaligned, fmt::format("{} {} is not a multiple of 16", name, value));
  };
  check("DMA0_SRC", op.src, traits(op.family).aligned_copies || op.src_internal);
  check("DMA0_DST", op.dst, traits(op.family).aligned_copies || op.dst_internal);
  check("DMA0_LEN", op.len, op.src_internal || op.dst_internal);
}

}  // namespace macaw::npu
