#pragma once
#include <array>
#include <functional>
#include <numbers>
#include <vector>

#include "workflow/board/memory_errors.hpp"

namespace macaw::board {

constexpr double kFinestStep = 0.01;
/// Numbers of outstanding transactions to try, in this order; the largest means no limit.
constexpr std::array<double, 6> kLimits{63, 4, 8, 2, 16, 1};

/// Logarithms of all fields, with the errors of a part's runs.
struct Point {
  Eigen::VectorXd x, errors;
  [[nodiscard]] double cost() const { return errors.squaredNorm(); }
  [[nodiscard]] double worst() const { return errors.cwiseAbs().maxCoeff(); }
  /// The remaining errors are below what the measurements resolve.
  [[nodiscard]] bool done() const { return worst() < 1; }
  /// Each run is within the resolution of its counter: half a step is sqrt(3) times its standard deviation.
  [[nodiscard]] bool fits() const { return worst() <= std::numbers::sqrt3; }
};

[[nodiscard]] Result<Point> at(MemoryErrors& errors, const Part& part, Eigen::VectorXd x);

/// Levenberg-Marquardt steps within the limits, as long as they help and `enough` does not stop them. Since runs are
/// the main cost, slopes are updated from each step; they are computed if none are given, and again where they turn out
/// wrong.
[[nodiscard]] Result<Point> descend(MemoryErrors& errors, const Part& part, Point point,
                                    const std::function<bool(const Point&)>& enough = &Point::done,
                                    Eigen::MatrixXd slopes = {});

/// Local search with decreasing steps: integer limits make cycles jump, which slopes do not show.
[[nodiscard]] Result<Point> polish(MemoryErrors& errors, const Part& part, Point point);

/// Fields that are moved together: each alone, and a latency with the number of transactions that hide it.
[[nodiscard]] std::vector<std::vector<Eigen::Index>> directions(const MemoryErrors& errors, const Part& part);

/// The part without its fields for limits of outstanding transactions.
[[nodiscard]] Part without_limits(const MemoryErrors& errors, const Part& part);

}  // namespace macaw::board
