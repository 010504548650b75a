#include "workflow/board/memory_fit.hpp"

#include <fmt/format.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A field that is fitted, on a scale of logarithms; at `none` it does nothing.
struct Knob {
  std::string name;
  double low, high, none;
  bool integer;
};

// `none` of a limit is the greatest value. More than two beats a cycle, one each way, no port moves.
std::vector<Knob> all_knobs() {
  std::vector<Knob> knobs;
  for (const std::string port : {"axi0.", "axi1."}) {
    knobs.push_back({port + "read_latency", 1, 4000, 1, true});
    knobs.push_back({port + "write_latency", 1, 4000, 1, true});
    knobs.push_back({port + "beats_per_cycle", 0.01, 2, 2, false});
    knobs.push_back({port + "max_reads", 1, 63, 63, true});
    knobs.push_back({port + "max_writes", 1, 63, 63, true});
    knobs.push_back({port + "least_bytes", 8, 512, 8, true});
  }
  return knobs;
}

// Relative errors that a model of a memory leaves in any case.
constexpr double kLeastError = 0.003;
constexpr int kStarts = 40, kTries = 8, kMostSteps = 20;
constexpr double kSlopeStep = 0.3, kCoarsestStep = 0.32, kFinestStep = 0.01;
// Half the width of an interval that holds nine of ten normally distributed values.
constexpr double kNineOfTen = 1.645;
// A field is known if its interval goes up by no more than this factor.
constexpr double kKnownFactor = 1.6;

/// Relative errors of runs as a function of the logarithms of fields.
class Errors {
 public:
  Errors(calibrate::Evaluator& evaluator, std::vector<const calibrate::Cell*> cells, std::vector<Knob> knobs)
      : evaluator_(evaluator), cells_(std::move(cells)), knobs_(std::move(knobs)) {}

  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  void keep(const std::vector<bool>& kept) {
    std::vector<Knob> left;
    for (std::size_t i = 0; i < knobs_.size(); ++i)
      if (kept[i]) left.push_back(knobs_[i]);
    knobs_ = std::move(left);
  }

  [[nodiscard]] VectorXd clamped(VectorXd x) const {
    for (std::size_t i = 0; i < knobs_.size(); ++i)
      x[Index(i)] = std::clamp(x[Index(i)], std::log(knobs_[i].low), std::log(knobs_[i].high));
    return x;
  }

  [[nodiscard]] double value(std::size_t knob, double x) const {
    const double value = std::exp(x);
    const auto& [name, low, high, none, integer] = knobs_[knob];
    if (std::abs(value / none - 1) < 0.02) return 0;
    return integer ? std::round(value) : value;
  }

  /// Logarithms of the cycles of one run.
  [[nodiscard]] Result<double> cycles(const calibrate::Cell& cell, const VectorXd& x) {
    std::vector<std::pair<std::string, double>> params;
    for (std::size_t i = 0; i < knobs_.size(); ++i) params.emplace_back(knobs_[i].name, value(i, x[Index(i)]));
    MACAW_ASSIGN(const auto outcome, evaluator_.run(cell, params));
    return std::log(static_cast<double>(outcome.cycles));
  }

  /// Each in units of what the resolution of its measurement leaves open.
  [[nodiscard]] Result<VectorXd> operator()(const VectorXd& x) {
    VectorXd errors(Index(cells_.size()));
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      MACAW_ASSIGN(const double cycles, this->cycles(*cells_[i], x));
      const auto& measured = *cells_[i]->cycles;
      const double middle = measured.value - measured.resolution / 2;
      // A value spread evenly over a step of 1 deviates by 1/sqrt(12).
      const double open = std::hypot(kLeastError, measured.resolution / std::sqrt(12) / middle);
      errors[Index(i)] = (cycles - std::log(middle)) / open;
    }
    return errors;
  }

  [[nodiscard]] Result<MatrixXd> slopes(const VectorXd& x, const VectorXd& here) {
    MatrixXd slopes(here.size(), x.size());
    for (Index i = 0; i < x.size(); ++i) {
      VectorXd moved = x;
      moved[i] += kSlopeStep;
      moved = clamped(moved);
      if (moved[i] - x[i] < kSlopeStep / 2) moved[i] = x[i] - kSlopeStep;
      MACAW_ASSIGN(const VectorXd there, (*this)(moved));
      slopes.col(i) = (there - here) / (moved[i] - x[i]);
    }
    return slopes;
  }

 private:
  calibrate::Evaluator& evaluator_;
  std::vector<const calibrate::Cell*> cells_;
  std::vector<Knob> knobs_;
};

struct Point {
  VectorXd x, errors;
  [[nodiscard]] double cost() const { return errors.squaredNorm(); }
  /// Nothing is left that the measurements would show.
  [[nodiscard]] bool done() const { return errors.cwiseAbs().maxCoeff() < 1; }
};

Result<Point> at(Errors& errors, VectorXd x) {
  x = errors.clamped(std::move(x));
  MACAW_ASSIGN(VectorXd found, errors(x));
  return Point{std::move(x), std::move(found)};
}

/// Steps of Levenberg and Marquardt within the limits, as long as they help.
Result<Point> descend(Errors& errors, Point point) {
  double damping = 0.1;
  for (int step = 0; step < kMostSteps && !point.done(); ++step) {
    MACAW_ASSIGN(const MatrixXd slopes, errors.slopes(point.x, point.errors));
    const MatrixXd square = slopes.transpose() * slopes;
    const double before = point.cost();
    for (int attempt = 0; attempt < 4; ++attempt, damping *= 8) {
      MatrixXd damped = square;
      damped.diagonal() += VectorXd::Constant(square.rows(), damping * (1 + square.diagonal().maxCoeff() * 1e-3)) +
                           damping * square.diagonal();
      const VectorXd move = damped.ldlt().solve(-slopes.transpose() * point.errors);
      MACAW_ASSIGN(auto next, at(errors, point.x + move));
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

/// One field at a time, in ever smaller steps: cycles move in jumps with limits of whole numbers, which slopes miss.
Result<Point> polish(Errors& errors, Point point) {
  for (double step = kCoarsestStep; step > kFinestStep && !point.done();) {
    const double before = point.cost();
    for (Index i = 0; i < point.x.size(); ++i)
      for (const double move : {step, -step}) {
        VectorXd x = point.x;
        x[i] += move;
        MACAW_ASSIGN(auto next, at(errors, std::move(x)));
        if (next.cost() < point.cost()) {
          point = std::move(next);
          break;
        }
      }
    if (point.cost() > before * 0.995) step /= 2;
  }
  return point;
}

/// Which fields change any run by a per mille at all, from all of them in the middle or doing nothing.
Result<std::vector<bool>> that_matter(Errors& errors) {
  const auto& knobs = errors.knobs();
  std::vector<bool> matter(knobs.size(), false);
  for (const bool busy : {false, true}) {
    VectorXd x(Index(knobs.size()));
    for (std::size_t i = 0; i < knobs.size(); ++i)
      x[Index(i)] = busy ? (std::log(knobs[i].low) + std::log(knobs[i].high)) / 2 : std::log(knobs[i].none);
    MACAW_ASSIGN(const VectorXd here, errors(x));
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      for (const double end : {knobs[i].low, knobs[i].high}) {
        if (matter[i] || (!busy && end == knobs[i].none)) continue;
        VectorXd moved = x;
        moved[Index(i)] = std::log(end);
        MACAW_ASSIGN(const VectorXd there, errors(moved));
        matter[i] = (there - here).cwiseAbs().maxCoeff() * kLeastError > 1e-3;
      }
    }
  }
  return matter;
}

Result<Point> best_point(Errors& errors) {
  const auto& knobs = errors.knobs();
  std::mt19937 random(1);
  std::vector<Point> points;
  for (int start = 0; start < kStarts; ++start) {
    VectorXd x(Index(knobs.size()));
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
      x[Index(i)] = std::log(knobs[i].low) + share * std::log(knobs[i].high / knobs[i].low);
    }
    MACAW_ASSIGN(auto point, at(errors, std::move(x)));
    points.push_back(std::move(point));
  }
  // Cycles have valleys that lead nowhere: from the best starts, until the way down ends near what was measured.
  std::ranges::sort(points, {}, &Point::cost);
  points.resize(kTries);
  Point best = points.front();
  for (auto& point : points) {
    MACAW_ASSIGN(point, descend(errors, std::move(point)));
    if (point.cost() < best.cost()) best = point;
    if (best.cost() < 4 * static_cast<double>(best.errors.size())) break;
  }
  return polish(errors, std::move(best));
}

/// Of the runs that were not made, the one that depends most on a field.
Result<std::string> run_to_make(Errors& errors, const VectorXd& x, Index field,
                                const std::vector<calibrate::Cell>& cells) {
  std::string best;
  double most = 0.02;
  VectorXd moved = x;
  moved[field] += kSlopeStep;
  moved = errors.clamped(moved);
  if (moved[field] - x[field] < kSlopeStep / 2) moved[field] = x[field] - kSlopeStep;
  for (const auto& cell : cells) {
    if (cell.cycles) continue;
    MACAW_ASSIGN(const double here, errors.cycles(cell, x));
    MACAW_ASSIGN(const double there, errors.cycles(cell, moved));
    const double slope = std::abs((there - here) / (moved[field] - x[field]));
    if (slope > most) {
      most = slope;
      best = cell.describe;
    }
  }
  return best;
}

/// Intervals from the slopes around the best point: wide where the runs depend on a field little, or on several in the
/// same way.
Result<void> judge(MemoryFit& fit, Errors& errors, const Point& best, const std::vector<calibrate::Cell>& cells) {
  MACAW_ASSIGN(const MatrixXd slopes, errors.slopes(best.x, best.errors));
  const Index count = best.x.size();
  const double spare = std::max<double>(1, static_cast<double>(best.errors.size() - count));
  const double scatter = std::max(1.0, best.cost() / spare);
  MatrixXd square = slopes.transpose() * slopes;
  // A field that nothing depends on here: its variance is large, not infinite.
  square.diagonal().array() += 1e-3;
  const MatrixXd covariance = square.inverse() * scatter;
  for (Index i = 0; i < count; ++i) {
    const auto& knob = errors.knobs()[std::size_t(i)];
    FittedField field{.name = knob.name, .value = errors.value(std::size_t(i), best.x[i])};
    const double wide = kNineOfTen * std::sqrt(covariance(i, i));
    field.low = std::max(knob.low, std::exp(best.x[i] - wide));
    field.high = std::min(knob.high, std::exp(best.x[i] + wide));
    field.known = std::exp(wide) <= kKnownFactor;
    if (!field.known) {
      Index like = -1;
      for (Index j = 0; j < count; ++j) {
        const double alike = std::abs(covariance(i, j)) / std::sqrt(covariance(i, i) * covariance(j, j));
        if (j != i && alike > 0.9 &&
            (like < 0 || alike > std::abs(covariance(i, like)) / std::sqrt(covariance(i, i) * covariance(like, like))))
          like = j;
      }
      if (like >= 0) field.alike = errors.knobs()[std::size_t(like)].name;
      MACAW_ASSIGN(field.ask, run_to_make(errors, best.x, i, cells));
    }
    fit.fields.push_back(std::move(field));
  }
  return {};
}

}  // namespace

Result<MemoryFit> fit_memory(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells) {
  std::vector<const calibrate::Cell*> made;
  for (const auto& cell : cells)
    if (cell.cycles) made.push_back(&cell);
  if (made.empty()) return fail(ErrorCode::kInvalidFile, "no run has cycles: fill in the column npu_active");
  Errors errors(evaluator, made, all_knobs());
  MACAW_ASSIGN(const auto matter, that_matter(errors));
  errors.keep(matter);
  const auto knobs = errors.knobs().size();
  if (made.size() <= knobs)
    return fail(
        ErrorCode::kInvalidFile,
        fmt::format("{} runs are too few: they depend on {} properties of the memories, and {} runs or more tell "
                    "these apart",
                    made.size(), knobs, knobs + 1));
  MACAW_ASSIGN(const auto best, best_point(errors));
  MemoryFit fit;
  MACAW_CHECK(judge(fit, errors, best, cells));
  for (std::size_t i = 0; i < made.size(); ++i) {
    MACAW_ASSIGN(const double cycles, errors.cycles(*made[i], best.x));
    const auto& measured = *made[i]->cycles;
    fit.runs.push_back({made[i], static_cast<std::uint64_t>(std::llround(std::exp(cycles))),
                        std::exp(cycles) / (measured.value - measured.resolution / 2) - 1});
  }
  return fit;
}

}  // namespace macaw::board
