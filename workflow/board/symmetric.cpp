#include "workflow/board/symmetric.hpp"

namespace macaw::board {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd solve_symmetric(MatrixXd square, MatrixXd right) {
  const Index rows = square.rows();
  for (Index k = 0; k < rows; ++k)
    for (Index i = k + 1; i < rows; ++i) {
      const double times = square(i, k) / square(k, k);
      for (Index j = k + 1; j < rows; ++j) square(i, j) -= times * square(k, j);
      for (Index j = 0; j < right.cols(); ++j) right(i, j) -= times * right(k, j);
    }
  for (Index j = 0; j < right.cols(); ++j)
    for (Index k = rows; k-- > 0;) {
      for (Index i = k + 1; i < rows; ++i) right(k, j) -= square(k, i) * right(i, j);
      right(k, j) /= square(k, k);
    }
  return right;
}

}  // namespace macaw::board
