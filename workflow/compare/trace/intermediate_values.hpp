#pragma once
#include <macaw/npu/operation.hpp>

#include "sim/datapath/memory.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace macaw::compare {

/// Elements that an operation reads or computes on the way to its OFM, in the order of rows, columns and channels.
struct IntermediateValues {
  enum class Kind : std::uint8_t {
    kRead,      ///< a whole map
    kComputed,  ///< a step inside the operation
  };
  Kind kind{};
  std::span<const std::int64_t> values;
  int h = 0, w = 0, c = 0;
  int pad_top = 0, pad_left = 0, pad_bottom = 0;  ///< of a map: rows and columns of `padding` around it
  std::int64_t padding = 0;
};

using ValueSink = std::function<void(const IntermediateValues&)>;

/// Shows the maps of an operation that is about to be executed and the steps that it takes: sums of products with their
/// bias, what is scaled but not yet clamped or looked up, elements without their zero point, scaled operands, sums and
/// products of two maps before they are scaled.
void emit_intermediate_values(const npu::BlockOperation& operation, const npu::Accelerator& accelerator,
                              const npu::MemoryMap& memory, const ValueSink& sink);

}  // namespace macaw::compare
