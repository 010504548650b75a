#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/tensor.hpp>

#include "sim/datapath/scale_stream.hpp"
#include "sim/isa/operation.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What the compiler's passes hand to each other: feature maps in an arena and the NPU operations between them.
namespace macaw::npu {

/// Region numbers as Vela uses them: constants 0, tensor arena 1.
inline constexpr int kConstantRegion = 0, kArenaRegion = 1;

/// A feature map of the network. Values that differ only in shape (RESHAPE) share one storage.
struct NetworkTensor {
  std::string name;
  Shape shape;                    ///< as the graph has it
  int n = 1, h = 1, w = 1, c = 1;  ///< as the NPU sees it
  DType dtype = DType::kINT8;
  int storage = -1;               ///< index in Network::storages
  [[nodiscard]] int bits() const { return static_cast<int>(8 * size_of(dtype)); }
};

/// Bytes of the arena that one or more tensors of equal contents occupy.
struct NetworkStorage {
  Layout layout = Layout::kNHWC;
  bool flat = false;              ///< bytes must be in NHWC order: network input or output, or seen under two shapes
  std::uint64_t size = 0, address = 0;
  int first_layer = 0, last_layer = -1;  ///< inclusive; -1 before the first layer, layer count after the last
};

/// One operation of the network. Batch items become one NPU operation each.
struct Layer {
  std::string name;               ///< "operator 3 (CONV2D)"
  BlockOperation op;              ///< placement, strides, block and streams are filled in by later passes
  int ifm = -1, ifm2 = -1, ofm = -1;  ///< indices in Network::tensors
  std::vector<std::int16_t> weights;  ///< [OC][KH][KW][IC], zero point subtracted; IC 1 for depthwise
  std::vector<ChannelScale> scales;   ///< per OFM channel, if the operation has a scale stream
};

struct Network {
  const Accelerator* accelerator = nullptr;
  std::vector<NetworkTensor> tensors;
  std::vector<NetworkStorage> storages;
  std::vector<Layer> layers;
  std::vector<int> inputs, outputs;   ///< tensors
  std::vector<std::uint8_t> constants;  ///< contents of the constant region
  std::uint64_t arena_size = 0;
};

}  // namespace macaw::npu
