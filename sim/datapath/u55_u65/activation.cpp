#include "sim/datapath/u55_u65/activation.hpp"
#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

// Sigmoid in Q0.16 at steps of 1/24. Each entry is the rounded value, plus one where TFLite's table, which the hardware
// uses, is one above it (u55_u65 5.7; tensorflow/lite/kernels/internal/common.cc, sigmoid_table_uint16).
constexpr std::array<std::uint8_t, 44> kOneAbove = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                                    30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                                    54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};

const std::array<std::int64_t, 256>& sigmoid_table() {
  static const auto table = [] {
    std::array<std::int64_t, 256> t{};
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<std::int64_t>(std::floor(65536.0 / (1.0 + std::exp(-static_cast<double>(i) / 24.0)) + 0.5));
    for (const auto i : kOneAbove) ++t[i];
    return t;
  }();
  return table;
}

/// Interpolated sigmoid of |value| with `k` fraction bits, in Q0.(16+k); `saturated` beyond the table.
std::int64_t interpolate(std::int64_t value, int k, std::int64_t saturated) {
  const auto& table = sigmoid_table();
  const std::uint64_t magnitude = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const std::uint64_t index = magnitude >> k;
  if (index >= table.size() - 1) return saturated;
  const auto fraction = static_cast<std::int64_t>(magnitude & ((std::uint64_t{1} << k) - 1));
  return (table[index] << k) + fraction * (table[index + 1] - table[index]);
}

/// Range of the type that FORCE_* clamps to.
IntRange clip_type(ClipRange clip) {
  switch (clip) {
    case ClipRange::kForceUint8: return int_range(8, false);
    case ClipRange::kForceInt8: return int_range(8, true);
    default: return int_range(16, true);
  }
}

}  // namespace

std::int64_t builtin_tanh(std::int64_t value) {
  const std::int64_t r = interpolate(value, 8, std::int64_t{0xFFFF} << 8);
  constexpr std::int64_t one = std::int64_t{1} << 23;
  return value >= 0 ? (r - one + 128) >> 8 : (one - r + 127) >> 8;
}

std::int64_t builtin_sigmoid(std::int64_t value) {
  const std::int64_t r = interpolate(value, 9, std::int64_t{0x7FFF} << 10);
  constexpr std::int64_t one = std::int64_t{1} << 25;
  return value >= 0 ? (r + 512) >> 10 : (one - r + 511) >> 10;
}

Result<ActivationStage> ActivationStage::create(const BlockOperation& op, const Accelerator& accelerator,
                                                const MemoryMap& memory) {
  const FeatureMap& ofm = op.ofm;
  if (ofm.bits != 8 && ofm.bits != 16 && ofm.bits != 32)
    return fail(ErrorCode::kHardwareFault, fmt::format("OFM: {}-bit elements do not exist on U55 and U65", ofm.bits));
  ActivationStage stage;
  stage.function_ = op.activation.function;
  stage.ofm_signed_ = ofm.is_signed;
  const IntRange type = int_range(ofm.bits, ofm.is_signed);
  stage.store_min_ = type.min;
  stage.store_max_ = type.max;
  const bool forced = op.activation.clip != ClipRange::kOfmPrecision && op.activation.clip != ClipRange::kNone;
  // A 32-bit OFM without a forced range has neither zero point nor bounds, since these are 16-bit registers.
  const bool wide = ofm.bits == 32 && !forced;
  stage.zero_point_ = wide ? 0 : ofm.zero_point;
  if (wide) {
    stage.clamp_min_ = type.min;
    stage.clamp_max_ = type.max;
  } else {
    const IntRange range = forced ? clip_type(op.activation.clip) : type;
    const bool signed_bounds = forced || ofm.is_signed;
    const auto bound = [&](std::uint16_t raw) -> std::int64_t {
      const std::int64_t value = signed_bounds ? std::int64_t{static_cast<std::int16_t>(raw)} : std::int64_t{raw};
      return std::clamp(value, range.min, range.max);
    };
    stage.clamp_min_ = bound(op.activation.min);
    stage.clamp_max_ = bound(op.activation.max);
  }
  if (op.activation.function != ActivationFunction::kTable) return stage;

  stage.table_ = ofm.bits == 8 ? Table::kByte : ofm.bits == 16 ? Table::kInterpolated : Table::kWord;
  const auto range = activation_table(op, accelerator);
  if (!range || range->last > memory.internal.size())
    return fail(ErrorCode::kHardwareFault,
                fmt::format("activation table {} ends outside the shared RAM", op.activation.table));
  const auto table = memory.internal.subspan(range->first, range->last - range->first);
  stage.entries_.assign(table.begin(), table.end());
  return stage;
}

std::int64_t ActivationStage::look_up(std::int64_t value) const {
  // Outside the table only if the clamp range is wider than the table; the edge entry is then used.
  switch (table_) {
    case Table::kNone: return value;
    case Table::kByte: {
      const auto index = static_cast<std::size_t>(std::clamp<std::int64_t>(ofm_signed_ ? value + 128 : value, 0, 255));
      return ofm_signed_ ? std::int64_t{static_cast<std::int8_t>(entries_[index])} : std::int64_t{entries_[index]};
    }
    case Table::kWord: {
      const auto index = static_cast<std::size_t>(std::clamp<std::int64_t>(value + 128, 0, 255));
      std::int32_t entry = 0;
      std::memcpy(&entry, entries_.data() + 4 * index, 4);
      return entry;
    }
    case Table::kInterpolated: {
      const auto index = static_cast<std::size_t>(std::clamp<std::int64_t>((value >> 7) + 256, 0, 511));
      std::int16_t base = 0, slope = 0;
      std::memcpy(&base, entries_.data() + 4 * index, 2);
      std::memcpy(&slope, entries_.data() + 4 * index + 2, 2);
      return base + ((std::int64_t{slope} * (value & 127) + 64) >> 7);
    }
  }
  return value;
}

std::optional<LaneActivation> ActivationStage::lanes(const FeatureMap& ofm) const {
  const bool looks_up = table_ == Table::kByte && function_ == ActivationFunction::kTable;
  if (function_ != ActivationFunction::kNone && !looks_up) return std::nullopt;
  return LaneActivation::create(ofm, zero_point_, {clamp_min_, clamp_max_}, entries_);
}

void ActivationStage::apply(std::span<std::int64_t> values) const {
  const auto bounded = [&](std::int64_t v) { return std::min(std::max(v, clamp_min_), clamp_max_); };
  switch (function_) {
    case ActivationFunction::kNone:
      for (auto& v : values) v = bounded(v + zero_point_);
      return;
    case ActivationFunction::kTanh:
      for (auto& v : values) v = bounded(builtin_tanh(v + zero_point_));
      return;
    case ActivationFunction::kSigmoid:
      for (auto& v : values) v = bounded(builtin_sigmoid(v + zero_point_));
      return;
    case ActivationFunction::kTable:
      for (auto& v : values) v = std::clamp(look_up(bounded(v + zero_point_)), store_min_, store_max_);
      return;
  }
}

}  // namespace macaw::npu
