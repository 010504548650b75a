#include "sim/datapath/requantize.hpp"

#include <bit>

namespace macaw::npu {

Divisor pooling_divisor(std::int64_t count, int bits) {
  const int k = std::bit_width(static_cast<std::uint64_t>(count - 1));
  const Int128 numerator = (Int128{1} << (bits + k)) + (Int128{1} << k);
  return {static_cast<std::uint32_t>(numerator / count), bits + k};
}

}  // namespace macaw::npu
