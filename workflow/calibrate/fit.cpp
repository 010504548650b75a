#include "workflow/calibrate/fit.hpp"

#include <unsupported/Eigen/NonLinearOptimization>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "sim/config/params.hpp"

namespace macaw::calibrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Cycles move in steps with a parameter: a slope over less than this would be noise.
constexpr double kSlopeStep = 0.15;
constexpr int kMostEvaluations = 25;
constexpr double kLeastShare = 1e-3;

const npu::FreeParam& limits_of(const FittedParam& param) {
  return *std::ranges::find(npu::free_params(), param.name, &npu::FreeParam::name);
}

/// Relative errors of cells as a function of parameters without limits, in the form that Eigen's solver takes. A
/// parameter x stands for the factor least + (most - least) / (1 + exp(-x)).
class Residuals {
 public:
  Residuals(Evaluator& evaluator, const std::vector<const Cell*>& cells, std::vector<FittedParam> params)
      : evaluator_(evaluator), cells_(cells), params_(std::move(params)) {}

  [[nodiscard]] int values() const { return static_cast<int>(cells_.size()); }

  [[nodiscard]] VectorXd start() const {
    VectorXd x(static_cast<Eigen::Index>(params_.size()));
    for (std::size_t i = 0; i < params_.size(); ++i) {
      const auto& [name, least, most] = limits_of(params_[i]);
      // A fit that went to a limit starts just beside it.
      const double share = std::clamp((params_[i].factor - least) / (most - least), kLeastShare, 1 - kLeastShare);
      x[static_cast<Eigen::Index>(i)] = std::log(share / (1 - share));
    }
    return x;
  }

  [[nodiscard]] std::vector<FittedParam> params(const VectorXd& x) const {
    auto params = params_;
    for (std::size_t i = 0; i < params.size(); ++i) {
      const auto& [name, least, most] = limits_of(params[i]);
      params[i].factor = least + (most - least) / (1 + std::exp(-x[static_cast<Eigen::Index>(i)]));
    }
    return params;
  }

  /// Negative: a run failed, and error() says how.
  int operator()(const VectorXd& x, VectorXd& errors) {
    const auto fitted = params(x);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto defaults = npu::default_params(*cells_[i]->accelerator);
      std::vector<std::pair<std::string, double>> values;
      for (const auto& param : fitted) values.emplace_back(param.name, *defaults.get(param.name) * param.factor);
      auto outcome = evaluator_.run(*cells_[i], values);
      if (!outcome) {
        error_ = outcome.error();
        return -1;
      }
      errors[static_cast<Eigen::Index>(i)] = outcome->error;
    }
    return 0;
  }

  int df(const VectorXd& x, MatrixXd& slopes) {
    VectorXd here(values()), there(values());
    if ((*this)(x, here) < 0) return -1;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      VectorXd moved = x;
      moved[i] += kSlopeStep;
      if ((*this)(moved, there) < 0) return -1;
      slopes.col(i) = (there - here) / kSlopeStep;
    }
    return 0;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  Evaluator& evaluator_;
  const std::vector<const Cell*>& cells_;
  std::vector<FittedParam> params_;
  std::optional<Error> error_;
};

double root_mean_square(const VectorXd& errors) {
  return errors.size() ? errors.norm() / std::sqrt(static_cast<double>(errors.size())) : 0;
}

/// Moves `x` to the least squares. The residuals' error, if a run failed.
Result<void> minimise(Residuals& residuals, VectorXd& x) {
  if (x.size() == 0 || residuals.values() < x.size()) return {};
  Eigen::LevenbergMarquardt<Residuals> solver(residuals);
  solver.parameters.ftol = solver.parameters.xtol = 1e-3;
  solver.parameters.maxfev = kMostEvaluations;
  solver.minimize(x);
  if (residuals.error()) return tl::unexpected<Error>(*residuals.error());
  return {};
}

Result<VectorXd> errors_at(Residuals& residuals, const VectorXd& x) {
  VectorXd errors(residuals.values());
  if (residuals(x, errors) < 0) return tl::unexpected<Error>(*residuals.error());
  return errors;
}

/// Fits on the cells outside each group, from where the fit on all of them started, and runs the group's with what that
/// gives.
Result<void> leave_out(Fit& fit, const std::vector<FittedParam>& start, Evaluator& evaluator,
                       const std::vector<const Cell*>& cells, std::string_view kind,
                       const std::function<std::string(const Cell&)>& group_of) {
  std::set<std::string> groups;
  for (const auto* cell : cells) groups.insert(group_of(*cell));
  for (const auto& group : groups) {
    std::vector<const Cell*> others, own;
    for (const auto* cell : cells) (group_of(*cell) == group ? own : others).push_back(cell);
    Residuals residuals(evaluator, others, start);
    VectorXd x = residuals.start();
    MACAW_CHECK(minimise(residuals, x));
    Residuals left_out(evaluator, own, residuals.params(x));
    MACAW_ASSIGN(const VectorXd errors, errors_at(left_out, x));
    fit.without.push_back({kind, group, own.size(), errors.cwiseAbs().mean(), errors.cwiseAbs().maxCoeff()});
  }
  return {};
}

Result<void> run(Fit& fit, Evaluator& evaluator, const std::vector<const Cell*>& cells) {
  const auto start = fit.params;
  Residuals residuals(evaluator, cells, start);
  VectorXd x = residuals.start();
  MACAW_ASSIGN(const VectorXd before, errors_at(residuals, x));
  fit.before = fit.after = root_mean_square(before);
  if (x.size() == 0 || before.size() < x.size()) return {};
  MACAW_CHECK(minimise(residuals, x));
  MACAW_ASSIGN(const VectorXd after, errors_at(residuals, x));
  fit.after = root_mean_square(after);
  fit.params = residuals.params(x);
  MACAW_CHECK(leave_out(fit, start, evaluator, cells, "network", [](const Cell& cell) { return cell.network; }));
  return leave_out(fit, start, evaluator, cells, "configuration",
                   [](const Cell& cell) { return std::string(cell.accelerator->name); });
}

}  // namespace

Result<std::vector<Fit>> fit(Evaluator& evaluator, const std::vector<Cell>& cells) {
  std::vector<Fit> fits;
  for (const npu::FamilyTraits& family : npu::all_families()) {
    const std::string scope(family.generation);
    if (std::ranges::find(fits, scope, &Fit::scope) != fits.end()) continue;  // of a family before it
    std::vector<const Cell*> own;
    for (const auto& cell : cells)
      if (cell.fitted && npu::traits(cell.accelerator->family).generation == scope) own.push_back(&cell);
    if (own.empty()) continue;
    Fit& result = fits.emplace_back();
    result.scope = scope;
    const auto defaults = npu::default_params(*own.front()->accelerator);
    for (const auto& free : npu::free_params())
      if (*defaults.get(free.name) > 0) result.params.push_back({std::string(free.name), 1});
    MACAW_CHECK(run(result, evaluator, own));
  }
  return fits;
}

}  // namespace macaw::calibrate
