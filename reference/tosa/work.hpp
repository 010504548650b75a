#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "base/work.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Work of an operator's execution, counted against Options::max_work: multiply-accumulates, comparisons of a pool and
/// the like 1, elements written or reduced 16, itself kWorkPerOperator. `bounds`: of a bounds run.
[[nodiscard]] std::int64_t work_of(const Operator& op, std::span<const Tensor* const> inputs,
                                   std::span<const std::shared_ptr<Tensor>> outputs, bool bounds);
/// Cost of copying tensors into a body and starting it.
[[nodiscard]] std::int64_t work_of_body(std::span<const Tensor* const> arguments);

}  // namespace macaw::tosa
