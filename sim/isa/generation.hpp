#pragma once
#include "sim/isa/geometry.hpp"
#include "sim/isa/register_reader.hpp"

namespace macaw::npu::isa {

/// The behaviour of a generation of NPUs (families that share a command set) in decoding: which registers an operation
/// has, and the sizes inside the NPU. Implemented in u55_u65/ and u85/.
class Generation {
 public:
  /// Fills an operation, whose family and kind are known, from its registers.
  virtual void read(RegisterReader& in, BlockOperation& op, const Accelerator& accelerator) const = 0;
  virtual void read(RegisterReader& in, DmaOperation& op) const = 0;

  /// See geometry.hpp.
  [[nodiscard]] virtual int ifm_block_depth(const IfmBlockUse& use) const = 0;
  [[nodiscard]] virtual std::size_t internal_memory_bytes(const Accelerator& accelerator) const = 0;

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

}  // namespace macaw::npu::isa
