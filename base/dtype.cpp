#include <array>

#include <macaw/dtype.hpp>

namespace macaw {
namespace {

constexpr std::array kInfo = {
#define MACAW_DTYPE(name, storage, bits, npy) DTypeInfo{#name, sizeof(storage), bits, npy},
#include <macaw/dtype.def>
#undef MACAW_DTYPE
};

}  // namespace

const DTypeInfo& info(DType dtype) { return kInfo.at(static_cast<std::size_t>(dtype)); }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kInfo.size(); ++i)
    if (kInfo[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

bool is_float(DType dtype) {
  switch (dtype) {
    case DType::kFP64:
    case DType::kFP32:
    case DType::kFP16:
    case DType::kBF16:
    case DType::kFP8E4M3:
    case DType::kFP8E5M2:
    case DType::kFP8UE8M0:
    case DType::kFP6E2M3:
    case DType::kFP6E3M2:
    case DType::kFP4E2M1: return true;
    default: return is_block_scale(dtype);
  }
}

}  // namespace macaw
