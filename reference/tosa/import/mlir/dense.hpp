#pragma once
#include "reference/tosa/import/mlir/attribute.hpp"

namespace macaw::tosa::mlir {

/// "dense<...> : type", behind "dense".
[[nodiscard]] Result<std::shared_ptr<const Tensor>> read_dense(Cursor& in, Resources& resources);
/// "dense_resource<name> : type", behind "dense_resource".
[[nodiscard]] Result<std::shared_ptr<const Tensor>> read_dense_resource(Cursor& in, Resources& resources);

}  // namespace macaw::tosa::mlir
