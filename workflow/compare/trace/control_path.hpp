#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace macaw::compare {

/// Which control steps a run has taken, from the streams and CPU operators that it executed.
class ControlPath {
 public:
  /// Whether a byte of a memory is other than 0 at present; none if that is not known.
  using Condition = std::function<std::optional<bool>(const npu::RegionBinding&)>;

  explicit ControlPath(const npu::Artifact& artifact) : artifact_(artifact) {}

  /// Moves to a stream or CPU operator that starts now. Returns the control steps on the way, in order. Where branches
  /// lead to it either way, `condition` decides. Empty if none leads there.
  std::vector<const npu::ControlStep*> advance_to(std::size_t step, const Condition& condition);

 private:
  struct Position {
    std::size_t next = 0;
    std::vector<std::size_t> returns;  ///< where calls go on, the innermost last
    auto operator<=>(const Position&) const = default;
  };

  /// Where the step leads, the likelier position first.
  [[nodiscard]] std::vector<Position> successors(const Position& from, const Condition& condition) const;

  const npu::Artifact& artifact_;
  Position position_;
};

}  // namespace macaw::compare
