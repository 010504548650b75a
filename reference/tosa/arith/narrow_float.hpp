#pragma once
#include <cstddef>

#include <macaw/dtype.hpp>

namespace macaw::tosa {

/// decode(kFormat<D>, ...) and encode(kFormat<D>, ...) (reference/tosa/arith/float_format.hpp) of `size` elements of a
/// type that has a format, or decode_mxint8() and encode_mxint8(), in vectors. The bytes are those of a tensor.
void decode_narrow(DType dtype, const std::byte* bytes, std::size_t size, float* values);
void encode_narrow(DType dtype, const float* values, std::size_t size, std::byte* bytes);

}  // namespace macaw::tosa
