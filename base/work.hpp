#pragma once
#include <cstdint>

namespace macaw {

/// The share of a limit on work that each start of an operator, a subgraph or a loop body takes: so much that a network
/// of nothing else ends within seconds.
inline constexpr std::int64_t kWorkPerOperator = 1 << 19;

/// The share that each tensor of a subgraph or of a body takes when that is started.
inline constexpr std::int64_t kWorkPerTensor = 1 << 14;

}  // namespace macaw
