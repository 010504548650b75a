#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <optional>

namespace macaw::tosa {

/// Operator and data type numbers of the two schemas; none for those that a schema does not know. 0.80's
/// FULLY_CONNECTED has no operator of its own.
[[nodiscard]] std::optional<Op> v1_op(std::uint32_t number);
[[nodiscard]] std::optional<std::uint32_t> v1_number(Op op);
[[nodiscard]] std::optional<DType> v1_dtype(std::uint32_t number);
[[nodiscard]] std::optional<std::uint32_t> v1_number(DType dtype);
[[nodiscard]] std::optional<Op> v0_80_op(std::uint32_t number);
[[nodiscard]] std::optional<std::uint32_t> v0_80_number(Op op);
[[nodiscard]] std::optional<DType> v0_80_dtype(std::uint32_t number);
[[nodiscard]] std::optional<std::uint32_t> v0_80_number(DType dtype);

}  // namespace macaw::tosa
