#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/generation.hpp"

namespace macaw::npu {

std::optional<ByteRange> activation_table(const BlockOperation& op, const Accelerator& accelerator) {
  return datapath::generation(op.family).activation_table(op, accelerator);
}

}  // namespace macaw::npu
