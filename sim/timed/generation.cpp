#include "sim/timed/generation.hpp"

#include <cstdlib>

namespace macaw::npu::timed {

// Without a default, so that a new family does not compile before it has a generation here.
const Generation& generation(Family family) {
  switch (family) {
    case Family::kU55:
    case Family::kU65: return u55_u65::generation();
    case Family::kU85: return u85::generation();
  }
  std::abort();
}

}  // namespace macaw::npu::timed
