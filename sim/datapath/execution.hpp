#pragma once
#include "sim/datapath/weight_cache.hpp"
#include "sim/datapath/workers.hpp"

namespace macaw::npu {

/// How operations are computed. All settings produce the same bytes; without `values`, none are computed.
struct Execution {
  bool values = true;              ///< false: errors are reported as with values, but no row is computed
  bool scalar = false;             ///< plain loops, for comparison
  Workers* workers = nullptr;      ///< share the rows of an operation; null: the caller computes all rows
  bool share_all = false;          ///< even the smallest operation, for tests
  WeightCache* weights = nullptr;  ///< null: weights are decoded again for each operation
};

}  // namespace macaw::npu
