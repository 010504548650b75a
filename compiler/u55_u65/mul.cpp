#include "compiler/generation.hpp"
#include "compiler/lower/elementwise.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace macaw::npu::compiler::u55_u65 {
namespace {

using enum ElementwiseMode;

constexpr std::int64_t kAny = std::int64_t{1} << 31;

/// A bound on the magnitude of an INT32 value, derived from its producers.
std::int64_t bound(const GraphView& graph, tosa::ValueId id, int depth = 8) {
  const auto& value = graph.value(id);
  if (value.data && value.dtype == DType::kINT32) {
    std::int64_t largest = 0;
    for (const auto v : value.data->data<std::int32_t>()) largest = std::max(largest, std::abs(std::int64_t{v}));
    return largest;
  }
  switch (value.dtype) {
    case DType::kBOOL: return 1;
    case DType::kINT8: return 128;
    case DType::kINT16: return 32768;
    default: break;
  }
  const auto producer = graph.producer(id);
  if (!producer || depth == 0) return kAny;
  const auto& op = graph.op(*producer);
  const auto of = [&](std::size_t i) { return bound(graph, op.inputs[i], depth - 1); };
  switch (op.op) {
    case tosa::Op::kCAST: return op.get_int(tosa::Attr::k_input_unsigned) != 0 ? kAny : of(0);
    case tosa::Op::kRESHAPE:
    case tosa::Op::kTRANSPOSE:
    case tosa::Op::kTILE:
    case tosa::Op::kSLICE:
    case tosa::Op::kREVERSE:
    case tosa::Op::kIDENTITY: return of(0);
    case tosa::Op::kADD:
    case tosa::Op::kSUB: return std::min(of(0) + of(1), kAny);
    case tosa::Op::kRESCALE: {
      const auto r = rescale_arguments(graph, *producer);
      if (!r || r->input == DType::kINT48) return kAny;
      // Zero points and unsigned elements at most double a narrow value.
      const auto input = of(0) * (r->input == DType::kINT32 ? 1 : 2);
      std::int64_t largest = 0;
      for (std::size_t i = 0; i < r->multiplier.size(); ++i)
        largest = std::max(largest, (input * r->multiplier[i] >> r->shift[i]) + 1);
      return std::min(largest, kAny);
    }
    default: return kAny;
  }
}

/// The low 32 bits of 32-bit products, whose results would saturate: composed of products of bytes, in two halves.
Result<void> multiply_bytes(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& b) {
  constexpr int kBytes = 4;
  const auto byte = [](const StorageView& v, int i) {
    StorageView part = v.low_part(8).as(false);
    part.offset += i;
    return part;
  };
  const auto half = [](const StorageView& v, int i) {
    StorageView part = v.low_part(16).as(false);
    part.offset += 2 * i;
    return part;
  };
  const auto wide = [&] { return lowering.temporary(out.extents, 32); };
  const auto sum = [&](ElementwiseMode mode, const StorageView& x, const StorageView& y) -> Result<StorageView> {
    const auto result = wide();
    MACAW_CHECK(lowering.elementwise(mode, result, x, y));
    return result;
  };
  std::array<StorageView, kBytes> columns;  // sums of products of equal weight, below 2^18
  for (int k = 0; k < kBytes; ++k) {
    for (int i = 0; i <= k; ++i) {
      const auto product = wide();
      MACAW_CHECK(lowering.elementwise(kMul, product, byte(a, i), byte(b, k - i)));
      auto& column = columns[static_cast<std::size_t>(k)];
      if (i == 0) {
        column = product;
      } else {
        MACAW_ASSIGN(column, sum(kAdd, column, product));
      }
    }
  }
  const auto pair = [&](const StorageView& low, const StorageView& high) -> Result<StorageView> {
    const auto eight = lowering.scalar(8, high);
    MACAW_ASSIGN(const auto shifted, sum(kShl, high, eight));
    return sum(kAdd, low, shifted);
  };
  MACAW_ASSIGN(const auto low, pair(columns[0], columns[1]));
  MACAW_ASSIGN(const auto high, pair(columns[2], columns[3]));
  const auto carry = wide();
  MACAW_CHECK(lowering.convert(carry, half(low, 1)));
  MACAW_ASSIGN(const auto carried, sum(kAdd, high, carry));
  MACAW_CHECK(lowering.copy(half(out, 0), half(low, 0)));
  return lowering.copy(half(out, 1), half(carried, 0));
}

}  // namespace

Result<void> lower_mul(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  MACAW_ASSIGN(const auto shift, lowering.graph.integer(lowering.op, 2));
  const auto& inputs = lowering.current().inputs;
  if (x.a.bits == 32 && shift == 0 && bound(lowering.graph, inputs[0]) * bound(lowering.graph, inputs[1]) >= kAny)
    return multiply_bytes(lowering, x.out, x.a, x.b);
  return lower_product(lowering);
}

}  // namespace macaw::npu::compiler::u55_u65
