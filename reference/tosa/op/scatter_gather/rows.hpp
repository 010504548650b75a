#pragma once
#include "reference/tosa/op/declare.hpp"

namespace macaw::tosa {

inline constexpr std::string_view kIndexedTypes[] = {"in_out_t", "index_t"};

/// Additional requirements of a type with an index_t of int64.
constexpr Support with_int64(Support support) {
  for (auto& set : support.any)
    if (set != 0) set |= mask(kExtInt64);
  return support;
}
constexpr Support with_int64(Profile profile) { return with_int64(all_of(profile)); }

/// Rows of GATHER and SCATTER (tosa.xml): KernelOf<Index>::kernel moves elements of any size. The 1.1 draft adds PRO-FP
/// to the integer types.
template <template <class> class KernelOf>
inline constexpr TypeRow kIndexedRows[] = {
    row({kINT8, kINT32}).in(kProInt).by(KernelOf<std::int32_t>::kernel),
    row({kINT16, kINT32}).in(kProInt).by(KernelOf<std::int32_t>::kernel),
    row({kINT32, kINT32}).in(kProInt).by(KernelOf<std::int32_t>::kernel),
    row({kINT8, kINT32}).in(kProFp).since(1, 1).by(KernelOf<std::int32_t>::kernel),
    row({kINT16, kINT32}).in(kProFp).since(1, 1).by(KernelOf<std::int32_t>::kernel),
    row({kINT32, kINT32}).in(kProFp).since(1, 1).by(KernelOf<std::int32_t>::kernel),
    row({kFP8E4M3, kINT32}).in(kExtFp8E4M3).by(KernelOf<std::int32_t>::kernel),
    row({kFP8E5M2, kINT32}).in(kExtFp8E5M2).by(KernelOf<std::int32_t>::kernel),
    row({kFP16, kINT32}).in(kProFp).by(KernelOf<std::int32_t>::kernel),
    row({kBF16, kINT32}).in(kExtBf16).by(KernelOf<std::int32_t>::kernel),
    row({kFP32, kINT32}).in(kProFp).by(KernelOf<std::int32_t>::kernel),
    row({kBOOL, kINT32}).in(kProIntOrFp).since(1, 1).by(KernelOf<std::int32_t>::kernel),
    row({kINT8, kINT64}).in(with_int64(kProIntOrFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kINT16, kINT64}).in(with_int64(kProIntOrFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kINT32, kINT64}).in(with_int64(kProIntOrFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kFP8E4M3, kINT64}).in(with_int64(kExtFp8E4M3)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kFP8E5M2, kINT64}).in(with_int64(kExtFp8E5M2)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kFP16, kINT64}).in(with_int64(kProFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kBF16, kINT64}).in(with_int64(kExtBf16)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kFP32, kINT64}).in(with_int64(kProFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
    row({kBOOL, kINT64}).in(with_int64(kProIntOrFp)).since(1, 1).by(KernelOf<std::int64_t>::kernel),
};

inline constexpr Check kIndexInRange = found_by_kernel("indices", "an index must be at least 0 and less than K");

}  // namespace macaw::tosa
