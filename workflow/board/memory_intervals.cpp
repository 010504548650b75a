#include "workflow/board/memory_intervals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Half the width of an interval that holds nine of ten normally distributed values.
constexpr double kNineOfTen = 1.645;
// A field is known if its interval goes up or down by no more than this factor.
constexpr double kKnownFactor = 1.6;

// How far a field is moved, ever farther as long as the runs allow it; the last step goes past what is known.
constexpr std::array kMoves{0.1, 0.2, 0.35, 0.5};

/// How much more than their resolution leaves open the runs are off.
double scatter(const Point& best, const Part& part) {
  const auto spare = static_cast<double>(best.errors.size()) - static_cast<double>(part.knobs.size());
  return std::max(1.0, best.cost() / std::max(1.0, spare));
}

/// Points that the runs allow as well as the best one.
class Alternatives {
 public:
  /// `slopes` are those at the best point, kept so by the caller.
  Alternatives(MemoryErrors& errors, const Part& part, Point& best, const MatrixXd& slopes)
      : errors_(errors),
        part_(part),
        best_(best),
        slopes_(slopes),
        most_(best.cost() + kNineOfTen * kNineOfTen * scatter(best, part)) {}

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  /// With other limits in one direction, with the rate that its latency leaves them or with the latency as it is.
  Result<void> with_other_limits(Index latency, Index limit) {
    for (const bool up : {false, true}) {
      auto limits = kLimits;
      std::ranges::sort(limits);
      if (!up) std::ranges::reverse(limits);
      Point last = best_;
      for (const double value : limits) {
        const double move = std::log(value) - last.x[limit];
        if ((up ? move : -move) < kFinestStep) continue;
        VectorXd alone = last.x;
        alone[limit] += move;
        VectorXd together = alone;
        together[latency] += move;
        // Other limits bend the slopes.
        MACAW_ASSIGN(const bool allowed, found_anew({std::move(alone), std::move(together)}, beside(limit), {}, last));
        if (!allowed) break;
      }
    }
    return {};
  }

  /// Without what a field does.
  Result<void> without(Index field) {
    VectorXd x = best_.x;
    x[field] = errors_.none()[field];
    if (std::abs(x[field] - best_.x[field]) < kFinestStep) return {};
    Point last = best_;
    MACAW_CHECK(found_anew({std::move(x)}, beside(field), {}, last));
    return {};
  }

  /// With another value of a field of the part, others moved along as `covariance` has it.
  Result<void> with_another(Index i, const MatrixXd& covariance) {
    const Index field = part_.knobs[std::size_t(i)];
    Part free = without_limits(errors_, part_);
    std::erase(free.knobs, field);
    MatrixXd slopes(slopes_.rows(), Index(free.knobs.size()));
    for (std::size_t k = 0; k < free.knobs.size(); ++k) slopes.col(Index(k)) = slopes_.col(place(free.knobs[k]));
    for (const double sign : {-1, 1}) {
      Point last = best_;
      for (const double move : kMoves) {
        VectorXd alone = last.x;
        const double way = best_.x[field] + sign * move - alone[field];
        alone[field] += way;
        VectorXd together = alone;
        for (const auto other : free.knobs) together[other] += way * covariance(i, place(other)) / covariance(i, i);
        MACAW_ASSIGN(const bool allowed, found_anew({std::move(alone), std::move(together)}, free, slopes, last));
        if (!allowed) break;
      }
    }
    return {};
  }

  /// The best of all takes the place of the best one until now.
  void choose() {
    for (auto& point : points_)
      if (point.cost() < best_.cost()) std::swap(point, best_);
  }

 private:
  [[nodiscard]] Index place(Index knob) const { return std::ranges::find(part_.knobs, knob) - part_.knobs.begin(); }

  /// The other fields of its port, which make up for another value of `field`, but for limits.
  [[nodiscard]] Part beside(Index field) const {
    const auto& knobs = errors_.knobs();
    Part free = without_limits(errors_, part_);
    std::erase_if(free.knobs, [&](Index knob) {
      return knob == field || knobs[std::size_t(knob)].port != knobs[std::size_t(field)].port;
    });
    return free;
  }

  /// Whether the runs allow a point that is one of `starts` but for the fields of `free`; it is `last` then.
  Result<bool> found_anew(std::vector<VectorXd> starts, const Part& free, const MatrixXd& slopes, Point& last) {
    // Where all that is off is less than half a step of the counter, nothing speaks against a point.
    const auto allowed = [&](const Point& point) { return point.cost() <= most_ || point.fits(); };
    std::optional<Point> nearest;
    for (auto& start : starts) {
      MACAW_ASSIGN(auto point, at(errors_, part_, std::move(start)));
      if (!nearest || point.cost() < nearest->cost()) nearest = std::move(point);
    }
    MACAW_ASSIGN(nearest, descend(errors_, free, std::move(*nearest), allowed, slopes));
    if (!allowed(*nearest)) return false;
    points_.push_back(*nearest);
    last = std::move(*nearest);
    return true;
  }

  MemoryErrors& errors_;
  const Part& part_;
  Point& best_;
  const MatrixXd& slopes_;
  double most_;
  std::vector<Point> points_;
};

/// The missing run that depends most on a field.
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

/// First-order model of the runs' cycles.
MatrixXd covariance_of(const MatrixXd& slopes, const Part& part, const Point& point) {
  MatrixXd square = slopes.transpose() * slopes;
  // A field that nothing depends on here: its variance is large, not infinite.
  square.diagonal().array() += 1e-3;
  return square.inverse() * scatter(point, part);
}

/// The field that moves the most on the way to a point, but for `field`.
Index that_moves_with(const Part& part, const VectorXd& way, Index field) {
  auto others = part.knobs;
  std::erase(others, field);
  return std::ranges::max(others, {}, [&](Index other) { return std::abs(way[other]); });
}

}  // namespace

Result<std::vector<FittedField>> judge(MemoryErrors& errors, const Part& part, Point& best,
                                       const std::vector<calibrate::Cell>& cells) {
  MACAW_ASSIGN(MatrixXd slopes, errors.slopes(part, best.x, best.errors));
  Alternatives others(errors, part, best, slopes);
  for (const auto& way : directions(errors, part))
    if (way.size() == 2) MACAW_CHECK(others.with_other_limits(way[0], way[1]));
  // An apparent shortest access may have another cause.
  for (const auto field : part.knobs)
    if (errors.knobs()[std::size_t(field)].name.ends_with("least_bytes")) MACAW_CHECK(others.without(field));
  others.choose();
  const double known = std::log(kKnownFactor);
  MACAW_ASSIGN(slopes, errors.slopes(part, best.x, best.errors));
  MatrixXd covariance = covariance_of(slopes, part, best);
  // Slopes hold on one side of a point alone, and where they say that a field is known, it may not be.
  for (Index i = 0; i < covariance.rows(); ++i)
    if (kNineOfTen * std::sqrt(covariance(i, i)) <= known) MACAW_CHECK(others.with_another(i, covariance));
  others.choose();
  MACAW_ASSIGN(slopes, errors.slopes(part, best.x, best.errors));
  covariance = covariance_of(slopes, part, best);
  std::vector<FittedField> fields;
  for (Index i = 0; i < covariance.rows(); ++i) {
    const auto place = part.knobs[std::size_t(i)];
    const auto& knob = errors.knobs()[std::size_t(place)];
    const double here = best.x[place], wide = kNineOfTen * std::sqrt(covariance(i, i));
    FittedField field{.name = knob.name, .value = errors.value(place, here)};
    std::optional<Index> confused;
    double low = here - wide, high = here + wide;
    for (const auto& point : others.points()) {
      low = std::min(low, point.x[place]);
      high = std::max(high, point.x[place]);
      if (std::abs(point.x[place] - here) > known) confused = that_moves_with(part, point.x - best.x, place);
    }
    field.known = std::max(here - low, high - here) <= known;
    const double value = field.value == 0 ? knob.none : field.value;
    low = std::exp(low), high = std::exp(high);
    if (knob.integer) low = std::floor(low), high = std::ceil(high);
    field.low = std::max(knob.low, std::min(value, low));
    field.high = std::min(knob.high, std::max(value, high));
    if (!field.known) {
      if (const auto like = look_alike(covariance, i)) confused = part.knobs[std::size_t(*like)];
      if (confused) field.indistinguishable_from = errors.knobs()[std::size_t(*confused)].name;
      MACAW_ASSIGN(field.suggested_run, run_to_make(errors, best.x, place, cells));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace macaw::board
