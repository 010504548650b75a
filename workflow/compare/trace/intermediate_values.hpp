#pragma once
#include <macaw/npu/operation.hpp>

#include "sim/datapath/memory.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace macaw::compare {

/// Elements that an operation reads or computes internally, in the order of rows, columns and channels.
struct IntermediateValues {
  enum class Kind : std::uint8_t {
    kRead,      ///< a whole map
    kComputed,  ///< a step inside the operation
  };
  Kind kind{};
  std::span<const std::int64_t> values;
  int h = 0, w = 0, c = 0;
  int pad_top = 0, pad_left = 0, pad_bottom = 0;  ///< for a map: rows and columns of `padding` around it
  std::int64_t padding = 0;
};

using ValueSink = std::function<void(const IntermediateValues&)>;

/// Emits the maps that an operation is about to read and its internal steps: sums of products with bias, scaled values
/// before clamp and table, elements without their zero point, scaled operands, unscaled sums and products of two maps.
void emit_intermediate_values(const npu::BlockOperation& operation, const npu::Accelerator& accelerator,
                              const npu::MemoryMap& memory, const ValueSink& sink);

}  // namespace macaw::compare
