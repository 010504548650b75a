#include "workflow/prove/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include <macaw/tosa/interpreter.hpp>

#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/execute.hpp"
#include "workflow/compare/tensor_difference.hpp"
#include "workflow/prove/steps.hpp"

namespace macaw::prove {
namespace {

constexpr int kValues = 256;
constexpr std::size_t kPairs = std::size_t{kValues} * kValues;
constexpr std::size_t kMapBytes = sizeof(std::int32_t) * kPairs;  // of a map

/// The value of case `index`: of pairs of int8 the first or the second, of int16 each once.
std::int64_t value_of(std::size_t index, bool first, int bits) {
  if (bits == 16) return static_cast<std::int64_t>(index) - 32768;
  return static_cast<std::int64_t>(first ? index / kValues : index % kValues) - 128;
}

/// All cases as a map of one channel at a place of region 0.
void spread(npu::FeatureMap& map, std::uint64_t base) {
  const std::int64_t bytes = map.bytes();
  map.region = 0;
  map.layout = npu::Layout::kNHWC;
  map.storage = npu::Storage::kTile2x2;
  map.base = {base, base, base, base};
  map.stride_x = map.stride_c = bytes;
  map.stride_y = kValues * bytes;
  map.h = map.w = map.height0 = map.width0 = map.height1 = kValues;
  map.c = 1;
}

Result<Values> operation_results(const compare::Record& record, const npu::Accelerator& accelerator) {
  auto op = record.operation;
  op.transpose = 0;
  spread(op.ifm, 0);
  spread(op.ifm2, kMapBytes);
  spread(op.ofm, 2 * kMapBytes);
  std::vector<std::uint8_t> bytes(3 * kMapBytes);
  const auto width = static_cast<std::size_t>(op.ifm.bytes());
  for (std::size_t i = 0; i < kPairs; ++i)
    for (const bool first : {true, false}) {
      const auto value = value_of(i, first, op.ifm.bits);
      std::memcpy(bytes.data() + (first ? 0 : kMapBytes) + i * width, &value, width);
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
  Values values(kPairs);
  const int unused = 64 - op.ofm.bits;
  for (std::size_t i = 0; i < kPairs; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + 2 * kMapBytes + i * static_cast<std::size_t>(op.ofm.bytes()),
                static_cast<std::size_t>(op.ofm.bytes()));
    values[i] = static_cast<std::int64_t>(value << unused) >> unused;
  }
  return values;
}

Result<Tensor> graph_results(const tosa::Graph& graph, const Chain& chain, bool swapped) {
  const auto pairs = subgraph(graph, chain, {1, kValues, kValues, 1});
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < chain.inputs.size(); ++i) {
    const auto dtype = graph.main().values[chain.inputs[i]].dtype;
    auto& tensor = inputs.emplace_back(dtype, Shape{1, kValues, kValues, 1});
    const auto width = size_of(dtype);
    for (std::size_t p = 0; p < kPairs; ++p) {
      const auto value = value_of(p, (i == 0) != swapped, static_cast<int>(8 * width));
      std::memcpy(tensor.bytes().data() + p * width, &value, width);
    }
  }
  MACAW_ASSIGN(auto result, tosa::run(pairs, std::move(inputs)));
  if (result.verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kUnpredictable, result.verdict.first()->to_string());
  return std::move(result.outputs[0]);
}

}  // namespace

std::string compare_pairs(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                          const npu::Accelerator& accelerator, bool swapped, std::vector<std::int64_t>& example) {
  const auto& op = record.operation;
  for (const auto input : chain.inputs) {
    const auto dtype = graph.main().values[input].dtype;
    if (dtype != DType::kINT8 && dtype != DType::kINT16) return "operands that are neither int8 nor int16";
    if (static_cast<int>(8 * size_of(dtype)) != op.ifm.bits) return "operands of another width";
  }
  if (!op.ifm.is_signed || !op.ofm.is_signed || op.ofm.bits > 32) return "maps that are not signed";
  if (op.has_ifm2() && (op.ifm2.bits != op.ifm.bits || !op.ifm2.is_signed)) return "operands of two types";
  if (chain.inputs.size() == 2 && op.ifm.bits != 8) return "two operands of 16 bits";
  if (op.transpose != 0 || op.reverse != 0) return "an output with its axes exchanged";
  const auto expected = graph_results(graph, chain, swapped);
  if (!expected) return expected.error().message;
  if (static_cast<int>(8 * size_of(expected->dtype())) != op.ofm.bits || expected->dtype() == DType::kBOOL)
    return "results of another type";
  const auto actual = operation_results(record, accelerator);
  if (!actual) return actual.error().message;
  for (std::size_t i = 0; i < kPairs; ++i)
    if (const auto e = compare::integer_at(*expected, static_cast<std::int64_t>(i)); e != (*actual)[i]) {
      for (std::size_t k = 0; k < chain.inputs.size(); ++k)
        example.push_back(value_of(i, (k == 0) != swapped, op.ifm.bits));
      return fmt::format("{} and {} give {} in the graph, {} in the stream", value_of(i, true, op.ifm.bits),
                         value_of(i, false, op.ifm.bits), e, (*actual)[i]);
    }
  return "";
}

bool is_copy(const compare::Record& record, const npu::Accelerator& accelerator) {
  const auto& op = record.operation;
  if (op.has_ifm2() || op.ifm.bits > 16 || op.ifm.bits != op.ofm.bits || op.ifm.is_signed != op.ofm.is_signed)
    return false;
  if (op.reverse != 0) return false;
  const auto actual = operation_results(record, accelerator);
  if (!actual) return false;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const int unused = 64 - op.ofm.bits;
    const auto value = static_cast<std::uint64_t>(value_of(i, true, op.ifm.bits));
    if (static_cast<std::int64_t>(value << unused) >> unused != (*actual)[i]) return false;
  }
  return true;
}

}  // namespace macaw::prove
