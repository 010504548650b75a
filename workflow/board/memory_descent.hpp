#pragma once
#include <array>
#include <functional>
#include <numbers>
#include <vector>

#include "workflow/board/memory_errors.hpp"

namespace macaw::board {

constexpr double kFinestStep = 0.01;
/// Numbers of outstanding transactions to try first; the greatest means no limit.
constexpr std::array<double, 6> kLimits{63, 4, 8, 2, 16, 1};

/// Logarithms of all fields with the errors of a part's runs.
struct Point {
  Eigen::VectorXd x, errors;
  [[nodiscard]] double cost() const { return errors.squaredNorm(); }
  [[nodiscard]] double worst() const { return errors.cwiseAbs().maxCoeff(); }
  /// Nothing is left that the measurements would show.
  [[nodiscard]] bool done() const { return worst() < 1; }
  /// Each run is within the step that its counter was read in: half of one is sqrt(3) times its deviation.
  [[nodiscard]] bool fits() const { return worst() <= std::numbers::sqrt3; }
};

[[nodiscard]] Result<Point> at(MemoryErrors& errors, const Part& part, Eigen::VectorXd x);

/// Steps of Levenberg and Marquardt within the limits, as long as they help and `enough` asks for more. Slopes learn
/// from each step, as runs cost more than all else; where none are given, they are taken, and again where they mislead.
[[nodiscard]] Result<Point> descend(MemoryErrors& errors, const Part& part, Point point,
                                    const std::function<bool(const Point&)>& enough = &Point::done,
                                    Eigen::MatrixXd slopes = {});

/// Ever smaller steps: cycles move in jumps with limits of whole numbers, which slopes miss.
[[nodiscard]] Result<Point> polish(MemoryErrors& errors, const Part& part, Point point);

/// Fields that are moved together: one at a time, and a latency with the number of transactions that hide it.
[[nodiscard]] std::vector<std::vector<Eigen::Index>> directions(const MemoryErrors& errors, const Part& part);

/// A part without its limits of transactions outstanding.
[[nodiscard]] Part without_limits(const MemoryErrors& errors, const Part& part);

}  // namespace macaw::board
