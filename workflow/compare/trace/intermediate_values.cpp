#include "workflow/compare/trace/intermediate_values.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/datapath/execute.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/operation_maps.hpp"

namespace macaw::compare {
namespace {

using Values = std::vector<std::int64_t>;
using Kind = IntermediateValues::Kind;

/// The operation without the scale of its result.
npu::BlockOperation unscaled(npu::BlockOperation op) {
  op.ofm_scale.scale = 1;
  op.ofm_scale.shift = op.ofm_scale.dbl = 0;
  op.scale_per_channel = false;
  return op;
}

/// An operand as it enters a sum: the sum with zero, not scaled.
npu::BlockOperation operand(npu::BlockOperation op, bool second) {
  op = unscaled(std::move(op));
  op.elementwise = npu::ElementwiseMode::kAdd;
  if (second) {
    npu::datapath::generation(op.family).exchange_operands(op);
  }
  op.ifm_broadcast = {};
  op.ifm2_broadcast = {};
  op.ifm2_broadcast.scalar = true;
  op.scalar = op.ifm2.zero_point;
  op.ofm.h = op.ifm.h;
  op.ofm.w = op.ifm.w;
  op.ofm.c = op.ifm.c;
  return op;
}

class Showing {
 public:
  Showing(const npu::BlockOperation& op, const npu::Accelerator& accelerator, const npu::MemoryMap& memory,
          const ValueSink& sink)
      : op_(op), accelerator_(accelerator), memory_(memory), sink_(sink) {}

  void run() {
    if (npu::reads_ifm(op_)) show_map(op_.ifm, true);
    if (npu::reads_ifm2(op_)) show_map(op_.ifm2, false);
    if (const auto stages = npu::stages(op_, accelerator_, memory_)) {
      show_sums(stages->accumulators);
      show(stages->scaled, op_.ofm);
      show_stored(stages->scaled);
    }
    if (op_.kind == npu::OpKind::kElementwise) show_operands();
  }

 private:
  void show(const Values& values, const npu::FeatureMap& extents) const {
    if (!values.empty()) sink_({Kind::kComputed, values, extents.h, extents.w, extents.c});
  }

  /// As it lies in memory, and without its zero point.
  void show_map(const npu::FeatureMap& map, bool padded) const {
    const auto view = npu::open_input(map, memory_, "values");
    if (!view || map.h <= 0 || map.w <= 0) return;
    const auto row = static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
    Values values(row * static_cast<std::size_t>(map.h));
    for (int y = 0; y < map.h; ++y) view->read_row(y, values.data() + static_cast<std::size_t>(y) * row, map.c);
    show(values, map);
    for (auto& v : values) v += map.zero_point;
    IntermediateValues read{Kind::kRead, values, map.h, map.w, map.c};
    if (padded && op_.upscale == npu::Upscale::kNone) {
      read.pad_top = op_.kernel.pad_top;
      read.pad_left = op_.kernel.pad_left;
      read.pad_bottom = op_.kernel.pad_bottom;
      read.padding = map.zero_point;
    }
    sink_(read);
  }

  void show_sums(Values sums) const {
    if (sums.empty()) return;
    if (op_.has_scales())
      if (const auto scales = npu::load_scales(op_, memory_))
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += (*scales)[i % scales->size()].bias;
    show(sums, op_.ofm);
  }

  /// Input values of a clamp or table.
  void show_stored(Values values) const {
    const int bits =
        op_.activation.function == npu::ActivationFunction::kTable ? std::min(op_.ofm.bits, 16) : op_.ofm.bits;
    if (bits > 32) return;
    const auto highest = (std::int64_t{1} << (bits - (op_.ofm.is_signed ? 1 : 0))) - 1;
    const auto lowest = op_.ofm.is_signed ? -highest - 1 : 0;
    for (auto& v : values) v = std::clamp(v + op_.ofm.zero_point, lowest, highest);
    show(values, op_.ofm);
  }

  void show_operands() const {
    const auto scaled = [&](const npu::BlockOperation& op) {
      if (const auto stages = npu::stages(op, accelerator_, memory_)) show(stages->scaled, op.ofm);
    };
    scaled(unscaled(op_));
    if (npu::reads_ifm(op_) && !op_.ifm_broadcast.scalar) scaled(operand(op_, false));
    if (npu::reads_ifm2(op_) && op_.has_ifm2()) scaled(operand(op_, true));
  }

  const npu::BlockOperation& op_;
  const npu::Accelerator& accelerator_;
  const npu::MemoryMap& memory_;
  const ValueSink& sink_;
};

}  // namespace

void emit_intermediate_values(const npu::BlockOperation& operation, const npu::Accelerator& accelerator,
                              const npu::MemoryMap& memory, const ValueSink& sink) {
  Showing(operation, accelerator, memory, sink).run();
}

}  // namespace macaw::compare
