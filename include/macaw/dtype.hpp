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
  std::string_view name;   ///< spelling of the TOSA specification
  std::size_t size;        ///< bytes of one stored element
  unsigned bits;           ///< bits of the value
  std::string_view npy;    ///< numpy descriptor it is written with
};

[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);
[[nodiscard]] inline std::size_t size_of(DType dtype) { return info(dtype).size; }
[[nodiscard]] inline std::string_view to_string(DType dtype) { return info(dtype).name; }
[[nodiscard]] bool is_float(DType dtype);

}  // namespace macaw
