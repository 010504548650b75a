#include <macaw/tflite/to_float.hpp>

#include <macaw/quantised_values.hpp>

#include <fmt/format.h>

namespace macaw::tflite {
namespace {

bool is_quantised(const TensorInfo& tensor) {
  if (!tensor.quantization || tensor.quantization->scale.empty()) return false;
  switch (tensor.dtype) {
    case DType::kINT4:
    case DType::kINT8:
    case DType::kUINT8:
    case DType::kINT16:
    case DType::kINT32:
    case DType::kINT64: return true;
    default: return false;
  }
}

Result<void> convert(TensorInfo& tensor) {
  if (!is_quantised(tensor)) return {};
  if (tensor.constant) {
    MACAW_ASSIGN(auto values, dequantised(*tensor.constant, *tensor.quantization));
    tensor.constant = std::make_shared<const Tensor>(std::move(values));
  }
  tensor.dtype = DType::kFP32;
  tensor.quantization = nullptr;
  return {};
}

}  // namespace

Result<Network> to_float(const Network& network) {
  Network result = network;
  for (auto& subgraph : result.subgraphs) {
    for (std::size_t i = 0; i < subgraph.tensors.size(); ++i)
      if (auto done = convert(subgraph.tensors[i]); !done) {
        done.error().place = {.file = network.file, .op = fmt::format("tensor {} \"{}\"", i, subgraph.tensors[i].name)};
        return tl::unexpected(done.error());
      }
    for (auto& op : subgraph.operators)
      if (op.name == "QUANTIZE" || op.name == "DEQUANTIZE") op.name = "RESHAPE";  // of the shape that the output has
  }
  return result;
}

}  // namespace macaw::tflite
