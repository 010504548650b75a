#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace macaw {

/// Element types of tensors; rows and meaning in dtype.def.
enum class DType : std::uint8_t {
#define MACAW_DTYPE(name, storage, bits, npy) k##name,
#include <macaw/dtype.def>
#undef MACAW_DTYPE
};

/// C++ type that holds one element: Storage<DType::kINT48> is std::int64_t.
template <DType>
struct StorageOf;
#define MACAW_DTYPE(name, storage, bits, npy) \
  template <>                                 \
  struct StorageOf<DType::k##name> {          \
    using type = storage;                     \
  };
#include <macaw/dtype.def>
#undef MACAW_DTYPE
template <DType D>
using Storage = typename StorageOf<D>::type;

struct DTypeInfo {
  std::string_view name;  ///< spelling of the TOSA specification
  std::size_t size;       ///< bytes of one stored element; for a block-scaled type, of one value
  unsigned bits;          ///< bits of the value
  std::string_view npy;   ///< numpy descriptor that it is written with
};

[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);
[[nodiscard]] inline std::size_t size_of(DType dtype) { return info(dtype).size; }
[[nodiscard]] inline std::string_view to_string(DType dtype) { return info(dtype).name; }
/// Floating point, block-scaled types included.
[[nodiscard]] bool is_float(DType dtype);

/// Parts of a tensor of a block-scaled type (block_scale_t of the specification): values, and for every block of
/// kInnermostBlockSize of them along the last dimension the scale that they are to be multiplied with.
struct BlockScale {
  DType dtype, scale, value;
};
inline constexpr std::int64_t kInnermostBlockSize = 32;
inline constexpr BlockScale kBlockScales[] = {
    {DType::kBS32_FP8UE8M0_FP8E4M3, DType::kFP8UE8M0, DType::kFP8E4M3},
    {DType::kBS32_FP8UE8M0_FP8E5M2, DType::kFP8UE8M0, DType::kFP8E5M2},
    {DType::kBS32_FP8UE8M0_FP6E3M2, DType::kFP8UE8M0, DType::kFP6E3M2},
    {DType::kBS32_FP8UE8M0_FP6E2M3, DType::kFP8UE8M0, DType::kFP6E2M3},
    {DType::kBS32_FP8UE8M0_FP4E2M1, DType::kFP8UE8M0, DType::kFP4E2M1},
    {DType::kBS32_FP8UE8M0_MXINT8, DType::kFP8UE8M0, DType::kMXINT8},
    {DType::kBS32_FP64_FP64, DType::kFP64, DType::kFP64},
};
/// Null for every other type.
[[nodiscard]] constexpr const BlockScale* block_scale(DType dtype) {
  for (const auto& row : kBlockScales)
    if (row.dtype == dtype) return &row;
  return nullptr;
}
[[nodiscard]] constexpr bool is_block_scale(DType dtype) { return block_scale(dtype) != nullptr; }

}  // namespace macaw
