#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macaw/npu/run.hpp>
#include "workflow/report/edges.hpp"
#include "workflow/report/lifetimes.hpp"

namespace macaw::report {

/// Bottleneck of an operation: a unit, with its port where it moves data.
struct Bound {
  std::string unit;  ///< of npu::OperationTiming::busy, or "command_stream"
  std::string port;  ///< "axi0"; empty: the unit uses none

  /// "weights on axi1", "MAC array".
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const Bound&, const Bound&) = default;
};
/// The unit that was busy longest.
[[nodiscard]] Bound bound_of(const npu::OperationTiming& operation);

/// The operations of one operator of the source network; where nothing says which operator an operation is of, an
/// operation of its own. A DMA job without a source belongs to the operation after it.
struct Layer {
  std::string name;  ///< the operator in the source's words, "Conv2D 'conv1' (operator 3)", or operation and command
  std::string kind;  ///< "Conv2D", or the operation's
  std::optional<std::array<int, 3>> shape;  ///< height, width, channels of the result
  std::vector<std::size_t> operations;      ///< by index, in the order of their issue
  std::uint64_t inclusive = 0;              ///< cycles in which at least one of them was in progress
  std::uint64_t exclusive = 0;              ///< sum of ExclusiveCycles::cycles(); over all layers the cycles of the run
  std::uint64_t macs = 0;
  std::array<std::map<std::string, std::uint64_t>, 2> bytes;  ///< by side and purpose
  std::array<std::uint64_t, 2> alive{};                       ///< by side: most bytes that held something meanwhile
  Bound bound;                                                ///< of most of the exclusive cycles
  std::uint64_t mac_cycles = 0;                               ///< the MAC array is active, by the block walk
  std::uint64_t decoder_cycles = 0;                           ///< the weight decoder is busy
  /// Sums over different weight streams: what several operations read in turn counts once. checksum has no meaning
  /// here.
  std::optional<npu::WeightFigures> weights;
  std::uint64_t decoded = 0;  ///< weights that are decoded, each time that a stream is read
  /// The operation of most exclusive cycles, by its index among those of the run; a DMA job only where there is
  /// nothing else.
  std::size_t main_operation = 0;

  [[nodiscard]] std::uint64_t moved(int side) const;
};

/// "CONV 3x3/2, 96x96x32 -> 48x48x64" from the registers of an operation: taps and strides (vertical x horizontal) and
/// maps (height x width x channels); without details its name alone, "CONV".
[[nodiscard]] std::string operation_label(const npu::OperationTiming& operation);

/// A run as its network's operators, in the order of their first commands, and where the cycles went.
struct Summary {
  std::vector<Layer> layers;
  std::vector<std::size_t> layer_of;                    ///< by operation
  std::vector<std::pair<Bound, std::uint64_t>> bounds;  ///< exclusive cycles, most first; adds up to the run's
  Edges edges;                                          ///< between layers
  std::vector<Lifetime> lifetimes;
  std::array<MemoryUse, 2> memory;  ///< by side

  /// Indices of layers by exclusive cycles, most first.
  [[nodiscard]] std::vector<std::size_t> longest() const;
};
[[nodiscard]] Summary summarise(const npu::RunRecord& run);

/// 0 of nothing.
[[nodiscard]] inline double percent(std::uint64_t part, double whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / whole;
}

}  // namespace macaw::report
