#include <cstring>
#include <numeric>

#include <macaw/npu/element_type.hpp>

#include "device/linux/compiled.hpp"
#include "device/linux/value_or_throw.hpp"

namespace EthosU {
namespace {

using macaw::DType;

int type_of(const macaw::npu::TensorBinding& tensor) {
  switch (macaw::npu::element_type(tensor)) {
    case DType::kFP32: return TensorType_FLOAT32;
    case DType::kFP16: return TensorType_FLOAT16;
    case DType::kINT32: return TensorType_INT32;
    case DType::kUINT8: return TensorType_UINT8;
    case DType::kINT64: return TensorType_INT64;
    case DType::kBOOL: return TensorType_BOOL;
    case DType::kINT16: return TensorType_INT16;
    case DType::kINT8: return TensorType_INT8;
    default: break;
  }
  throw Exception((tensor.name + " has a type that EthosU::TensorType does not").c_str());
}

std::size_t total(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

Network::Network(const Device& device, const std::shared_ptr<Buffer>& buffer) : device_(device), buffer_(buffer) {
  if (!buffer) throw Exception("A network without a buffer");
  load(reinterpret_cast<const unsigned char*>(buffer->data()), buffer->size());
}

Network::Network(const Device& device, const unsigned char* data, std::size_t size) : device_(device) {
  load(data, size);
}

Network::Network(const Device& device, unsigned index) : device_(device) {
  throw Exception(("There is no firmware that holds a network " + std::to_string(index) + "; give its file").c_str());
}

Network::~Network() = default;

void Network::load(const unsigned char* data, std::size_t size) {
  if (!data && size != 0) throw Exception("A network at a null pointer");
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const macaw::npu::Accelerator& accelerator = *macaw::npu::find_accelerator(device_.accelerator_);
  if (size >= 4 && (std::memcmp(data, "COP1", 4) == 0 || std::memcmp(data, "COP2", 4) == 0)) {
    compiled_ = std::make_shared<Compiled>(
        Compiled{accelerator, device_.system_, std::vector<std::byte>(bytes.begin(), bytes.end()), {}});
    return;
  }
  auto artifact = value_or_throw(macaw::npu::parse_artifact(bytes, "network"));
  if (artifact.accelerator != nullptr && artifact.accelerator != &accelerator)
    throw Exception(("The network is compiled for " + std::string(artifact.accelerator->name) + ", the device is " +
                     device_.accelerator_ + " (MACAW_ACCELERATOR)")
                        .c_str());
  const auto describe = [](const std::vector<macaw::npu::TensorBinding>& tensors) {
    Operands operands;
    for (const auto& tensor : tensors) {
      const auto elements = value_or_throw(macaw::element_count(tensor.shape, tensor.element_size));
      operands.sizes.push_back(static_cast<std::size_t>(elements) * tensor.element_size);
      operands.shapes.emplace_back(tensor.shape.begin(), tensor.shape.end());
      operands.types.push_back(type_of(tensor));
    }
    return operands;
  };
  ifm_ = describe(artifact.inputs);
  ofm_ = describe(artifact.outputs);
  compiled_ = std::make_shared<Compiled>(Compiled{accelerator, device_.system_, {}, std::move(artifact)});
}

std::size_t Network::getIfmSize() const { return total(ifm_.sizes); }

std::size_t Network::getOfmSize() const { return total(ofm_.sizes); }

}  // namespace EthosU
