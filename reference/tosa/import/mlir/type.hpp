#pragma once
#include <macaw/dtype.hpp>
#include <macaw/tensor.hpp>

#include <optional>
#include <string>
#include <vector>

#include "reference/tosa/import/mlir/cursor.hpp"

namespace macaw::tosa::mlir {

/// A tensor or shape of a graph, or the type of its elements alone.
struct Type {
  DType dtype = DType::kINT8;
  bool is_tensor = true;
  std::optional<Shape> shape;  ///< as of Value
  /// As spelled, one for each block of a constant of a block-scaled type; empty in the type of a value.
  std::vector<std::string> scales = {};

  friend bool operator==(const Type&, const Type&) = default;
};

struct FunctionType {
  std::vector<Type> inputs, results;
};

/// MLIR's spelling of a type's elements, "f8E4M3FN"; none for those that MLIR does not have.
[[nodiscard]] std::optional<std::string_view> element_name(DType dtype);
/// "tensor<1x?xi8>", "tensor<32x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>>", "!tosa.shape<4>"
[[nodiscard]] Result<std::string> to_text(const Type& type);

[[nodiscard]] Result<Type> read_type(Cursor& in);
/// "(types) -> type" or "(types) -> (types)"
[[nodiscard]] Result<FunctionType> read_function_type(Cursor& in);
/// "type, type" or "(type, type)"
[[nodiscard]] Result<std::vector<Type>> read_types(Cursor& in);

}  // namespace macaw::tosa::mlir
