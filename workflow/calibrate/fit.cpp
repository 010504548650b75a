#include "workflow/calibrate/fit.hpp"

#include <unsupported/Eigen/NonLinearOptimization>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sim/timing/params.hpp"

namespace macaw::calibrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Cycles move in steps with a parameter: a slope over less than this would be noise.
constexpr double kSlopeStep = 0.15;
constexpr int kMostEvaluations = 25;

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
      const double share = (params_[i].factor - least) / (most - least);
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

/// The errors of each group with the step that least squares on the other cells would still take.
void leave_out(Fit& fit, const std::vector<const Cell*>& cells, const VectorXd& errors, const MatrixXd& slopes,
               const std::function<std::string(const Cell&)>& group_of) {
  std::set<std::string> groups;
  for (const auto* cell : cells) groups.insert(group_of(*cell));
  for (const auto& group : groups) {
    VectorXd others = errors;
    MatrixXd slopes_of_others = slopes;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (group_of(*cells[i]) == group) {
        others[static_cast<Eigen::Index>(i)] = 0;
        slopes_of_others.row(static_cast<Eigen::Index>(i)).setZero();
      }
    // A step no longer than the solver's own trust region, so that the line stays near the curve.
    VectorXd step = slopes_of_others.completeOrthogonalDecomposition().solve(-others);
    if (step.norm() > 1) step /= step.norm();
    const VectorXd moved = errors + slopes * step;
    WithoutGroup row{group};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (group_of(*cells[i]) != group) continue;
      const double size = std::abs(moved[static_cast<Eigen::Index>(i)]);
      ++row.cells;
      row.mean += size;
      row.worst = std::max(row.worst, size);
    }
    row.mean /= static_cast<double>(row.cells);
    fit.without.push_back(std::move(row));
  }
}

Result<void> run(Fit& fit, Evaluator& evaluator, const std::vector<const Cell*>& cells) {
  Residuals residuals(evaluator, cells, fit.params);
  VectorXd x = residuals.start(), errors(residuals.values());
  MatrixXd slopes(residuals.values(), x.size());
  const auto failed = [&] { return tl::unexpected<Error>(*residuals.error()); };
  if (residuals(x, errors) < 0) return failed();
  fit.before = fit.after = root_mean_square(errors);
  if (x.size() == 0 || errors.size() < x.size()) return {};
  Eigen::LevenbergMarquardt<Residuals> solver(residuals);
  solver.parameters.ftol = solver.parameters.xtol = 1e-3;
  solver.parameters.maxfev = kMostEvaluations;
  solver.minimize(x);
  if (residuals.error()) return failed();
  if (residuals(x, errors) < 0 || residuals.df(x, slopes) < 0) return failed();
  fit.after = root_mean_square(errors);
  fit.params = residuals.params(x);
  leave_out(fit, cells, errors, slopes, [](const Cell& cell) { return cell.network; });
  leave_out(fit, cells, errors, slopes, [](const Cell& cell) { return std::string(cell.accelerator->name); });
  return {};
}

}  // namespace

Result<std::vector<Fit>> fit(Evaluator& evaluator, const std::vector<Cell>& cells) {
  std::vector<Fit> fits;
  for (const bool u85 : {false, true}) {
    std::vector<const Cell*> own;
    for (const auto& cell : cells)
      if (cell.fitted && (cell.accelerator->family == npu::Family::kU85) == u85) own.push_back(&cell);
    if (own.empty()) continue;
    Fit& result = fits.emplace_back();
    result.scope = u85 ? "U85" : "U55, U65";
    const auto defaults = npu::default_params(*own.front()->accelerator);
    for (const auto& free : npu::free_params())
      if (!std::isnan(*defaults.get(free.name))) result.params.push_back({std::string(free.name), 1});
    MACAW_CHECK(run(result, evaluator, own));
  }
  return fits;
}

}  // namespace macaw::calibrate
