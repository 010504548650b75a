#pragma once
#include "compiler/lowering.hpp"

namespace macaw::npu {

/// Operands and result of a binary operator.
struct Binary {
  StorageView out, a, b;
};
[[nodiscard]] Result<Binary> binary(Lowering& lowering);

/// Operands and result of a unary operator.
struct Unary {
  StorageView out, in;
};
[[nodiscard]] Result<Unary> unary(Lowering& lowering);

/// Operands and result of a SELECT, elements of at most 32 bits.
struct Selection {
  StorageView out, condition, a, b;
};
[[nodiscard]] Result<Selection> selection(Lowering& lowering);

/// Lowers the current operator to one elementwise operation, including the following RESCALE if the operation supports
/// it.
[[nodiscard]] Result<void> lower_binary(Lowering& lowering, ElementwiseMode mode, const Output& how = {});

/// Lowers a CAST to a type other than BOOL.
[[nodiscard]] Result<void> lower_to_integer(Lowering& lowering, const Unary& operands);

/// Lowers a MUL to one operation.
[[nodiscard]] Result<void> lower_product(Lowering& lowering);

/// RESCALE, RESCALE, ADD, RESCALE fused into one operation, if the result is exact.
struct QuantizedAdd {
  std::array<RescaleArguments, 2> operands;
  std::array<tosa::ValueId, 2> inputs{};
  BlockOperation block;  ///< scales and modes
};
[[nodiscard]] std::optional<QuantizedAdd> match_quantized_add(const Lowering& lowering, std::size_t add);

}  // namespace macaw::npu
