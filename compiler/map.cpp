#include "compiler/generation.hpp"

#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <cstdlib>

// Elementwise operations over views of any rank: the axes are merged where the bytes allow it, three of them become H,
// W and C, and the others are unrolled.
namespace macaw::npu {
namespace {

constexpr std::int64_t kBrick = 16;
constexpr std::int64_t kMaxPlainBatch = 8;  // more batch items than this are merged with other axes instead

enum Operands : std::size_t { kOut, kA, kB, kOperands };

struct Axis {
  std::int64_t extent = 1;
  std::array<std::int64_t, kOperands> stride{};
};

StorageView padded(StorageView v, std::size_t rank) {
  while (v.rank() < rank) v = v.with_axis(0);
  return v;
}

/// Returns a whole view of up to four axes as [N,H,W,C].
StorageView nhwc(const StorageView& v) {
  StorageView out = padded(v, 4);
  out.whole = v.whole;
  return out;
}

/// The axes of the loop, outermost first, merged where possible. Axes of one element are left out.
std::vector<Axis> merged_axes(const std::array<const StorageView*, kOperands>& views, bool keep_last) {
  std::vector<Axis> axes;
  const auto& out = *views[kOut];
  for (std::size_t i = 0; i < out.rank(); ++i) {
    Axis axis{out.extents[i], {}};
    const bool last = i + 1 == out.rank();
    if (axis.extent == 1 && !(keep_last && last)) continue;
    for (std::size_t k = 0; k < kOperands; ++k)
      if (views[k]) axis.stride[k] = views[k]->extents[i] == 1 && axis.extent != 1 ? 0 : views[k]->strides[i];
    const bool fits = !axes.empty() && std::ranges::equal(axes.back().stride, axis.stride, [&](auto outer, auto inner) {
      return outer == inner * axis.extent;
    });
    if (fits && !(keep_last && last)) {
      axes.back() = {axes.back().extent * axis.extent, axis.stride};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

/// Axes as H, W, C, and the remaining ones.
struct Assignment {
  std::array<Axis, 3> hwc;
  std::vector<Axis> loops;
};

/// Splits axes that are longer than a register holds into pieces, which become loops. The extent of merged axes has a
/// divisor.
void split_long_axes(Assignment& result) {
  for (auto& axis : result.hwc) {
    if (axis.extent <= kMaxExtent) continue;
    std::int64_t pieces = (axis.extent + kMaxExtent - 1) / kMaxExtent;
    while (axis.extent % pieces != 0) ++pieces;
    Axis outer{pieces, axis.stride};
    axis.extent /= pieces;
    for (auto& s : outer.stride) s *= axis.extent;
    result.loops.push_back(outer);
  }
}

Assignment assign(std::vector<Axis> axes, const std::array<const StorageView*, kOperands>& views, bool a_broadcasts,
                  bool keep_last) {
  Assignment result;
  auto& [h, w, c] = result.hwc;
  const auto contiguous = [&](const Axis& axis) {
    for (std::size_t k = 0; k < kOperands; ++k) {
      if (!views[k] || axis.stride[k] == views[k]->bytes()) continue;
      const bool may_repeat = k == kB || (k == kA && a_broadcasts);
      if (!may_repeat || axis.stride[k] != 0) return false;
    }
    return true;
  };
  auto channel = axes.end();
  if (keep_last) channel = axes.end() - 1;
  else
    for (auto at = axes.begin(); at != axes.end(); ++at)
      if (contiguous(*at) && (channel == axes.end() || at->extent > channel->extent)) channel = at;
  if (channel != axes.end()) {
    c = *channel;
    axes.erase(channel);
    if (axes.empty() && !keep_last && c.extent > kBrick && c.extent % kBrick == 0) {
      // One run of elements: contiguous bricks.
      Axis bricks{c.extent / kBrick, c.stride};
      for (auto& s : bricks.stride) s *= kBrick;
      c.extent = kBrick;
      axes.push_back(bricks);
    }
  }
  std::ranges::stable_sort(axes, std::greater{}, &Axis::extent);
  int taken = 0;
  for (const auto& axis : axes) {
    const bool repeats_a = axis.stride[kA] == 0 && !a_broadcasts;
    if (repeats_a || taken == 2) result.loops.push_back(axis);
    else (taken++ == 0 ? w : h) = axis;
  }
  if (std::abs(h.stride[kOut]) < std::abs(w.stride[kOut]) && h.extent > 1) std::swap(h, w);
  split_long_axes(result);
  return result;
}

/// How activation_transpose stores height, depth and width of the operation as height, width and depth (u85 3.7).
constexpr int kStoreHcw = 2;

/// Axes of an operation whose operands are contiguous along different axes: C is contiguous in the first operand, W in
/// the output, which is stored with W and C exchanged. Empty if an axis is contiguous in both.
std::optional<Assignment> exchanged(const std::vector<Axis>& axes, const StorageView& out, const StorageView& a) {
  const auto contiguous = [&](Operands k, const StorageView& v) {
    return std::ranges::find_if(axes, [&](const Axis& axis) { return axis.stride[k] == v.bytes(); });
  };
  const auto depth = contiguous(kA, a), width = contiguous(kOut, out);
  if (depth == axes.end() || width == axes.end() || depth == width || width->stride[kA] == 0) return std::nullopt;
  Assignment result;
  result.hwc = {Axis{}, *width, *depth};
  for (auto at = axes.begin(); at != axes.end(); ++at) {
    if (at == width || at == depth) continue;
    auto& height = result.hwc[0];
    Axis other = *at;
    if (other.stride[kA] != 0 && other.extent > height.extent) std::swap(other, height);
    if (other.extent > 1) result.loops.push_back(other);
  }
  split_long_axes(result);
  return result;
}

}  // namespace

// Long: three ways to map, each of which handles what the previous ones do not.
Result<void> Lowering::map(const BlockOperation& proto, const StorageView& out, const StorageView* a,
                           const StorageView* b, const Output& how) {
  const bool channels = !how.per_channel.empty();
  const bool elementwise = proto.kind == OpKind::kElementwise;
  std::shared_ptr<LayerConstants> constants;
  if (channels) {
    constants = std::make_shared<LayerConstants>();
    constants->scales = how.per_channel;
  }
  // In one piece, if only the second operand is broadcast.
  const bool in_piece = out.whole && a->whole && out.extents == a->extents && nhwc(out).extents[0] <= kMaxPlainBatch &&
                        (!b || b->extents == out.extents || nhwc(*b).extents[0] == nhwc(out).extents[0]);
  if (in_piece) {
    const StorageView o = nhwc(out), i = nhwc(*a);
    for (std::int64_t n = 0; n < o.extents[0]; ++n) {
      std::optional<StorageView> second;
      if (b) second = batch_item(nhwc(*b), n);
      if (second && second->extents != batch_item(o, n).extents) second->item = -1;
      MACAW_CHECK(add(proto, batch_item(o, n), batch_item(i, n), second ? &*second : nullptr, constants, &how));
    }
    return {};
  }

  // Axes longer than a register holds are split into pieces.
  for (std::size_t i = 0; i < out.rank(); ++i) {
    if (out.extents[i] <= kMaxExtent || (channels && i + 1 == out.rank())) continue;
    const auto piece = [&](const StorageView& v, std::int64_t first, std::int64_t count) {
      return v.extents[i] == 1 ? v : v.part(i, first, count);
    };
    for (std::int64_t first = 0; first < out.extents[i]; first += kMaxExtent) {
      const auto count = std::min(kMaxExtent, out.extents[i] - first);
      const StorageView part_a = piece(*a, first, count), part_b = b ? piece(*b, first, count) : StorageView{};
      MACAW_CHECK(map(proto, piece(out, first, count), &part_a, b ? &part_b : nullptr, how));
    }
    return {};
  }

  std::array<const StorageView*, kOperands> views{&out, a, b};
  auto axes = merged_axes(views, channels);
  if (channels && axes.back().extent > kMaxExtent) return unsupported("more than 65536 channels");
  const auto exchange = generation.units.exchanges_axes && proto.kind == OpKind::kPool && !b && !channels
                            ? exchanged(axes, out, *a)
                            : std::nullopt;
  const auto [hwc, loops] =
      exchange ? *exchange : assign(std::move(axes), views, elementwise && traits(family()).repeats_ifm, channels);
  BlockOperation operation = proto;
  if (exchange) operation.transpose = kStoreHcw;
  std::vector<std::int64_t> index(loops.size());
  for (;;) {
    std::array<StorageView, kOperands> box;
    for (std::size_t k = 0; k < kOperands; ++k) {
      if (!views[k]) continue;
      box[k] = *views[k];
      box[k].whole = false;
      box[k].item = -1;
      box[k].extents.clear();
      box[k].strides.clear();
      for (std::size_t l = 0; l < loops.size(); ++l) box[k].offset += index[l] * loops[l].stride[k];
      for (const auto& axis : hwc) {
        const bool repeats = axis.stride[k] == 0 && axis.extent > 1 && k != kOut && elementwise;
        box[k].extents.push_back(repeats ? 1 : axis.extent);
        box[k].strides.push_back(axis.stride[k]);
      }
    }
    if (exchange) std::swap(box[kOut].strides[1], box[kOut].strides[2]);
    MACAW_CHECK(add(operation, box[kOut], box[kA], b ? &box[kB] : nullptr, constants, &how));
    std::size_t l = 0;
    while (l < loops.size() && ++index[l] == loops[l].extent) index[l++] = 0;
    if (l == loops.size()) return {};
  }
}

Result<void> Lowering::elementwise(const BlockOperation& proto, StorageView out, StorageView a, StorageView b,
                                   const Output& how) {
  BlockOperation op = proto;
  const auto repeats = [&](const StorageView& v) { return v.extents != out.extents; };
  if (!traits(family()).repeats_ifm && repeats(a) && !repeats(b)) {
    std::swap(a, b);
    op.operands_swapped = !op.operands_swapped;
  }
  return map(op, out, &a, &b, how);
}

Result<void> Lowering::elementwise(ElementwiseMode mode, const StorageView& out, const StorageView& a,
                                   const StorageView& b, const Output& how) {
  auto proto = block(OpKind::kElementwise);
  proto.elementwise = mode;
  set_output(proto, out, how);
  return elementwise(proto, out, a, b, how);
}

Result<void> Lowering::unary(ElementwiseMode mode, const StorageView& out, const StorageView& a, const Output& how) {
  auto proto = block(OpKind::kElementwise);
  proto.elementwise = mode;
  set_output(proto, out, how);
  return map(proto, out, &a, nullptr, how);
}

Result<void> Lowering::convert(const StorageView& out, const StorageView& a, const Output& how) {
  if (a.bits > 16) return generation.convert_wide(*this, out, a, how);
  auto proto = block(OpKind::kPool);
  proto.pool = generation.units.sum;
  set_output(proto, out, how);
  return map(proto, out, &a, nullptr, how);
}

Result<void> Lowering::copy(const StorageView& out, const StorageView& a) {
  const int bits = std::min(out.bits, 16);
  return convert(out.split(bits).as(true), a.split(bits).as(true));
}

Result<void> Lowering::fill(const StorageView& dense_out, std::int64_t value) {
  constexpr std::int64_t kFirst = 1024;
  const StorageView out = dense_out.reshaped({dense_out.elements()});
  const auto n = out.elements();
  auto done = std::min(n, kFirst);
  const auto first = constants(std::vector<std::int64_t>(static_cast<std::size_t>(done), value), {done}, out.bits);
  MACAW_CHECK(copy(out.part(0, 0, done), first));
  while (done < n) {
    const auto more = std::min(done, n - done);
    MACAW_CHECK(copy(out.part(0, done, more), out.part(0, 0, more)));
    done += more;
  }
  return {};
}

}  // namespace macaw::npu
