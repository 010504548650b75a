#include "workflow/prove/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include <macaw/tosa/interpreter.hpp>

#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/execute.hpp"
#include "workflow/compare/compare.hpp"

namespace macaw::prove {
namespace {

constexpr int kValues = 256;
constexpr std::size_t kPairs = std::size_t{kValues} * kValues;

/// The first value of pair `pair` if `first`, else the second.
std::int8_t value_of(std::size_t pair, bool first) {
  const auto index = first ? pair / kValues : pair % kValues;
  return static_cast<std::int8_t>(static_cast<int>(index) - 128);
}

/// All pairs as a map of one channel at a place of region 0.
void spread(npu::FeatureMap& map, std::uint64_t base) {
  map.region = 0;
  map.layout = npu::Layout::kNHWC;
  map.storage = npu::Storage::kTile2x2;
  map.base = {base, base, base, base};
  map.stride_x = map.stride_c = 1;
  map.stride_y = kValues;
  map.h = map.w = map.height0 = map.width0 = map.height1 = kValues;
  map.c = 1;
}

Result<std::vector<std::uint8_t>> operation_results(const compare::Record& record,
                                                    const npu::Accelerator& accelerator) {
  auto op = record.operation;
  spread(op.ifm, 0);
  spread(op.ifm2, kPairs);
  spread(op.ofm, 2 * kPairs);
  std::vector<std::uint8_t> bytes(3 * kPairs);
  for (std::size_t i = 0; i < kPairs; ++i) {
    bytes[i] = static_cast<std::uint8_t>(value_of(i, true));
    bytes[kPairs + i] = static_cast<std::uint8_t>(value_of(i, false));
  }
  npu::MemoryMap memory;
  memory.regions[0] = {bytes, true, true};
  std::vector<std::uint8_t> internal;
  if (const auto range = npu::activation_table(op, accelerator); range && !record.constants.table.empty()) {
    internal.resize(range->last);
    std::ranges::copy(std::as_bytes(std::span(record.constants.table)),
                      std::as_writable_bytes(std::span(internal)).begin() + static_cast<std::ptrdiff_t>(range->first));
    memory.internal = internal;
  }
  MACAW_CHECK(npu::execute(op, accelerator, memory));
  return std::vector(bytes.begin() + 2 * kPairs, bytes.end());
}

Result<Tensor> graph_results(const tosa::Graph& graph, const Chain& chain, bool swapped) {
  const auto pairs = subgraph(graph, chain, {1, kValues, kValues, 1});
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < chain.inputs.size(); ++i) {
    auto& tensor = inputs.emplace_back(DType::kINT8, Shape{1, kValues, kValues, 1});
    for (std::size_t p = 0; p < kPairs; ++p) tensor.data<std::int8_t>()[p] = value_of(p, (i == 0) != swapped);
  }
  MACAW_ASSIGN(auto result, tosa::run(pairs, std::move(inputs)));
  if (result.verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kUnpredictable, result.verdict.first()->to_string());
  return std::move(result.outputs[0]);
}

}  // namespace

std::string compare_pairs(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                          const npu::Accelerator& accelerator, bool swapped) {
  const auto& op = record.operation;
  if (op.ifm.bits != 8 || op.ofm.bits != 8 || !op.ifm.is_signed || !op.ofm.is_signed) return "maps that are not int8";
  if (op.has_ifm2() && (op.ifm2.bits != 8 || !op.ifm2.is_signed)) return "maps that are not int8";
  if (op.transpose != 0 || op.reverse != 0) return "an output with its axes exchanged";
  const auto expected = graph_results(graph, chain, swapped);
  if (!expected) return expected.error().message;
  if (expected->dtype() != DType::kINT8) return "results that are not int8";
  const auto actual = operation_results(record, accelerator);
  if (!actual) return actual.error().message;
  for (std::size_t i = 0; i < kPairs; ++i)
    if (const auto e = expected->data<std::int8_t>()[i]; e != static_cast<std::int8_t>((*actual)[i]))
      return fmt::format("{} and {} give {} in the graph, {} in the stream", value_of(i, true), value_of(i, false), e,
                         static_cast<std::int8_t>((*actual)[i]));
  return "";
}

}  // namespace macaw::prove
