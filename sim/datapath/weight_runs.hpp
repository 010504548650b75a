#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

// Both directions of weight_order.hpp for a traversal, which calls visit(OHWI index of the first weight, number of
// weights that are consecutive there, number of symbols, of which the rest are padding) in consumption order.
namespace macaw::npu {

template <class Traverse>
void place_runs(Traverse&& traverse, std::span<const std::int16_t> symbols, std::span<std::int16_t> ohwi) {
  constexpr int kUsualRun = 8;  // weights that are consecutive in a stream and in OHWI
  // A copy local to the traversal, so that it may stay in registers.
  traverse([next = symbols.data(), out = ohwi.data()](std::int64_t index, int weights, std::int64_t run) mutable {
    if (weights == kUsualRun) std::memcpy(out + index, next, kUsualRun * sizeof(*next));
    else if (weights > 0) std::copy_n(next, weights, out + index);
    next += run;
  });
}

template <class Traverse>
void order_runs(Traverse&& traverse, std::span<const std::int16_t> ohwi, std::vector<std::int16_t>& symbols) {
  traverse([&](std::int64_t index, int weights, std::int64_t run) {
    if (weights > 0) symbols.insert(symbols.end(), ohwi.begin() + index, ohwi.begin() + index + weights);
    symbols.resize(symbols.size() + static_cast<std::size_t>(run - weights));
  });
}

}  // namespace macaw::npu
