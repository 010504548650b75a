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

/// A field that is fitted, on a scale of logarithms; at `none` it does nothing.
struct Knob {
  std::string name;
  std::size_t port;
  double low, high, none;
  bool integer;
};

/// Fields that are moved, and runs that are looked at, by their places.
struct Part {
  std::vector<Eigen::Index> knobs;
  std::vector<std::size_t> cells;
};

/// Errors of runs as a function of the logarithms of the fields of both ports.
class MemoryErrors {
 public:
  MemoryErrors(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells);
  /// To be called first: which ports a run uses, and which fields change a measured one by a per mille at all, from all
  /// of them in the middle or doing nothing.
  [[nodiscard]] Result<void> explore();

  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  /// The fields that matter, of one port or of both.
  [[nodiscard]] std::vector<Eigen::Index> that_matter(std::span<const std::size_t> ports) const;
  /// Measured runs; with a port, those that use it alone.
  [[nodiscard]] std::vector<std::size_t> measured() const;
  [[nodiscard]] std::vector<std::size_t> measured_with(std::size_t port) const;

  [[nodiscard]] Eigen::VectorXd none() const;  ///< no field does anything
  [[nodiscard]] Eigen::VectorXd clamped(Eigen::VectorXd x) const;
  [[nodiscard]] double value(Eigen::Index knob, double x) const;  ///< 0: nothing

  /// Logarithms of the cycles of a run.
  [[nodiscard]] Result<double> cycles(std::size_t cell, const Eigen::VectorXd& x);
  /// Each in units of what the resolution of its measurement leaves open.
  [[nodiscard]] Result<Eigen::VectorXd> operator()(const Part& part, const Eigen::VectorXd& x);
  [[nodiscard]] Result<Eigen::MatrixXd> slopes(const Part& part, const Eigen::VectorXd& x, const Eigen::VectorXd& here);
  /// Another value of a field, far enough for a slope.
  [[nodiscard]] Eigen::VectorXd moved(Eigen::VectorXd x, Eigen::Index knob) const;

 private:
  calibrate::Evaluator& evaluator_;
  const std::vector<calibrate::Cell>& cells_;
  std::vector<Knob> knobs_;
  std::vector<bool> matters_;                                 ///< by knob
  std::vector<std::array<bool, 2>> uses_;                     ///< by cell, by port
  std::vector<std::map<std::vector<double>, double>> known_;  ///< by cell: what it came to, by the fields of its ports
};

}  // namespace macaw::board
