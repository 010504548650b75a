#pragma once
#include "compiler/register_writer.hpp"

// What a generation of NPUs, the families that share a command set, does in its own way here. Implemented in u55_u65/
// and u85/.
namespace macaw::npu::compiler {

class Generation {
 public:
  /// Writes the registers of an operation.
  virtual void write(RegisterWriter& out, BlockOperation& op, const Accelerator& accelerator) const = 0;
  virtual void write(RegisterWriter& out, DmaOperation& op) const = 0;

 protected:
  ~Generation() = default;
};
[[nodiscard]] const Generation& generation(Family family);

namespace u55_u65 {
[[nodiscard]] const Generation& generation();
}
namespace u85 {
[[nodiscard]] const Generation& generation();
}

}  // namespace macaw::npu::compiler
