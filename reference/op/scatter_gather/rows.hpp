#pragma once
#include "reference/op/def.hpp"

namespace macaw::tosa {

inline constexpr std::string_view kIndexedTypes[] = {"in_out_t", "index_t"};

/// What an index_t of int64 adds to what a type needs.
constexpr Support with_int64(Support support) {
  for (auto& set : support.any)
    if (set != 0) set |= mask(Profile::kExtInt64);
  return support;
}

/// Rows of GATHER and SCATTER (tosa.xml): KernelOf<Index>::kernel moves elements of any size. The 1.1 draft adds PRO-FP
/// to the integer types.
template <template <class> class KernelOf>
inline constexpr TypeRow kIndexedRows[] = {
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kINT16, DType::kINT32}, kInProInt, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kINT32, DType::kINT32}, kInProInt, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kINT8, DType::kINT32}, kInProFp, 1, KernelOf<std::int32_t>::kernel},
    {{DType::kINT16, DType::kINT32}, kInProFp, 1, KernelOf<std::int32_t>::kernel},
    {{DType::kINT32, DType::kINT32}, kInProFp, 1, KernelOf<std::int32_t>::kernel},
    {{DType::kFP8E4M3, DType::kINT32}, kInExtFp8E4M3, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kFP8E5M2, DType::kINT32}, kInExtFp8E5M2, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kFP16, DType::kINT32}, kInProFp, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kBF16, DType::kINT32}, kInExtBf16, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kFP32, DType::kINT32}, kInProFp, 0, KernelOf<std::int32_t>::kernel},
    {{DType::kBOOL, DType::kINT32}, kInProIntOrFp, 1, KernelOf<std::int32_t>::kernel},
    {{DType::kINT8, DType::kINT64}, with_int64(kInProIntOrFp), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kINT16, DType::kINT64}, with_int64(kInProIntOrFp), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kINT32, DType::kINT64}, with_int64(kInProIntOrFp), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, KernelOf<std::int64_t>::kernel},
    {{DType::kFP8E4M3, DType::kINT64}, with_int64(kInExtFp8E4M3), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kFP8E5M2, DType::kINT64}, with_int64(kInExtFp8E5M2), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kFP16, DType::kINT64}, with_int64(kInProFp), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kBF16, DType::kINT64}, with_int64(kInExtBf16), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kFP32, DType::kINT64}, with_int64(kInProFp), 1, KernelOf<std::int64_t>::kernel},
    {{DType::kBOOL, DType::kINT64}, with_int64(kInProIntOrFp), 1, KernelOf<std::int64_t>::kernel},
};

inline constexpr Check kIndexInRange = found_by_kernel("indices", "an index must be at least 0 and less than K");

}  // namespace macaw::tosa
