#pragma once
#include <cstdint>

namespace macaw {

/// What starting an operator, a subgraph or a body of a loop counts of a limit on work: so much that a network of
/// nothing else ends within seconds.
inline constexpr std::int64_t kWorkPerOperator = 1 << 19;

/// What each tensor of a subgraph or of a body counts when that is begun.
inline constexpr std::int64_t kWorkPerTensor = 1 << 14;

}  // namespace macaw
