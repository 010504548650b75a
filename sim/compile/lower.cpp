#include "sim/compile/lower.hpp"

#include "sim/datapath/feature_map.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Extents of a tensor as N, H, W, C: missing axes are 1, those above four are folded into N.
Result<NetworkTensor> describe(const tosa::Value& value) {
  if (value.dtype != DType::kINT8)
    return fail(ErrorCode::kUnsupported, value.name + " is " + std::string(to_string(value.dtype)) +
                                             "; the compiler has feature maps of INT8 only");
  if (!value.is_static()) return fail(ErrorCode::kUnsupported, value.name + " has no static shape");
  MACAW_ASSIGN(const auto count, element_count(*value.shape));
  if (count == 0 || count > kMaxElements)
    return fail(ErrorCode::kUnsupported, value.name + " has " + std::to_string(count) + " elements");
  NetworkTensor t{.name = value.name, .shape = *value.shape, .dtype = value.dtype};
  std::array<std::int64_t, 4> nhwc{1, 1, 1, 1};
  const auto rank = t.shape.size();
  for (std::size_t i = 0; i < rank; ++i) nhwc[rank - i > 4 ? 0 : 4 - (rank - i)] *= t.shape[i];
  for (const auto extent : nhwc)
    if (extent > 65536) return fail(ErrorCode::kUnsupported, value.name + " has an extent above 65536");
  t.n = static_cast<int>(nhwc[0]);
  t.h = static_cast<int>(nhwc[1]);
  t.w = static_cast<int>(nhwc[2]);
  t.c = static_cast<int>(nhwc[3]);
  return t;
}

Result<void> lower_operator(Lowering& lowering, std::size_t index) {
  using tosa::Op;
  switch (lowering.graph.op(index).op) {
    case Op::kCONST:
    case Op::kCONST_SHAPE: return {};
    case Op::kCONV2D:
    case Op::kDEPTHWISE_CONV2D: return lower_conv(lowering, index);
    case Op::kAVG_POOL2D: return lower_avg_pool(lowering, index);
    case Op::kMAX_POOL2D: return lower_max_pool(lowering, index);
    case Op::kRESCALE: return lower_rescale(lowering, index);
    case Op::kCLAMP: return lower_clamp(lowering, index);
    case Op::kADD: return lower_add(lowering, index);
    case Op::kRESHAPE: return lower_reshape(lowering, index);
    default: return lowering.graph.unsupported(index, "the compiler does not have this operator");
  }
}

}  // namespace

Result<int> Lowering::tensor(tosa::ValueId id, std::size_t op) {
  if (tensor_of[id] >= 0) return tensor_of[id];
  auto described = describe(graph.value(id));
  if (!described) {
    if (described.error().place.op.empty() && op < taken.size()) described.error().place.op = graph.place(op);
    return tl::unexpected<Error>(described.error());
  }
  if (graph.value(id).data)
    return fail(ErrorCode::kUnsupported, "feature map " + graph.value(id).name + " is a constant",
                {.op = op < taken.size() ? graph.place(op) : ""});
  described->storage = static_cast<int>(network.storages.size());
  network.storages.emplace_back();
  tensor_of[id] = static_cast<int>(network.tensors.size());
  network.tensors.push_back(std::move(*described));
  return tensor_of[id];
}

Layer Lowering::layer(std::size_t op, OpKind kind) const {
  Layer l;
  l.name = graph.place(op);
  l.op.family = network.accelerator->family;
  l.op.kind = kind;
  l.op.ublock = network.accelerator->ofm_ublock;
  l.op.ifm.is_signed = l.op.ifm2.is_signed = l.op.ofm.is_signed = true;
  l.op.ofm_scale.rounding = Rounding::kNatural;
  l.op.ifm_scale.rounding = Rounding::kNatural;
  l.op.activation.min = 0xFF80;
  l.op.activation.max = 0x007F;
  return l;
}

std::optional<std::size_t> Lowering::follower(tosa::ValueId id, tosa::Op kind) const {
  const auto next = graph.only_consumer(id);
  return next && graph.op(*next).op == kind ? next : std::nullopt;
}

Result<tosa::ValueId> Lowering::absorb_clamps(tosa::ValueId id, Layer& layer) {
  while (const auto clamp = follower(id, tosa::Op::kCLAMP)) {
    const auto& op = graph.op(*clamp);
    const auto low = op.get_bytes(tosa::Attr::k_min_val), high = op.get_bytes(tosa::Attr::k_max_val);
    if (op.outputs.size() != 1 || low.size() != 1 || high.size() != 1)
      return graph.unsupported(*clamp, "CLAMP bounds are not INT8");
    const auto min = static_cast<std::int8_t>(low[0]), max = static_cast<std::int8_t>(high[0]);
    if (min > max) return fail(ErrorCode::kInvalidGraph, "min_val is above max_val", {.op = graph.place(*clamp)});
    // The bounds so far are values too: the next CLAMP moves them into its own range.
    for (auto* bound : {&layer.op.activation.min, &layer.op.activation.max})
      *bound = static_cast<std::uint16_t>(
          std::clamp<std::int16_t>(static_cast<std::int16_t>(*bound), min, max));
    taken[*clamp] = true;
    id = op.outputs[0];
  }
  return id;
}

Result<void> Lowering::finish(Layer layer, tosa::ValueId output, std::size_t op) {
  MACAW_ASSIGN(const auto last, absorb_clamps(output, layer));
  MACAW_ASSIGN(layer.ofm, tensor(last, op));
  taken[op] = true;
  network.layers.push_back(std::move(layer));
  return {};
}

Result<void> lower_clamp(Lowering& lowering, std::size_t op) {
  const auto& clamp = lowering.graph.op(op);
  if (clamp.inputs.size() != 1 || clamp.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "CLAMP has one input and one output", {.op = lowering.graph.place(op)});
  // Not absorbed by the layer before it: a copy through the pooling path with unit scale.
  auto layer = lowering.layer(op, OpKind::kPool);
  layer.op.pool = PoolMode::kAverage;
  MACAW_ASSIGN(layer.ifm, lowering.tensor(clamp.inputs[0], op));
  const auto low = clamp.get_bytes(tosa::Attr::k_min_val), high = clamp.get_bytes(tosa::Attr::k_max_val);
  if (low.size() != 1 || high.size() != 1) return lowering.graph.unsupported(op, "CLAMP bounds are not INT8");
  const auto min = static_cast<std::int8_t>(low[0]), max = static_cast<std::int8_t>(high[0]);
  if (min > max) return fail(ErrorCode::kInvalidGraph, "min_val is above max_val", {.op = lowering.graph.place(op)});
  layer.op.activation.min = static_cast<std::uint16_t>(std::int16_t{min});
  layer.op.activation.max = static_cast<std::uint16_t>(std::int16_t{max});
  return lowering.finish(std::move(layer), clamp.outputs[0], op);
}

Result<void> lower_reshape(Lowering& lowering, std::size_t op) {
  const auto& reshape = lowering.graph.op(op);
  if (reshape.inputs.empty() || reshape.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "RESHAPE has an input and an output", {.op = lowering.graph.place(op)});
  MACAW_ASSIGN(const int from, lowering.tensor(reshape.inputs[0], op));
  MACAW_ASSIGN(const int to, lowering.tensor(reshape.outputs[0], op));
  auto& tensors = lowering.network.tensors;
  const auto elements = [&](int i) { return std::int64_t{tensors[i].n} * tensors[i].h * tensors[i].w * tensors[i].c; };
  if (elements(from) != elements(to))
    return fail(ErrorCode::kInvalidGraph, "RESHAPE changes the number of elements", {.op = lowering.graph.place(op)});
  tensors[to].storage = tensors[from].storage;
  lowering.network.storages[tensors[from].storage].flat = true;
  lowering.taken[op] = true;
  return {};
}

Result<Network> lower(const tosa::Graph& graph, const Accelerator& accelerator) {
  if (graph.blocks.empty()) return fail(ErrorCode::kInvalidGraph, "the graph has no block");
  if (accelerator.family == Family::kU85)
    return fail(ErrorCode::kUnsupported, "the compiler has no back end for " + std::string(accelerator.name));
  const GraphView view(graph.main());
  Network network;
  network.accelerator = &accelerator;
  Lowering lowering(view, network);
  constexpr auto kNoOperator = static_cast<std::size_t>(-1);
  for (const auto id : graph.main().inputs) {
    MACAW_ASSIGN(const int t, lowering.tensor(id, kNoOperator));
    network.inputs.push_back(t);
  }
  for (std::size_t i = 0; i < lowering.taken.size(); ++i)
    if (!lowering.taken[i]) MACAW_CHECK(lower_operator(lowering, i));
  for (const auto id : graph.main().outputs) {
    if (lowering.tensor_of[id] < 0)
      return fail(ErrorCode::kUnsupported, "output " + graph.main().values[id].name + " is not computed by the NPU");
    network.outputs.push_back(lowering.tensor_of[id]);
  }
  for (const auto* list : {&network.inputs, &network.outputs})
    for (const int t : *list) network.storages[network.tensors[t].storage].flat = true;
  return network;
}

}  // namespace macaw::npu
