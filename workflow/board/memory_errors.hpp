#pragma once
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workflow/calibrate/evaluate.hpp"

namespace macaw::board {

/// A fitted field on a logarithmic scale; at `none` it has no effect.
struct Knob {
  std::string name;
  std::size_t port;
  double low, high, none;
  bool integer;
};

/// Indices of the fields to move and of the runs to evaluate.
struct Part {
  std::vector<Eigen::Index> knobs;
  std::vector<std::size_t> cells;
};

/// Errors of runs as a function of the logarithms of both ports' fields.
class MemoryErrors {
 public:
  MemoryErrors(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells);
  /// Must be called first: finds the ports that each run uses, and the fields that change a measured run by at least
  /// 0.1 %, starting from all fields in the middle or without effect.
  [[nodiscard]] Result<void> explore();

  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  /// The fields with an effect, of one port or of both.
  [[nodiscard]] std::vector<Eigen::Index> that_matter(std::span<const std::size_t> ports) const;
  /// Measured runs; with a port, those that use only that port.
  [[nodiscard]] std::vector<std::size_t> measured() const;
  [[nodiscard]] std::vector<std::size_t> measured_with(std::size_t port) const;

  [[nodiscard]] Eigen::VectorXd none() const;  ///< all fields at `none`
  [[nodiscard]] Eigen::VectorXd clamped(Eigen::VectorXd x) const;
  [[nodiscard]] double value(Eigen::Index knob, double x) const;  ///< 0: nothing

  /// Logarithms of the cycles of a run.
  [[nodiscard]] Result<double> cycles(std::size_t cell, const Eigen::VectorXd& x);
  /// Each error in units of the resolution of its measurement.
  [[nodiscard]] Result<Eigen::VectorXd> operator()(const Part& part, const Eigen::VectorXd& x);
  [[nodiscard]] Result<Eigen::MatrixXd> slopes(const Part& part, const Eigen::VectorXd& x, const Eigen::VectorXd& here);
  /// The point with one field changed enough to compute a slope.
  [[nodiscard]] Eigen::VectorXd moved(Eigen::VectorXd x, Eigen::Index knob) const;

 private:
  calibrate::Evaluator& evaluator_;
  const std::vector<calibrate::Cell>& cells_;
  std::vector<Knob> knobs_;
  std::vector<bool> matters_;                                 ///< by knob
  std::vector<std::array<bool, 2>> uses_;                     ///< by cell, by port
  std::vector<std::map<std::vector<double>, double>> known_;  ///< by cell: cycles by the fields of its ports
};

}  // namespace macaw::board
