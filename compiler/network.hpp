#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/tensor.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/datapath/scale_stream.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

// Data that the compiler's passes exchange: storages in an arena and the NPU operations between them.
namespace macaw::npu {

/// Region numbers as Vela uses them: constants 0, tensor arena 1, fast scratch 2.
inline constexpr int kConstantRegion = 0, kArenaRegion = 1, kFastRegion = 2;

/// Bytes of the arena, the fast scratch or the constants. Values that differ only in shape (RESHAPE) share a storage.
struct NetworkStorage {
  std::string name;
  bool constant = false;
  std::vector<std::uint8_t> contents;  ///< of a constant; of a variable before the first run
  int n = 1, h = 1, w = 1, c = 1;      ///< extents if the NPU accesses it in one piece
  int bits = 8;
  bool flat = false;            ///< bytes must be in NHWC order: accessed from outside, or not in one piece
  std::uint64_t flat_size = 0;  ///< bytes of the elements
  Layout layout = Layout::kNHWC;
  bool fast = false;  ///< in the fast scratch instead of the arena
  std::uint64_t size = 0, address = 0;
  int first_layer = 0, last_layer = -1;  ///< inclusive; -1 before the first layer, layer count after the last

  [[nodiscard]] int region() const { return constant ? kConstantRegion : fast ? kFastRegion : kArenaRegion; }
};

/// A value of the graph.
struct NetworkTensor {
  std::string name;
  Shape shape;
  DType dtype = DType::kINT8;
  int storage = -1;  ///< index in Network::storages
};

/// Location of a feature map of a layer.
struct Placement {
  int storage = -1;    ///< -1: none
  bool plain = false;  ///< the whole batch item `item` of the storage; layout and strides are those of the storage
  int item = 0;
  std::int64_t offset = 0;  ///< if not plain: bytes from the start; the strides are in the operation
};

/// Weights, bias and scales; shared by operations that differ only in position.
struct LayerConstants {
  std::vector<std::int16_t> weights;  ///< [OC][KH][KW][IC], zero point subtracted; IC 1 for depthwise; may be empty
  std::vector<ChannelScale> scales;   ///< per OFM channel; may be empty
};

/// One block operation.
struct Layer {
  std::size_t op = 0;    ///< operator of the graph
  BlockOperation block;  ///< placement, block and streams are filled in by later passes
  Placement ifm, ifm2, ofm;
  std::shared_ptr<const LayerConstants> constants;
  int table = -1;  ///< storage with the activation table, which is loaded before
};

/// One DMA job between storages.
struct DmaLayer {
  std::size_t op = 0;
  DmaOperation dma;  ///< without regions and addresses
  Placement source, target, index;
};

using NetworkStep = std::variant<Layer, DmaLayer>;

/// An operator of the graph.
struct NetworkOperator {
  std::string place;                      ///< "operator 3 (CONV2D)"
  std::string kind;                       ///< "CONV2D", or the kind of the operator in the file
  std::optional<std::size_t> index = {};  ///< in the compiled file; absent: added by the import
};

struct Network {
  const Accelerator* accelerator = nullptr;
  std::vector<NetworkOperator> operators;  ///< by number
  std::vector<NetworkTensor> tensors;
  std::vector<NetworkStorage> storages;
  std::vector<NetworkStep> steps;
  std::vector<int> inputs, outputs;     ///< tensors
  std::vector<int> variables;           ///< tensors that keep their contents from one run to the next
  std::vector<std::uint8_t> constants;  ///< contents of the constant region
  std::uint64_t arena_size = 0, fast_size = 0;
  bool is_tflite = false;  ///< operator kinds and numbers are those of a TensorFlow Lite network
};

/// The command stream, and which operator of the graph each of its operations belongs to.
struct CommandList {
  struct Operation {
    std::size_t word = 0;  ///< index of the operation's first word
    std::size_t op = 0;    ///< operator of the graph
  };
  std::vector<std::uint32_t> words;
  std::vector<Operation> operations;  ///< in stream order, including DMA jobs that load tables
};

}  // namespace macaw::npu
