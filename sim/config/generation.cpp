#include "sim/config/cost.hpp"

#include <cstdlib>

namespace macaw::npu {

// Without a default, so that a new family does not compile before it has its costs.
double output_cycles_per_element(const BlockOperation& op, const Params& params) {
  switch (op.family) {
    case Family::kU55:
    case Family::kU65: return cycles_per_element_u65(op, params);
    case Family::kU85: return cycles_per_element_u85(op, params);
  }
  std::abort();
}

}  // namespace macaw::npu
