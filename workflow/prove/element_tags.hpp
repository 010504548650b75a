#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/operation.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/datapath/memory.hpp"

namespace macaw::prove {

/// An element written by an operation, or of a network input.
struct ElementTag {
  std::uint32_t writer = 0;   ///< 0: unknown; else the writer's number
  std::uint32_t element = 0;  ///< position in the writer's result, in the order of rows, columns and channels
  std::uint32_t bytes = 1;    ///< of an element, as it is read

  friend bool operator==(const ElementTag&, const ElementTag&) = default;
};

/// For every byte of a network's memories, the element and the byte of it that is stored there. It follows a run:
/// results of operations are tagged, and DMA jobs move the tags along. The origin of every value read is therefore
/// known, whatever layouts, tiles, stripes and buffers are in between.
class ElementTags {
 public:
  explicit ElementTags(const npu::Artifact& artifact);

  /// The elements of a network input.
  void place(const npu::TensorBinding& input, std::uint32_t writer);
  /// The tags of all elements of a map, in the order of rows, columns and channels; empty if it is not a map of at most
  /// 32 bits in memory or in a buffer between operations.
  [[nodiscard]] std::optional<std::vector<ElementTag>> read(std::size_t step, npu::FeatureMap map);
  /// Contents of a network output, element by element.
  [[nodiscard]] std::vector<ElementTag> read(const npu::TensorBinding& output) const;
  /// Marks the map's bytes as a copy of these elements, in order.
  void write(std::size_t step, npu::FeatureMap map, const std::vector<ElementTag>& elements);
  /// Marks the map's bytes as written by `writer`.
  void write(std::size_t step, npu::FeatureMap map, std::uint32_t writer);
  void move(std::size_t step, const npu::DmaOperation& dma);

 private:
  /// One byte of all tags per plane, stored like the network's memories.
  static constexpr std::size_t kPlanes = 8;
  [[nodiscard]] npu::MemoryMap regions(std::size_t step, std::size_t plane);

  const npu::Artifact& artifact_;
  std::array<std::vector<std::vector<std::uint8_t>>, kPlanes> planes_;
  std::vector<std::uint8_t> internal_;
  /// The map that the last operation left in a chain buffer for the next one.
  struct Chained {
    std::array<int, 3> extents{};
    std::vector<ElementTag> elements;
  };
  std::map<int, Chained> chained_;
};

}  // namespace macaw::prove
