#pragma once
#include <Eigen/Core>

namespace macaw::board {

/// x of square * x = right for each column of `right`; `square` is symmetric and positive definite. Of a few rows, so
/// that plain loops do, where Eigen's decompositions would take the compiler longer than all else that fits boards.
[[nodiscard]] Eigen::MatrixXd solve_symmetric(Eigen::MatrixXd square, Eigen::MatrixXd right);

}  // namespace macaw::board
