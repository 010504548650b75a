#include "sim/datapath/output_rows.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace macaw::npu {
namespace {

using Axes = std::array<int, 3>;
constexpr std::array<Axes, 8> kTransposes = {
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {0, 1, 2}, {0, 1, 2}, {2, 0, 1}, {2, 1, 0}}};

}  // namespace

const Axes& stored_axes(int transpose) { return kTransposes[static_cast<std::size_t>(transpose) % kTransposes.size()]; }

ChannelScaling::ChannelScaling(const Scaling& scaling, int channels, int accumulator_bits)
    : accumulator_bits_(accumulator_bits) {
  for (int c = 0; c < channels; ++c) add({0, scaling.scale, scaling.shift}, scaling.rounding, scaling.dbl);
}

ChannelScaling::ChannelScaling(std::span<const ChannelScale> entries, Rounding rounding, int accumulator_bits)
    : accumulator_bits_(accumulator_bits) {
  for (const auto& entry : entries) add(entry, rounding, 0);
}

void ChannelScaling::add(const ChannelScale& entry, Rounding rounding, int dbl) {
  const std::int64_t round = rounding_term(false, entry.shift, rounding, dbl);
  const std::int64_t negative = rounding_term(true, entry.shift, rounding, dbl);
  channels_.push_back({entry.bias, entry.scale, round, negative, entry.shift});
  // Bounds the rounded accumulator farthest from 0; the shifted value stays below the limit of requantize().
  const Int128 most = (Int128{1} << (accumulator_bits_ - 1)) * entry.scale + std::max(round, negative);
  fits64_ = fits64_ && most <= INT64_MAX && most >> entry.shift < Int128{1} << 62;
}

std::optional<std::vector<LaneChannel>> ChannelScaling::lane_channels() const {
  // Lanes multiply signed values only.
  const auto is_signed = [](const Channel& channel) { return channel.scale <= INT32_MAX; };
  if (!fits64_ || accumulator_bits_ != 32 || !std::ranges::all_of(channels_, is_signed)) return std::nullopt;
  std::vector<LaneChannel> lanes;
  lanes.reserve(channels_.size());
  for (const Channel& channel : channels_)
    lanes.push_back({static_cast<std::int32_t>(channel.bias), static_cast<std::int32_t>(channel.scale), channel.shift,
                     channel.round, channel.round_negative});
  return lanes;
}

template <class Acc>
void ChannelScaling::apply(const Acc* accumulators, int pixels, std::ptrdiff_t stride, std::int64_t* out) const {
  const std::size_t count = channels_.size();
  for (int p = 0; p < pixels; ++p, accumulators += stride, out += count) {
    for (std::size_t c = 0; c < count; ++c) {
      const Channel& channel = channels_[c];
      const std::int64_t v = wrap(wrapping_add(accumulators[c], channel.bias), accumulator_bits_);
      const std::int64_t round = v < 0 ? channel.round_negative : channel.round;
      if (fits64_) {
        out[c] = (v * channel.scale + round) >> channel.shift;
      } else {
        constexpr Int128 limit = Int128{1} << 62;
        const Int128 result = (Int128{v} * channel.scale + round) >> channel.shift;
        out[c] = static_cast<std::int64_t>(result < -limit ? -limit : result > limit ? limit : result);
      }
    }
  }
}
template void ChannelScaling::apply<std::int32_t>(const std::int32_t*, int, std::ptrdiff_t, std::int64_t*) const;
template void ChannelScaling::apply<std::int64_t>(const std::int64_t*, int, std::ptrdiff_t, std::int64_t*) const;

FeatureMap stored_ofm(const BlockOperation& op) {
  const std::array<int, 3> extents = {op.ofm.h, op.ofm.w, op.ofm.c};
  const Axes& axes = stored_axes(op.transpose);
  const auto extent = [&](std::size_t i) { return extents[static_cast<std::size_t>(axes[i])]; };
  FeatureMap map = op.ofm;
  map.h = extent(0);
  map.w = extent(1);
  map.c = extent(2);
  return map;
}

OutputRows::OutputRows(OutputStage stage, const BlockOperation& op, std::optional<FeatureMapView> ofm)
    : stage_(std::move(stage)),
      ofm_(std::move(ofm)),
      type_(op.ofm),
      extents_{op.ofm.h, op.ofm.w, op.ofm.c},
      reverse_(op.reverse),
      transpose_(op.transpose),
      merge_(merge(op)) {
  const std::size_t row = static_cast<std::size_t>(extents_.w) * static_cast<std::size_t>(extents_.c);
  if (ofm_ && (reverse_ != 0 || transpose_ != 0)) whole_.resize(row * static_cast<std::size_t>(extents_.h));
}

OutputRows::Merge OutputRows::merge(const BlockOperation& op) {
  if (op.kind == OpKind::kPool && op.pool == PoolMode::kMax) return Merge::kMax;
  return op.kind == OpKind::kPool && op.pool == PoolMode::kMin ? Merge::kMin : Merge::kAdd;
}

std::int64_t OutputRows::merged(std::int64_t initial, std::int64_t own) const {
  if (merge_ == Merge::kMax) return std::max(initial, own);
  return merge_ == Merge::kMin ? std::min(initial, own) : wrapping_add(own, initial);
}

void OutputRows::scale_with(ChannelScaling scaling, bool scalar) {
  scaling_ = std::move(scaling);
  lanes_.reset();
  if (scalar || !whole_.empty() || !initial_.empty() || kept_ || stages_) return;
  const auto channels = scaling_->lane_channels();
  const auto activation = std::visit([&](const auto& stage) { return stage.lanes(type_); }, stage_);
  if (channels && activation) lanes_.emplace(*channels, *activation, type_.bits, type_.is_signed);
}

std::span<std::int64_t> RowWriter::row() {
  row_.resize(static_cast<std::size_t>(out_->extents_.w) * static_cast<std::size_t>(out_->extents_.c));
  return row_;
}

void RowWriter::store(int y) {
  if (auto* stages = out_->stages_) stages->scaled.insert(stages->scaled.end(), row_.begin(), row_.end());
  std::visit([&](const auto& stage) { stage.apply(row_); }, out_->stage_);
  if (y == out_->extents_.h - 1) out_->result_flag_ = !row_.empty() && (row_.back() & 1) != 0;
  if (!out_->ofm_) return;
  if (out_->whole_.empty()) out_->ofm_->write_row(y, row_.data());
  else std::copy(row_.begin(), row_.end(), out_->whole_.begin() + y * static_cast<std::ptrdiff_t>(row_.size()));
}

void RowWriter::store_lanes(int y, const std::int32_t* accumulators, std::ptrdiff_t stride) {
  const int width = out_->extents_.w;
  if (!elements_) elements_ = std::make_unique_for_overwrite<std::uint8_t[]>(out_->lanes_->row_bytes(width));
  out_->lanes_->apply(accumulators, width, stride, elements_.get());
  if (y == out_->extents_.h - 1) {
    const std::ptrdiff_t last = std::ptrdiff_t{width} * out_->extents_.c - 1;
    out_->result_flag_ = (elements_[static_cast<std::size_t>(last * out_->type_.bytes())] & 1) != 0;
  }
  if (out_->ofm_) out_->ofm_->write_elements(y, elements_.get());
}

template <class Acc>
void RowWriter::store(int y, const Acc* accumulators, std::ptrdiff_t stride) {
  if constexpr (std::is_same_v<Acc, std::int32_t>)
    if (out_->lanes_) return store_lanes(y, accumulators, stride);
  const Hwc& extents = out_->extents_;
  const std::span<std::int64_t> row = this->row();
  if (out_->initial_.empty() && !out_->kept_ && !out_->stages_) {
    out_->scaling_->apply(accumulators, extents.w, stride, row.data());
    store(y);
    return;
  }
  sums_.resize(row.size());
  const std::ptrdiff_t first = y * static_cast<std::ptrdiff_t>(row.size());
  for (int x = 0; x < extents.w; ++x)
    for (int c = 0; c < extents.c; ++c) {
      const std::ptrdiff_t i = std::ptrdiff_t{x} * extents.c + c;
      const std::int64_t own = accumulators[x * stride + c];
      sums_[static_cast<std::size_t>(i)] =
          out_->initial_.empty() ? own : out_->merged(out_->initial_[static_cast<std::size_t>(first + i)], own);
    }
  if (auto* stages = out_->stages_) stages->accumulators.insert(stages->accumulators.end(), sums_.begin(), sums_.end());
  if (out_->kept_) {
    std::copy(sums_.begin(), sums_.end(), out_->kept_->begin() + first);
    return;
  }
  out_->scaling_->apply(sums_.data(), extents.w, extents.c, row.data());
  store(y);
}
template void RowWriter::store<std::int32_t>(int, const std::int32_t*, std::ptrdiff_t);
template void RowWriter::store<std::int64_t>(int, const std::int64_t*, std::ptrdiff_t);

void OutputRows::finish() {
  if (whole_.empty()) return;
  const std::array<int, 3> extents = {extents_.h, extents_.w, extents_.c};
  std::array<std::ptrdiff_t, 3> steps = {std::ptrdiff_t{extents_.w} * extents_.c, extents_.c, 1};
  const std::int64_t* source = whole_.data();
  if (reverse_ != 0) {  // 1 H, 2 W, 3 C
    const auto axis = static_cast<std::size_t>(reverse_ - 1);
    source += (extents[axis] - 1) * steps[axis];
    steps[axis] = -steps[axis];
  }
  const Axes& axes = stored_axes(transpose_);
  const FeatureMap& map = ofm_->map();
  const auto step = [&](std::size_t i) { return steps[static_cast<std::size_t>(axes[i])]; };
  std::vector<std::int64_t> stored(static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c));
  for (int y = 0; y < map.h; ++y) {
    std::int64_t* target = stored.data();
    for (int x = 0; x < map.w; ++x)
      for (int c = 0; c < map.c; ++c) *target++ = source[y * step(0) + x * step(1) + c * step(2)];
    ofm_->write_row(y, stored.data());
  }
}

}  // namespace macaw::npu
