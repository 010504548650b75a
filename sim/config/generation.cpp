#include "sim/config/cost.hpp"

#include <cstdlib>

namespace macaw::npu {

// Without a default, so that a new family does not compile before it has its costs.
OutputCost output_cost(const BlockOperation& op, const Params& params) {
  switch (op.family) {
    case Family::kU55:
    case Family::kU65: return output_cost_u65(op, params);
    case Family::kU85: return output_cost_u85(op, params);
  }
  std::abort();
}

double output_cycles_per_element(const BlockOperation& op, const Params& params) {
  return params.*output_cost(op, params);
}

}  // namespace macaw::npu
