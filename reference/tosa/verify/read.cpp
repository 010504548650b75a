#include <fmt/format.h>

#include <macaw/npy.hpp>
#include <macaw/tosa/verify.hpp>

namespace macaw::tosa {
namespace {

/// Types that numpy does not have; byte order means nothing to opaque or single bytes.
bool describes(std::string_view descr, DType dtype) {
  if (descr == info(dtype).npy) return true;
  if (descr.size() < 2) return false;
  const auto kind = descr.substr(1);
  switch (dtype) {
    case DType::kBF16: return kind == "V2";
    case DType::kFP8E4M3:
    case DType::kFP8E5M2: return kind == "V1" || kind == "u1";
    default: return size_of(dtype) == 1 && kind == info(dtype).npy.substr(1);
  }
}

}  // namespace

Result<Tensor> read_judged(const std::filesystem::path& file, DType dtype) {
  MACAW_ASSIGN(const auto array, read_npy(file));
  if (!describes(array.descr, dtype))
    return fail(ErrorCode::kMismatch, fmt::format("npy type '{}', expected {}", array.descr, macaw::to_string(dtype)),
                {.file = file.string()});
  return to_tensor(array, dtype, file.string());
}

}  // namespace macaw::tosa
