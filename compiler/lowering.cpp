#include "compiler/generation.hpp"

#include "sim/datapath/bits.hpp"
#include "sim/datapath/feature_map.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr std::size_t kMaxSteps = std::size_t{1} << 16;     // of one operator
constexpr std::size_t kMaxAllSteps = std::size_t{1} << 20;  // bounds the time of compilation

/// Bits of an element in memory; 0 for types that no feature map has.
int storage_bits(DType dtype) {
  switch (dtype) {
    case DType::kBOOL:
    case DType::kINT8: return 8;
    case DType::kINT16: return 16;
    case DType::kINT32: return 32;
    case DType::kINT48: return 64;
    default: return 0;
  }
}

/// [n, h, w, c]: missing axes are 1, those above four are folded into n.
std::array<std::int64_t, 4> nhwc_extents(const Shape& shape) {
  std::array<std::int64_t, 4> nhwc{1, 1, 1, 1};
  const auto rank = shape.size();
  for (std::size_t i = 0; i < rank; ++i) nhwc[rank - i > 4 ? 0 : 4 - (rank - i)] *= shape[i];
  return nhwc;
}

}  // namespace

Lowering::Lowering(const GraphView& g, Network& n)
    : graph(g),
      network(n),
      generation(compiler::generation(n.accelerator->family)),
      taken(g.block().operators.size()),
      tensor_of_(g.block().values.size(), -1) {}

int Lowering::add_storage(std::string name, const Shape& shape, int bits) {
  const auto [n, h, w, c] = nhwc_extents(shape);
  NetworkStorage s{.name = std::move(name), .contents = {}, .bits = bits};
  s.flat_size = static_cast<std::uint64_t>(n * h * w * c * (bits / 8));
  constexpr std::int64_t kMaxExtent = 65536;
  s.flat = n > kMaxExtent || h > kMaxExtent || w > kMaxExtent || c > kMaxExtent || bits > 32;
  if (!s.flat) {
    s.n = static_cast<int>(n);
    s.h = static_cast<int>(h);
    s.w = static_cast<int>(w);
    s.c = static_cast<int>(c);
  }
  network.storages.push_back(std::move(s));
  return static_cast<int>(network.storages.size()) - 1;
}

Result<int> Lowering::tensor(tosa::ValueId id) {
  if (tensor_of_[id] >= 0) return tensor_of_[id];
  const auto& value = graph.value(id);
  const auto refuse = [&](std::string reason) {
    const auto& users = graph.consumers(id);
    const auto where = op < taken.size() ? op : users.empty() ? op : users.front();
    return fail(ErrorCode::kUnsupported, value.name + " " + reason,
                {.op = where < taken.size() ? graph.place(where) : "graph input"});
  };
  const int bits = storage_bits(value.dtype);
  if (bits == 0) return refuse(fmt::format("is {}, of which the NPU has no feature maps", to_string(value.dtype)));
  if (!value.is_static()) return refuse("has no static shape");
  MACAW_ASSIGN(const auto count, element_count(*value.shape));
  if (count == 0 || count > kMaxElements) return refuse(fmt::format("has {} elements", count));
  const int storage = add_storage(value.name, *value.shape, bits);
  if (value.data) {
    auto& s = network.storages[static_cast<std::size_t>(storage)];
    s.constant = s.flat = true;
    const auto bytes = value.data->bytes();
    s.contents.resize(bytes.size());
    std::memcpy(s.contents.data(), bytes.data(), bytes.size());
  }
  tensor_of_[id] = static_cast<int>(network.tensors.size());
  network.tensors.push_back({value.name, *value.shape, value.dtype, storage});
  return tensor_of_[id];
}

void Lowering::alias(tosa::ValueId to, int tensor) {
  const auto& value = graph.value(to);
  const int storage = network.tensors[static_cast<std::size_t>(tensor)].storage;
  tensor_of_[to] = static_cast<int>(network.tensors.size());
  network.tensors.push_back({value.name, *value.shape, value.dtype, storage});
  network.storages[static_cast<std::size_t>(storage)].flat = true;
}

Result<StorageView> Lowering::view(tosa::ValueId id) {
  MACAW_ASSIGN(const int index, tensor(id));
  return view_of(index);
}

Result<int> Lowering::declare_variable(tosa::ValueId id) {
  MACAW_ASSIGN(const int index, tensor(id));
  auto& s = network.storages[static_cast<std::size_t>(network.tensors[static_cast<std::size_t>(index)].storage)];
  s.constant = false;
  s.flat = true;
  return index;
}

StorageView Lowering::view_of(int index) const {
  const auto& t = network.tensors[static_cast<std::size_t>(index)];
  const auto& s = network.storages[static_cast<std::size_t>(t.storage)];
  StorageView v = dense_view(t.storage, t.shape, s.bits);
  v.is_signed = t.dtype != DType::kBOOL;
  v.whole =
      !s.constant && t.shape.size() <= 4 && nhwc_extents(t.shape) == std::array<std::int64_t, 4>{s.n, s.h, s.w, s.c};
  return v;
}

StorageView Lowering::temporary(Shape shape, int bits) {
  const int storage = add_storage(fmt::format("{}, intermediate", graph.place(op)), shape, bits);
  StorageView v = dense_view(storage, std::move(shape), bits);
  v.whole = v.rank() <= 4 && !network.storages[static_cast<std::size_t>(storage)].flat;
  return v;
}

StorageView Lowering::constant(std::vector<std::uint8_t> bytes, Shape shape, int bits) {
  const auto [at, added] = constant_of_.try_emplace({std::string(bytes.begin(), bytes.end()), bits}, -1);
  if (added) {
    at->second = add_storage("constant", shape, bits);
    auto& s = network.storages[static_cast<std::size_t>(at->second)];
    s.constant = s.flat = true;
    s.contents = std::move(bytes);
  }
  StorageView v = dense_view(at->second, std::move(shape), bits);
  v.whole = false;
  return v;
}

StorageView Lowering::constants(const std::vector<std::int64_t>& values, Shape shape, int bits) {
  std::vector<std::uint8_t> bytes;
  for (const auto value : values)
    for (int b = 0; b < bits; b += 8) bytes.push_back(static_cast<std::uint8_t>(value >> b));
  return constant(std::move(bytes), std::move(shape), bits);
}

StorageView Lowering::scalar(std::int64_t value, const StorageView& like, int bits) {
  StorageView v = constants({value}, Shape(like.rank(), 1), bits);
  v.is_signed = like.is_signed;
  return v;
}

std::optional<std::size_t> Lowering::follower(tosa::ValueId id, tosa::Op kind) const {
  const auto next = graph.only_consumer(id);
  return next && graph.op(*next).op == kind && graph.op(*next).inputs[0] == id ? next : std::nullopt;
}

Result<Tail> Lowering::tail(tosa::ValueId id, bool rescale) {
  Tail t{.value = id, .rescale = {}, .output = {}};
  if (const auto next = rescale ? follower(id, tosa::Op::kRESCALE) : std::nullopt) {
    MACAW_ASSIGN(t.rescale, rescale_arguments(graph, *next));
    taken[*next] = true;
    t.value = graph.op(*next).outputs[0];
    if (t.rescale->multiplier.size() == 1) t.output.scale = t.rescale->scaling();
    else
      for (std::size_t i = 0; i < t.rescale->multiplier.size(); ++i)
        t.output.per_channel.push_back({0, t.rescale->multiplier[i], t.rescale->shift[i]});
    t.output.scale.rounding = t.rescale->hardware_rounding();
    if (t.rescale->output_unsigned) return t;
  }
  const auto type = dtype(t.value);
  if (type != DType::kINT8 && type != DType::kINT16) return t;
  const auto range = int_range(type == DType::kINT8 ? 8 : 16, true);
  std::array<std::int64_t, 2> bounds{range.min, range.max};
  while (const auto clamp = follower(t.value, tosa::Op::kCLAMP)) {
    MACAW_ASSIGN(const auto own, graph.clamp_bounds(*clamp));
    // The bounds so far are values too: the next CLAMP clamps them to its own range.
    for (auto& bound : bounds) bound = std::clamp(bound, own[0], own[1]);
    taken[*clamp] = true;
    t.value = graph.op(*clamp).outputs[0];
  }
  t.output.clamp = bounds;
  if (const auto table = type == DType::kINT8 ? follower(t.value, tosa::Op::kTABLE) : std::nullopt) {
    MACAW_ASSIGN(const Tensor* entries, graph.constant(*table, 1));
    std::vector<std::uint8_t> bytes(entries->bytes().size());
    std::memcpy(bytes.data(), entries->bytes().data(), bytes.size());
    t.output.table = constant(std::move(bytes), {256}, 8).storage;
    t.output.form = TableForm::kS8S8;
    taken[*table] = true;
    t.value = graph.op(*table).outputs[0];
  }
  return t;
}

BlockOperation Lowering::block(OpKind kind) const {
  BlockOperation b;
  b.family = family();
  b.kind = kind;
  b.ublock = accelerator().ofm_ublock;
  b.ifm.is_signed = b.ifm2.is_signed = b.ofm.is_signed = true;
  b.ofm_scale.rounding = b.ifm_scale.rounding = b.ifm2_scale.rounding = Rounding::kNatural;
  return b;
}

void Lowering::set_output(BlockOperation& proto, const StorageView& out, const Output& how) const {
  proto.ofm_scale = how.scale;
  proto.scale_per_channel = !how.per_channel.empty();
  auto& activation = proto.activation;
  const auto range = int_range(std::min(out.bits, 16), out.is_signed);
  const auto bounds = how.clamp.value_or(std::array<std::int64_t, 2>{range.min, range.max});
  activation.min = static_cast<std::uint16_t>(bounds[0]);
  activation.max = static_cast<std::uint16_t>(bounds[1]);
  if (how.table >= 0) {
    activation.function = ActivationFunction::kTable;
    activation.form = how.form;
    if (how.form != TableForm::kS8S8) {
      activation.min = 0x8000;
      activation.max = 0x7FFF;
    }
  } else {
    activation.clip = generation.clip(out, how);
  }
}

Result<void> Lowering::push(NetworkStep step) {
  if (counted_op_ != op) {
    counted_op_ = op;
    steps_before_ = network.steps.size();
  }
  if (network.steps.size() - steps_before_ >= kMaxSteps)
    return unsupported(fmt::format("it needs more than {} operations of the NPU", kMaxSteps));
  if (network.steps.size() >= kMaxAllSteps)
    return unsupported(fmt::format("the network needs more than {} operations of the NPU", kMaxAllSteps));
  network.steps.push_back(std::move(step));
  return {};
}

void Lowering::bind(Placement& operand, FeatureMap& map, const StorageView& v) {
  operand.storage = v.storage;
  map.bits = v.bits;
  map.is_signed = v.is_signed;
  map.zero_point = v.zero_point;
  map.h = static_cast<int>(v.extents[0]);
  map.w = static_cast<int>(v.extents[1]);
  map.c = static_cast<int>(v.extents[2]);
  operand.plain = v.item >= 0;
  if (operand.plain) {
    operand.item = v.item;
    return;
  }
  network.storages[static_cast<std::size_t>(v.storage)].flat = true;
  operand.offset = v.offset;
  map.stride_y = v.strides[0];
  map.stride_x = v.strides[1];
  map.stride_c = v.bytes();
}

Result<void> Lowering::add(BlockOperation proto, const StorageView& ofm, const StorageView& ifm,
                           const StorageView* ifm2, std::shared_ptr<const LayerConstants> constants,
                           const Output* how) {
  Layer layer{.op = op, .block = std::move(proto), .ifm = {}, .ifm2 = {}, .ofm = {}, .constants = std::move(constants)};
  auto& b = layer.block;
  bind(layer.ofm, b.ofm, ofm);
  if (b.kind == OpKind::kPool && b.pool == PoolMode::kNone) {
    // The IFM is not used; it refers to the same place as bytes.
    bind(layer.ifm2, b.ifm2, ifm);
    b.ifm = b.ifm2;
    b.ifm.bits = 8;
    b.ifm.stride_c = 1;
    b.ifm.zero_point = 0;
    layer.ifm = layer.ifm2;
  } else {
    bind(layer.ifm, b.ifm, ifm);
    if (ifm2) bind(layer.ifm2, b.ifm2, *ifm2);
  }
  if (b.kind == OpKind::kElementwise) {
    const auto broadcast = [&](const FeatureMap& m) {
      return Broadcast{.h = m.h != b.ofm.h, .w = m.w != b.ofm.w, .c = m.c != b.ofm.c};
    };
    b.ifm_broadcast = broadcast(b.ifm);
    if (ifm2) b.ifm2_broadcast = broadcast(b.ifm2);
  }
  if (how) layer.table = how->table;
  return push(std::move(layer));
}

Result<void> Lowering::add_dma(DmaOperation dma, const StorageView& target, const StorageView& source,
                               const StorageView* index) {
  DmaLayer layer{.op = op, .dma = dma, .source = {}, .target = {}, .index = {}};
  layer.dma.family = family();
  const auto place = [&](Placement& operand, const StorageView& v) {
    operand.storage = v.storage;
    operand.offset = v.offset;
    network.storages[static_cast<std::size_t>(v.storage)].flat = true;
  };
  place(layer.source, source);
  place(layer.target, target);
  if (index) place(layer.index, *index);
  return push(layer);
}

}  // namespace macaw::npu
