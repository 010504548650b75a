#include "workflow/board/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>

#include "workflow/board/memory_descent.hpp"
#include "workflow/board/memory_intervals.hpp"

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::array<std::size_t, 2> kBoth{0, 1};
constexpr std::size_t kTries = 2;
constexpr double kFewLimits[] = {63, 8, 4, 2};

/// Other limits of one direction, with the rate that its latency leaves them or with the latency as it is, and all else
/// found anew for each, as long as that helps.
Result<Point> with_other_limits(MemoryErrors& errors, const Part& part, const Part& smooth, Point best) {
  for (double before = std::numeric_limits<double>::infinity(); best.cost() < before * 0.9 && !best.fits();) {
    before = best.cost();
    for (const auto& way : directions(errors, part)) {
      if (way.size() != 2) continue;
      const auto latency = way[0], limit = way[1];
      const Point from = best;
      for (const double value : kLimits) {
        const double move = std::log(value) - from.x[limit];
        if (std::abs(move) < kFinestStep) continue;
        VectorXd x = from.x;
        x[limit] += move;
        MACAW_ASSIGN(auto alone, at(errors, part, x));
        x[latency] += move;
        MACAW_ASSIGN(auto next, at(errors, part, std::move(x)));
        if (alone.cost() < next.cost()) next = std::move(alone);
        MACAW_ASSIGN(next, descend(errors, smooth, std::move(next)));
        if (next.cost() < best.cost()) best = std::move(next);
        if (best.fits()) return best;
      }
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

struct Effort {
  int starts;
  std::size_t descents;
};
// Without limits, and with each of the others.
constexpr Effort kFirst{32, 4}, kEach{8, 1};

/// The best that is found from some of the random starts for the fields of `free`, with all others as in `base`.
Result<Point> started(MemoryErrors& errors, const Part& part, const Part& free, const VectorXd& base,
                      std::mt19937& random, Effort effort) {
  const auto share = [&] { return static_cast<double>(random()) / static_cast<double>(std::mt19937::max()); };
  std::vector<Point> points;
  for (int start = 0; start < effort.starts; ++start) {
    VectorXd x = base;
    for (const auto knob : free.knobs) {
      const auto& [name, port, low, high, none, integer] = errors.knobs()[std::size_t(knob)];
      const bool is_off = name.ends_with("least_bytes") && share() < 0.5;
      x[knob] = std::log(is_off ? none : low * std::pow(high / low, share()));
    }
    MACAW_ASSIGN(auto point, at(errors, part, std::move(x)));
    points.push_back(std::move(point));
  }
  std::ranges::sort(points, {}, &Point::cost);
  points.resize(std::min(points.size(), effort.descents));
  for (auto& point : points) {
    MACAW_ASSIGN(point, descend(errors, free, std::move(point)));
    if (point.fits()) return point;
  }
  return std::ranges::min(points, {}, &Point::cost);
}

/// The best of many starts, from `base` in the fields that the part leaves alone. Limits of whole numbers divide the
/// way down into valleys of their own: some are tried in turn, with all else found for each, until all runs fit.
Result<Point> search(MemoryErrors& errors, const Part& part, const VectorXd& base) {
  std::mt19937 random(1);
  const Part smooth = without_limits(errors, part);
  std::vector<Index> limited;
  std::ranges::set_difference(part.knobs, smooth.knobs, std::back_inserter(limited));
  // Few memories have a shortest access, and one makes up for much that is something else.
  Part plain = smooth;
  std::erase_if(plain.knobs,
                [&](Index knob) { return errors.knobs()[std::size_t(knob)].name.ends_with("least_bytes"); });
  std::vector<Point> points;
  for (const auto& limits : limits_to_try(limited.size())) {
    VectorXd x = base;
    for (std::size_t i = 0; i < limited.size(); ++i) x[limited[i]] = std::log(limits[i]);
    for (const Part* free : std::array<const Part*, 2>{&smooth, &plain}) {
      MACAW_ASSIGN(auto point, started(errors, part, *free, x, random, points.empty() ? kFirst : kEach));
      // From the first valley, others are near.
      if (points.empty()) {
        MACAW_ASSIGN(point, with_other_limits(errors, part, smooth, std::move(point)));
      }
      if (point.fits()) return point;
      points.push_back(std::move(point));
    }
  }
  std::ranges::sort(points, {}, &Point::cost);
  points.resize(std::min(points.size(), kTries));
  for (auto& point : points) {
    MACAW_ASSIGN(point, with_other_limits(errors, part, smooth, std::move(point)));
    MACAW_ASSIGN(point, descend(errors, part, std::move(point)));
    MACAW_ASSIGN(point, polish(errors, part, std::move(point)));
    if (point.fits()) return point;
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
        fmt::format("{} runs are too few: they depend on {} properties of the memories, which takes {} runs or more to "
                    "determine",
                    made.size(), knobs, knobs + 1));
  MACAW_ASSIGN(auto best, best_point(errors));
  MemoryFit fit;
  MACAW_ASSIGN(fit.fields, judge(errors, all, best, cells));
  for (const auto i : made) {
    MACAW_ASSIGN(const double cycles, errors.cycles(i, best.x));
    const auto& measured = *cells[i].cycles;
    fit.runs.push_back({&cells[i], static_cast<std::uint64_t>(std::llround(std::exp(cycles))),
                        std::exp(cycles) / (measured.value - measured.resolution / 2) - 1});
  }
  return fit;
}

}  // namespace macaw::board
