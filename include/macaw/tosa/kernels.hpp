#pragma once
#include <cstdint>

namespace macaw::tosa {

/// Which code computes the operators that have more than one. Results are the same bytes.
enum class Kernels : std::uint8_t {
  kBest,    ///< the vector code for this processor
  kScalar,  ///< plain loops, for comparison
};

}  // namespace macaw::tosa
