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

/// The current operator as one elementwise operation, with the RESCALE behind it where the operation can do that.
[[nodiscard]] Result<void> lower_binary(Lowering& lowering, ElementwiseMode mode, const Output& how = {});

/// A CAST to another type than BOOL.
[[nodiscard]] Result<void> lower_to_integer(Lowering& lowering, const Unary& operands);

/// A MUL as one operation.
[[nodiscard]] Result<void> lower_product(Lowering& lowering);

/// RESCALE, RESCALE, ADD, RESCALE as one operation, where that is exact.
struct QuantizedAdd {
  std::array<RescaleArguments, 2> operands;
  std::array<tosa::ValueId, 2> inputs{};
  BlockOperation block;  ///< scales and modes
};
[[nodiscard]] std::optional<QuantizedAdd> match_quantized_add(const Lowering& lowering, std::size_t add);

}  // namespace macaw::npu
