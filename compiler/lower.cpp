#include "compiler/generation.hpp"

namespace macaw::npu {
namespace {

struct Row {
  tosa::Op op;
  LowerFunction lower;
};
#define MACAW_LOWERING(name, function) {tosa::Op::k##name, function},
constexpr Row kRows[] = {
#include "compiler/operators.def"
};

Result<void> lower_operator(Lowering& lowering) {
  const auto kind = lowering.current().op;
  if (kind == tosa::Op::kCONST || kind == tosa::Op::kCONST_SHAPE) return {};
  for (const auto& row : kRows)
    if (row.op == kind) return row.lower(lowering);
  if (const auto own = lowering.generation.lowering(kind)) return own(lowering);
  return lowering.unsupported("the NPU, or this compiler, does not have this operator");
}

/// Returns the tensor from which an output is read: a constant is copied into the arena.
Result<int> output_tensor(Lowering& lowering, tosa::ValueId id) {
  MACAW_ASSIGN(const int index, lowering.tensor(id));
  auto& network = lowering.network;
  auto tensor = network.tensors[static_cast<std::size_t>(index)];
  if (!network.storages[static_cast<std::size_t>(tensor.storage)].constant) return index;
  MACAW_ASSIGN(const auto contents, lowering.view(id));
  const auto place = lowering.temporary(tensor.shape, contents.bits);
  MACAW_CHECK(lowering.copy(place, contents));
  tensor.storage = place.storage;
  network.tensors.push_back(std::move(tensor));
  return static_cast<int>(network.tensors.size()) - 1;
}

}  // namespace

Result<Network> lower(const tosa::Graph& graph, const Accelerator& accelerator) {
  if (graph.blocks.empty()) return fail(ErrorCode::kInvalidGraph, "the graph has no block");
  const GraphView view(graph.main());
  Network network;
  network.accelerator = &accelerator;
  const auto count = graph.main().operators.size();
  for (std::size_t i = 0; i < count; ++i)
    network.operators.push_back({view.place(i), std::string(to_string(view.op(i).op)), i});
  Lowering lowering(view, network);
  lowering.op = count;
  for (const auto id : graph.main().inputs) {
    MACAW_ASSIGN(const int t, lowering.tensor(id));
    network.inputs.push_back(t);
  }
  for (std::size_t i = 0; i < count; ++i) {
    lowering.op = i;
    if (!lowering.taken[i]) MACAW_CHECK(lower_operator(lowering));
  }
  for (const auto id : graph.main().outputs) {
    lowering.op = view.producer(id).value_or(count);
    MACAW_ASSIGN(const int t, output_tensor(lowering, id));
    network.outputs.push_back(t);
  }
  return network;
}

}  // namespace macaw::npu
