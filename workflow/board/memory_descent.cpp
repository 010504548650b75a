#include "workflow/board/memory_descent.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostSteps = 40, kMostFailed = 2;
constexpr double kCoarsestStep = 0.32, kLeastMove = 1e-3, kFarthestMove = 1;
// Largest accepted ratio of the cost after a step to the cost before it.
constexpr double kLeastGain = 0.98;
constexpr double kFirstDamping = 0.1;

/// A step down the slopes. Fields that it would carry past their limits stay there, and the others go without them.
VectorXd stepped(const MemoryErrors& errors, const Part& part, const Point& point, MatrixXd slopes, double damping) {
  VectorXd x = point.x;
  for (std::size_t held = 0; held <= part.knobs.size(); ++held) {
    MatrixXd square = slopes.transpose() * slopes;
    square.diagonal() += VectorXd::Constant(square.rows(), damping * (1 + square.diagonal().maxCoeff() * 1e-3)) +
                         damping * square.diagonal();
    VectorXd move = square.ldlt().solve(-slopes.transpose() * point.errors);
    move *= std::min(1.0, kFarthestMove / move.cwiseAbs().maxCoeff());
    x = point.x;
    x(part.knobs) += move;
    const VectorXd past = (errors.clamped(x) - x)(part.knobs);
    bool again = false;
    for (Index i = 0; i < past.size(); ++i)
      if (std::abs(past[i]) > 0 && std::abs(move[i] + past[i]) < kLeastMove && !slopes.col(i).isZero(0)) {
        slopes.col(i).setZero();
        again = true;
      }
    if (!again) break;
  }
  return x;
}

}  // namespace

Result<Point> at(MemoryErrors& errors, const Part& part, VectorXd x) {
  x = errors.clamped(std::move(x));
  MACAW_ASSIGN(VectorXd found, errors(part, x));
  return Point{std::move(x), std::move(found)};
}

Result<Point> descend(MemoryErrors& errors, const Part& part, Point point,
                      const std::function<bool(const Point&)>& enough, MatrixXd slopes) {
  double damping = kFirstDamping;
  const bool may_take = slopes.size() == 0;
  bool taken_here = false;
  for (int step = 0, failed = 0; step < kMostSteps && !enough(point); ++step) {
    if (slopes.size() == 0) {
      MACAW_ASSIGN(slopes, errors.slopes(part, point.x, point.errors));
      taken_here = true;
    }
    MACAW_ASSIGN(auto next, at(errors, part, stepped(errors, part, point, slopes, damping)));
    const VectorXd way = (next.x - point.x)(part.knobs);
    const bool moves = way.norm() > kLeastMove;
    // Broyden's update: the least change of the slopes that explains the step.
    if (moves) slopes += (next.errors - point.errors - slopes * way) * way.transpose() / way.squaredNorm();
    const bool helps = next.cost() < point.cost() * kLeastGain;
    failed = helps ? 0 : failed + 1;
    damping = next.cost() < point.cost() ? std::max(damping / 8, 1e-4) : damping * 8;
    if (helps) taken_here = false;
    if (next.cost() < point.cost()) point = std::move(next);
    if (moves && failed < kMostFailed) continue;
    if (taken_here || !may_take) break;
    slopes.resize(0, 0);
    damping = kFirstDamping;
    failed = 0;
  }
  return point;
}

std::vector<std::vector<Index>> directions(const MemoryErrors& errors, const Part& part) {
  std::vector<std::vector<Index>> all;
  for (const auto knob : part.knobs) {
    all.push_back({knob});
    const auto& name = errors.knobs()[std::size_t(knob)].name;
    // max_reads and max_writes stand three places behind their latencies.
    if (name.ends_with("_latency") && std::ranges::count(part.knobs, knob + 3) != 0) all.push_back({knob, knob + 3});
  }
  return all;
}

Result<Point> polish(MemoryErrors& errors, const Part& part, Point point) {
  const auto ways = directions(errors, part);
  for (double step = kCoarsestStep; step > kFinestStep && !point.fits();) {
    const double before = point.cost();
    for (const auto& way : ways)
      for (const double move : {step, -step}) {
        VectorXd x = point.x;
        for (const auto knob : way) x[knob] += move;
        MACAW_ASSIGN(auto next, at(errors, part, std::move(x)));
        if (next.cost() < point.cost()) {
          point = std::move(next);
          break;
        }
      }
    if (point.cost() > before * 0.995) step /= 2;
  }
  return point;
}

Part without_limits(const MemoryErrors& errors, const Part& part) {
  Part smooth = part;
  std::erase_if(smooth.knobs,
                [&](Index knob) { return errors.knobs()[std::size_t(knob)].name.find("max_") != std::string::npos; });
  return smooth;
}

}  // namespace macaw::board
