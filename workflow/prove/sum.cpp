#include "workflow/prove/sum.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "sim/datapath/execute.hpp"
#include "workflow/prove/steps.hpp"

namespace macaw::prove {
namespace {

constexpr std::size_t kWord = sizeof(std::int32_t);
constexpr auto kBytes = static_cast<std::size_t>(kSteps) * kWord;

/// One row of elements at a place of region 0.
void lay_out(npu::FeatureMap& map, std::uint64_t base) {
  const auto element = static_cast<std::int64_t>(map.bits / 8);
  map.region = 0;
  map.layout = npu::Layout::kNHWC;
  map.storage = npu::Storage::kTile2x2;
  map.base = {base, base, base, base};
  map.stride_c = map.stride_x = element;
  map.stride_y = element * kSteps;
  map.h = map.height0 = map.height1 = map.c = 1;
  map.w = map.width0 = static_cast<int>(kSteps);
}

/// The operation with the sum as first operand and zero as second.
Result<Values> operation_results(npu::BlockOperation op, const npu::Accelerator& accelerator, const Values& sums) {
  lay_out(op.ifm, 0);
  lay_out(op.ifm2, kBytes);
  lay_out(op.ofm, 2 * kBytes);
  std::vector<std::uint8_t> bytes(3 * kBytes);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto value = static_cast<std::int32_t>(sums[i]);
    std::memcpy(bytes.data() + i * kWord, &value, kWord);
  }
  npu::MemoryMap memory;
  memory.regions[0] = {bytes, true, true};
  MACAW_CHECK(npu::execute(op, accelerator, memory));
  Values out(sums.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int8_t>(bytes[2 * kBytes + i]);
  return out;
}

/// Why the operators are not a sum that is scaled and clamped; empty if they are.
std::string unfit_chain(const tosa::Graph& graph, const Chain& chain) {
  const auto& operators = graph.main().operators;
  const auto& sum = operators[chain.operators.front()];
  if (sum.op != tosa::Op::kADD && sum.op != tosa::Op::kSUB) return "32-bit elements and another operator than a sum";
  if (!std::ranges::equal(sum.inputs, chain.inputs)) return "operands that are computed by the same command";
  for (const auto input : chain.inputs)
    if (graph.main().values[input].dtype != DType::kINT32) return "operands that are not int32";
  for (const auto index : std::span(chain.operators).subspan(1))
    if (operators[index].op != tosa::Op::kRESCALE && operators[index].op != tosa::Op::kCLAMP)
      return "another operator behind the sum";
  if (graph.main().values[operators[chain.operators.back()].outputs[0]].dtype != DType::kINT8)
    return "results that are not int8";
  return "";
}

}  // namespace

std::string compare_sum(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                        const npu::Accelerator& accelerator, bool swapped) {
  const auto& op = record.operation;
  if (auto reason = unfit_chain(graph, chain); !reason.empty()) return reason;
  if (auto reason = not_monotone(op); !reason.empty()) return reason;
  const bool subtracts = graph.main().operators[chain.operators.front()].op == tosa::Op::kSUB;
  if (op.elementwise != (subtracts ? npu::ElementwiseMode::kSub : npu::ElementwiseMode::kAdd))
    return "operation kind differs";
  if (subtracts && (swapped || op.operands_swapped)) return "operands that are exchanged";
  if (op.ofm.bits != 8) return "results that are not int8";
  if (op.ifm.bits != 32 || op.ifm2.bits != 32 || !op.ifm.is_signed || !op.ifm2.is_signed)
    return "maps that are not int32";
  if (op.transpose != 0 || op.reverse != 0) return "an output with its axes exchanged";
  const auto steps = subgraph(graph, chain, {1, 1, kSteps, 1});
  return compare_steps([&](const Values& sums) { return graph_results(steps, sums); },
                       [&](const Values& sums) { return operation_results(op, accelerator, sums); },
                       {{INT32_MIN, INT32_MAX}}, 0, op.ofm.bits);
}

}  // namespace macaw::prove
