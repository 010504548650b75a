#include "workflow/board/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "workflow/board/memory_errors.hpp"

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<std::size_t, 2> kBoth{0, 1};
constexpr int kStarts = 8, kTries = 2, kMostSteps = 20;
// Of transactions outstanding; the greatest is none.
constexpr double kLimits[] = {63, 4, 8, 2, 16, 1}, kFewLimits[] = {63, 8, 4, 2};
constexpr double kCoarsestStep = 0.32, kFinestStep = 0.01;
// Half the width of an interval that holds nine of ten normally distributed values.
constexpr double kNineOfTen = 1.645;
// A field is known if its interval goes up by no more than this factor.
constexpr double kKnownFactor = 1.6;

struct Point {
  VectorXd x, errors;
  [[nodiscard]] double cost() const { return errors.squaredNorm(); }
  /// Nothing is left that the measurements would show.
  [[nodiscard]] bool done() const { return errors.cwiseAbs().maxCoeff() < 1; }
};

Result<Point> at(MemoryErrors& errors, const Part& part, VectorXd x) {
  x = errors.clamped(std::move(x));
  MACAW_ASSIGN(VectorXd found, errors(part, x));
  return Point{std::move(x), std::move(found)};
}

/// Steps of Levenberg and Marquardt within the limits, as long as they help.
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

/// Fields that are moved together: one at a time, and a latency with the number of transactions that hide it.
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

/// Ever smaller steps: cycles move in jumps with limits of whole numbers, which slopes miss.
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

/// Other limits of one direction with the rate that its latency leaves them, and all else found anew for each.
Result<Point> with_other_limits(MemoryErrors& errors, const Part& part, const Part& smooth, Point best) {
  for (const auto& way : directions(errors, part)) {
    if (way.size() != 2) continue;
    for (const double limit : kLimits) {
      VectorXd x = best.x;
      const double move = std::log(limit) - x[way[1]];
      if (std::abs(move) < kFinestStep) continue;
      for (const auto knob : way) x[knob] += move;
      MACAW_ASSIGN(auto next, at(errors, part, std::move(x)));
      MACAW_ASSIGN(next, descend(errors, smooth, std::move(next)));
      if (next.cost() < best.cost()) best = std::move(next);
    }
  }
  return best;
}

/// Limits to try together, in the order of the part's fields that are limits.
std::vector<std::vector<double>> limits_to_try(std::size_t count) {
  std::vector<std::vector<double>> all;
  if (count == 1)
    for (const double limit : kLimits) all.push_back({limit});
  if (count == 2)
    for (const double first : kFewLimits)
      for (const double second : kFewLimits) all.push_back({first, second});
  // Those of both ports at once are too many for each with each.
  if (count > 2)
    for (const double limit : kLimits) all.emplace_back(count, limit);
  if (count == 0) all.emplace_back();
  return all;
}

/// The best of many starts, from `base` in the fields that the part leaves alone. Limits of whole numbers divide the
/// way down into valleys of their own: some are tried in turn, with all else found for each.
Result<Point> search(MemoryErrors& errors, const Part& part, const VectorXd& base) {
  std::mt19937 random(1);
  const auto share = [&] { return static_cast<double>(random()) / static_cast<double>(std::mt19937::max()); };
  const auto is_near = [&](const Point& point) { return point.cost() < static_cast<double>(part.cells.size()); };
  Part smooth{.knobs = {}, .cells = part.cells};
  std::vector<Index> limited;
  for (const auto knob : part.knobs)
    (errors.knobs()[std::size_t(knob)].name.find("max_") == std::string::npos ? smooth.knobs : limited).push_back(knob);
  std::vector<Point> points;
  for (const auto& limits : limits_to_try(limited.size())) {
    std::vector<Point> starts;
    for (int start = 0; start < kStarts; ++start) {
      VectorXd x = base;
      for (std::size_t i = 0; i < limited.size(); ++i) x[limited[i]] = std::log(limits[i]);
      for (const auto knob : smooth.knobs) {
        const auto& [name, port, low, high, none, integer] = errors.knobs()[std::size_t(knob)];
        const bool is_off = name.ends_with("least_bytes") && share() < 0.5;
        x[knob] = std::log(is_off ? none : low * std::pow(high / low, share()));
      }
      MACAW_ASSIGN(auto point, at(errors, part, std::move(x)));
      starts.push_back(std::move(point));
    }
    MACAW_ASSIGN(auto point, descend(errors, smooth, std::ranges::min(starts, {}, &Point::cost)));
    if (is_near(point)) return point;
    points.push_back(std::move(point));
  }
  std::ranges::sort(points, {}, &Point::cost);
  points.resize(std::min<std::size_t>(points.size(), kTries));
  for (auto& point : points) {
    MACAW_ASSIGN(point, with_other_limits(errors, part, smooth, std::move(point)));
    MACAW_ASSIGN(point, descend(errors, part, std::move(point)));
    MACAW_ASSIGN(point, polish(errors, part, std::move(point)));
    if (is_near(point)) return point;
  }
  return std::ranges::min(points, {}, &Point::cost);
}

/// Port by port where runs use one alone, then what is left of both, then all of it.
Result<Point> best_point(MemoryErrors& errors) {
  VectorXd base = errors.none();
  std::vector<std::size_t> open;
  for (const std::size_t port : {0, 1}) {
    const Part part{errors.that_matter(std::array{port}), errors.measured_with(port)};
    if (part.knobs.empty() || part.cells.size() < part.knobs.size()) {
      open.push_back(port);
      continue;
    }
    MACAW_ASSIGN(const auto found, search(errors, part, base));
    base = found.x;
  }
  const Part left{errors.that_matter(open), errors.measured()};
  if (!left.knobs.empty()) {
    MACAW_ASSIGN(const auto found, search(errors, left, base));
    base = found.x;
  }
  const Part all{errors.that_matter(kBoth), errors.measured()};
  MACAW_ASSIGN(auto best, at(errors, all, base));
  MACAW_ASSIGN(best, descend(errors, all, std::move(best)));
  return polish(errors, all, std::move(best));
}

/// Of the runs that were not made, the one that depends most on a field.
Result<std::string> run_to_make(MemoryErrors& errors, const VectorXd& x, Index field,
                                const std::vector<calibrate::Cell>& cells) {
  std::string best;
  double most = 0.02;
  const VectorXd moved = errors.moved(x, field);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].cycles) continue;
    MACAW_ASSIGN(const double here, errors.cycles(i, x));
    MACAW_ASSIGN(const double there, errors.cycles(i, moved));
    const double slope = std::abs((there - here) / (moved[field] - x[field]));
    if (slope > most) {
      most = slope;
      best = cells[i].describe;
    }
  }
  return best;
}

/// The field that goes with another one the most, if nearly always.
std::optional<Index> look_alike(const MatrixXd& covariance, Index i) {
  std::optional<Index> found;
  double most = 0.9;
  for (Index j = 0; j < covariance.rows(); ++j) {
    const double alike = std::abs(covariance(i, j)) / std::sqrt(covariance(i, i) * covariance(j, j));
    if (j == i || alike <= most) continue;
    most = alike;
    found = j;
  }
  return found;
}

/// Intervals from the slopes around the best point: wide where the runs depend on a field little, or on several in the
/// same way.
Result<void> judge(MemoryFit& fit, MemoryErrors& errors, const Part& part, const Point& best,
                   const std::vector<calibrate::Cell>& cells) {
  MACAW_ASSIGN(const MatrixXd slopes, errors.slopes(part, best.x, best.errors));
  const auto count = Index(part.knobs.size());
  const double spare = std::max<double>(1, static_cast<double>(best.errors.size() - count));
  const double scatter = std::max(1.0, best.cost() / spare);
  MatrixXd square = slopes.transpose() * slopes;
  // A field that nothing depends on here: its variance is large, not infinite.
  square.diagonal().array() += 1e-3;
  const MatrixXd covariance = square.inverse() * scatter;
  for (Index i = 0; i < count; ++i) {
    const auto place = part.knobs[std::size_t(i)];
    const auto& knob = errors.knobs()[std::size_t(place)];
    FittedField field{.name = knob.name, .value = errors.value(place, best.x[place])};
    const double wide = kNineOfTen * std::sqrt(covariance(i, i));
    const double value = field.value == 0 ? knob.none : field.value;
    field.low = std::max(knob.low, std::min(value, std::exp(best.x[place] - wide)));
    field.high = std::min(knob.high, std::max(value, std::exp(best.x[place] + wide)));
    field.known = std::exp(wide) <= kKnownFactor;
    if (!field.known) {
      if (const auto like = look_alike(covariance, i))
        field.alike = errors.knobs()[std::size_t(part.knobs[std::size_t(*like)])].name;
      MACAW_ASSIGN(field.ask, run_to_make(errors, best.x, place, cells));
    }
    fit.fields.push_back(std::move(field));
  }
  return {};
}

}  // namespace

Result<MemoryFit> fit_memory(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells) {
  MemoryErrors errors(evaluator, cells);
  const auto made = errors.measured();
  if (made.empty()) return fail(ErrorCode::kInvalidFile, "no run has cycles: fill in the column npu_active");
  MACAW_CHECK(errors.explore());
  const Part all{errors.that_matter(kBoth), made};
  const auto knobs = all.knobs.size();
  if (made.size() <= knobs)
    return fail(
        ErrorCode::kInvalidFile,
        fmt::format("{} runs are too few: they depend on {} properties of the memories, and {} runs or more tell "
                    "these apart",
                    made.size(), knobs, knobs + 1));
  MACAW_ASSIGN(const auto best, best_point(errors));
  MemoryFit fit;
  MACAW_CHECK(judge(fit, errors, all, best, cells));
  for (const auto i : made) {
    MACAW_ASSIGN(const double cycles, errors.cycles(i, best.x));
    const auto& measured = *cells[i].cycles;
    fit.runs.push_back({&cells[i], static_cast<std::uint64_t>(std::llround(std::exp(cycles))),
                        std::exp(cycles) / (measured.value - measured.resolution / 2) - 1});
  }
  return fit;
}

}  // namespace macaw::board
