#pragma once
#include <macaw/dtype.hpp>
#include <macaw/tensor.hpp>

#include <optional>
#include <vector>

#include "executorch_generated.h"

// Tensor descriptions in programs and their bundled tests.
namespace macaw::npu {

/// nullopt for a type that Macaw's tensors do not have.
[[nodiscard]] inline std::optional<DType> dtype_of(pte::ScalarType type) {
  switch (type) {
    case pte::ScalarType::BYTE:
    case pte::ScalarType::QUINT8: return DType::kUINT8;
    case pte::ScalarType::CHAR:
    case pte::ScalarType::QINT8: return DType::kINT8;
    case pte::ScalarType::SHORT: return DType::kINT16;
    case pte::ScalarType::INT:
    case pte::ScalarType::QINT32: return DType::kINT32;
    case pte::ScalarType::LONG: return DType::kINT64;
    case pte::ScalarType::FLOAT: return DType::kFP32;
    case pte::ScalarType::DOUBLE: return DType::kFP64;
    case pte::ScalarType::BOOL: return DType::kBOOL;
    default: return std::nullopt;
  }
}

/// Returns the shape in memory order, which a file may state separately from the order of dimensions; nullopt if the
/// shape is not valid, or the order does not contain each dimension once.
template <class TensorTable>
[[nodiscard]] std::optional<Shape> shape_in_memory(const TensorTable& t) {
  const std::size_t rank = t.sizes() ? t.sizes()->size() : 0, ordered = t.dim_order() ? t.dim_order()->size() : 0;
  if (ordered != 0 && ordered != rank) return std::nullopt;
  std::vector<bool> seen(rank);
  Shape shape;
  for (unsigned d = 0; d < rank; ++d) {
    const unsigned from = ordered != 0 ? t.dim_order()->Get(d) : d;
    if (from >= rank || seen[from] || t.sizes()->Get(from) < 0) return std::nullopt;
    seen[from] = true;
    shape.push_back(t.sizes()->Get(from));
  }
  return shape;
}

}  // namespace macaw::npu
