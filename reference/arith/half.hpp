#pragma once
#include <cstddef>
#include <cstdint>

namespace macaw::tosa {

/// decode(kFp16, ...) of `size` elements (reference/arith/float_format.hpp).
void decode_fp16(const std::uint16_t* bits, std::size_t size, float* values);

/// encode(kFp16, ...) and encode(kBf16, ...) of `size` elements.
void encode_fp16(const float* values, std::size_t size, std::uint16_t* bits);
void encode_bf16(const float* values, std::size_t size, std::uint16_t* bits);

}  // namespace macaw::tosa
