#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace macaw::compare {

/// Tracks the control steps of a run by the streams and CPU operators that it executes.
class ControlPath {
 public:
  /// Whether a byte of a memory is nonzero at present; none if it is unknown.
  using Condition = std::function<std::optional<bool>(const npu::RegionBinding&)>;

  explicit ControlPath(const npu::Artifact& artifact) : artifact_(artifact) {}

  /// Moves to the stream or CPU operator that starts now and returns the control steps on the way, in order.
  /// `condition` decides if both branches lead there. Empty if no path leads there.
  std::vector<const npu::ControlStep*> advance_to(std::size_t step, const Condition& condition);

 private:
  struct Position {
    std::size_t next = 0;
    std::vector<std::size_t> returns;  ///< return positions of calls, the innermost last
    auto operator<=>(const Position&) const = default;
  };

  /// The possible successors of the step, the likelier position first.
  [[nodiscard]] std::vector<Position> successors(const Position& from, const Condition& condition) const;

  const npu::Artifact& artifact_;
  Position position_;
};

}  // namespace macaw::compare
