#pragma once
#include <cstdint>

namespace macaw {

/// What starting an operator or a body of a loop counts of a limit on work: it takes about as long as this number of
/// multiply-accumulates.
inline constexpr std::int64_t kWorkPerOperator = 1 << 16;

}  // namespace macaw
