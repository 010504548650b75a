#include "workflow/board/memory_descent.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostSteps = 20;
constexpr double kCoarsestStep = 0.32;

}  // namespace

Result<Point> at(MemoryErrors& errors, const Part& part, VectorXd x) {
  x = errors.clamped(std::move(x));
  MACAW_ASSIGN(VectorXd found, errors(part, x));
  return Point{std::move(x), std::move(found)};
}

Result<Point> descend(MemoryErrors& errors, const Part& part, Point point) {
  double damping = 0.1;
  for (int step = 0; step < kMostSteps && !point.done(); ++step) {
    MACAW_ASSIGN(const MatrixXd slopes, errors.slopes(part, point.x, point.errors));
    const MatrixXd square = slopes.transpose() * slopes;
    const double before = point.cost();
    for (int attempt = 0; attempt < 4; ++attempt, damping *= 8) {
      MatrixXd damped = square;
      damped.diagonal() += VectorXd::Constant(square.rows(), damping * (1 + square.diagonal().maxCoeff() * 1e-3)) +
                           damping * square.diagonal();
      const VectorXd move = damped.ldlt().solve(-slopes.transpose() * point.errors);
      VectorXd x = point.x;
      for (std::size_t i = 0; i < part.knobs.size(); ++i) x[part.knobs[i]] += move[Index(i)];
      MACAW_ASSIGN(auto next, at(errors, part, std::move(x)));
      if (next.cost() < point.cost()) {
        point = std::move(next);
        damping = std::max(damping / 8, 1e-4);
        break;
      }
    }
    if (point.cost() > before * 0.98) break;
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
  for (double step = kCoarsestStep; step > kFinestStep && !point.done();) {
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
