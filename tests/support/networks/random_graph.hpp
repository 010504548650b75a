#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>

namespace macaw::test {

/// A graph of up to five of the patterns that the compiler supports, with extents, windows, zero points, multipliers
/// and constants drawn from the seed. The first draws are small maps; scales keep values from saturating everywhere.
[[nodiscard]] tosa::Graph random_graph(std::uint64_t seed);

}  // namespace macaw::test
