#include "base/bools.hpp"

#include <utility>

namespace macaw {

void normalise_bools(Tensor& tensor) {
  if (tensor.dtype() != DType::kBOOL) return;
  std::byte all{};
  for (const auto byte : std::as_const(tensor).bytes()) all |= byte;
  if (all <= std::byte{1}) return;
  for (auto& byte : tensor.bytes()) byte = std::byte{byte != std::byte{0}};
}

}  // namespace macaw
