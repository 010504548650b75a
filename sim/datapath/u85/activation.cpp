#include "sim/datapath/u85/activation.hpp"
#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

template <class T>
T entry(std::span<const std::uint8_t> table, std::size_t index) {
  T value;
  std::memcpy(&value, table.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// One segment of an interpolated table.
struct Segment {
  std::int64_t base, slope;
};
Segment segment(std::span<const std::uint8_t> table, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  return {entry<std::int16_t>(table, 2 * i), entry<std::int16_t>(table, 2 * i + 1)};
}

bool clamped_after(TableForm form) { return form == TableForm::kTanh || form == TableForm::kSigmoid; }

}  // namespace

Result<ActivationStageU85> ActivationStageU85::create(const BlockOperation& op, const Accelerator& accelerator,
                                                      const MemoryMap& memory) {
  const Activation& activation = op.activation;
  ActivationStageU85 stage;
  stage.form_ = activation.function == ActivationFunction::kNone ? TableForm::kFromOfm : activation.form;
  stage.clips_ = activation.clip != ClipRange::kNone;
  stage.zero_point_ = op.ofm.zero_point;
  const IntRange type = int_range(op.ofm.bits, op.ofm.is_signed);
  stage.store_min_ = type.min;
  stage.store_max_ = type.max;
  const bool signed_bounds = stage.form_ == TableForm::kFromOfm ? op.ofm.is_signed : stage.form_ != TableForm::kU8U8;
  const auto bound = [&](std::uint16_t raw) {
    return signed_bounds ? std::int64_t{static_cast<std::int16_t>(raw)} : std::int64_t{raw};
  };
  stage.clamp_min_ = bound(activation.min);
  stage.clamp_max_ = bound(activation.max);
  const auto range = activation_table(op, accelerator);
  if (!range) return stage;
  if (range->last > memory.internal.size())
    return fail(ErrorCode::kHardwareFault, fmt::format("activation table {} of {} bytes ends outside the LUT RAM",
                                                       activation.table, range->last - range->first));
  const auto table = memory.internal.subspan(range->first, range->last - range->first);
  stage.entries_.assign(table.begin(), table.end());
  return stage;
}

std::int64_t ActivationStageU85::look_up(std::int64_t value) const {
  // A value that was not clamped is selected by its low bits.
  const auto byte_index = static_cast<std::size_t>((value + 128) & 255);
  const std::int64_t word_index = ((value >> 7) + 256) & 511, fraction = value & 127;
  switch (form_) {
    case TableForm::kU8U8: return entries_[static_cast<std::size_t>(value & 255)];
    case TableForm::kS8S8: return entry<std::int8_t>(entries_, byte_index);
    case TableForm::kS8S16: return entry<std::int16_t>(entries_, byte_index);
    case TableForm::kS8S32: return entry<std::int32_t>(entries_, byte_index);
    case TableForm::kS16S16: {
      const Segment s = segment(entries_, word_index);
      return s.base + ((s.slope * fraction + 64) >> 7);
    }
    case TableForm::kS16S32: {
      const Segment s = segment(entries_, word_index);
      return s.base * 128 + s.slope * fraction;
    }
    default: return value;
  }
}

std::int64_t ActivationStageU85::interpolate(std::int64_t value) const {
  const bool tanh = form_ == TableForm::kTanh;
  const int k = tanh ? 8 : 9;
  // The table is TFLite's half table of 256 values, mirrored (hapv3/neural-compiler e4b56335,
  // ethosu/regor/compiler/tflite_graph_optimiser.cpp, ConvertTanhSigmoidToLUT16): the functions are saturated from its
  // last value on, so the argument including its fraction stays below that. This reproduces TFLite's int16 results for
  // every input.
  const std::int64_t limit = (std::int64_t{255} << k) - 1;
  value = std::clamp(value, -limit, limit);
  const Segment s = segment(entries_, (value >> k) + 256);
  const std::int64_t fraction = value & ((std::int64_t{1} << k) - 1), negative = value < 0 ? 1 : 0;
  const std::int64_t y = s.base * (std::int64_t{1} << k) + s.slope * fraction;
  return tanh ? (y + 128 - negative) >> 8 : (y + (1 << 24) + 512 - negative) >> 10;
}

std::optional<LaneActivation> ActivationStageU85::lanes(const FeatureMap& ofm) const {
  if (!clips_) return std::nullopt;
  if (form_ == TableForm::kFromOfm) {
    // Two successive clamps are merged: the bounds of the first are clamped as well.
    const auto stored = [&](std::int64_t v) { return std::clamp(v, store_min_, store_max_); };
    return LaneActivation::create(ofm, zero_point_, {stored(clamp_min_), stored(clamp_max_)}, {});
  }
  const bool bytes = form_ == (ofm.is_signed ? TableForm::kS8S8 : TableForm::kU8U8) && ofm.bits == 8;
  if (!bytes) return std::nullopt;
  return LaneActivation::create(ofm, zero_point_, {clamp_min_, clamp_max_}, entries_);
}

void ActivationStageU85::apply(std::span<std::int64_t> values) const {
  const auto bounded = [&](std::int64_t v) { return clips_ ? std::min(std::max(v, clamp_min_), clamp_max_) : v; };
  const auto stored = [&](std::int64_t v) { return clips_ ? std::min(std::max(v, store_min_), store_max_) : v; };
  if (form_ == TableForm::kFromOfm) {
    for (auto& v : values) v = stored(bounded(v + zero_point_));
  } else if (clamped_after(form_)) {
    for (auto& v : values) v = stored(bounded(interpolate(v + zero_point_)));
  } else {
    for (auto& v : values) v = stored(look_up(bounded(v + zero_point_)));
  }
}

}  // namespace macaw::npu
