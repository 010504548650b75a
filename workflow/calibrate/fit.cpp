#include "workflow/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include "sim/timing/params.hpp"

namespace macaw::calibrate {
namespace {

constexpr double kSteps[] = {0.1, 0.05, 0.02};

class Search {
 public:
  Search(Evaluator& evaluator, std::vector<const Cell*> cells, Fit& fit)
      : evaluator_(evaluator), cells_(std::move(cells)), fit_(fit) {}

  Result<void> run() {
    MACAW_ASSIGN(fit_.before, cost());
    fit_.after = fit_.before;
    for (const double step : kSteps)
      for (std::size_t i = 0; i < fit_.params.size(); ++i)
        for (const double direction : {1 + step, 1 / (1 + step)}) MACAW_CHECK(walk(i, direction));
    return {};
  }

 private:
  /// Multiplies a factor as long as that makes the fit better.
  Result<void> walk(std::size_t index, double by) {
    auto& factor = fit_.params[index].factor;
    const auto& range = *std::ranges::find(npu::free_params(), fit_.params[index].name, &npu::FreeParam::name);
    for (;;) {
      const double old = factor;
      factor *= by;
      if (factor < range.least || factor > range.most) {
        factor = old;
        return {};
      }
      MACAW_ASSIGN(const double now, cost());
      if (now >= fit_.after) {
        factor = old;
        return {};
      }
      fit_.after = now;
    }
  }

  Result<double> cost() {
    double sum = 0;
    for (const auto* cell : cells_) {
      const auto defaults = npu::default_params(*cell->accelerator);
      std::vector<std::pair<std::string, double>> params;
      for (const auto& param : fit_.params) params.emplace_back(param.name, *defaults.get(param.name) * param.factor);
      MACAW_ASSIGN(const auto outcome, evaluator_.run(*cell, params));
      sum += outcome.error * outcome.error;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, cells_.size())));
  }

  Evaluator& evaluator_;
  std::vector<const Cell*> cells_;
  Fit& fit_;
};

}  // namespace

Result<std::vector<Fit>> fit(Evaluator& evaluator, const std::vector<Cell>& cells) {
  std::vector<Fit> fits;
  for (const bool u85 : {false, true}) {
    Fit& result = fits.emplace_back();
    result.scope = u85 ? "U85" : "U55, U65";
    const auto& sample = *npu::find_accelerator(u85 ? "ethos-u85-256" : "ethos-u55-256");
    const auto defaults = npu::default_params(sample);
    for (const auto& free : npu::free_params())
      if (!std::isnan(*defaults.get(free.name))) result.params.push_back({std::string(free.name), 1});
    std::vector<const Cell*> own;
    for (const auto& cell : cells)
      if (cell.fitted && (cell.accelerator->family == npu::Family::kU85) == u85) own.push_back(&cell);
    MACAW_CHECK(Search(evaluator, std::move(own), result).run());
  }
  return fits;
}

}  // namespace macaw::calibrate
