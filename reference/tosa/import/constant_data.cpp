#include "reference/tosa/import/constant_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/large_memory.hpp"
#include "base/threads.hpp"

namespace macaw::tosa {
namespace {

// Smaller constants do not keep a file in memory.
constexpr std::size_t kLeastView = 4096;

/// Whether a file's bytes are a tensor's. Those of a BOOL may be any but 0 for true.
bool lies_as_in_memory(DType dtype) {
  return dtype != DType::kINT4 && dtype != DType::kFP4E2M1 && dtype != DType::kINT48 && dtype != DType::kBOOL;
}

std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  const auto unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

/// Bits of a binary16 nearest to `value`, ties to even.
std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  if (std::isnan(value)) return sign | 0x7e00u;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return sign | 0x7c00u;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int ulp = std::max(exponent - 11, -24);
  const auto mantissa = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -ulp)));
  // Adding, not or-ing: a mantissa that rounds up to the next power of two carries into the exponent.
  return static_cast<std::uint16_t>(sign | (mantissa + (static_cast<std::uint32_t>(ulp + 24) << 10)));
}

/// False if a value is -8.
bool unpack_int4(std::span<const std::uint8_t> bytes, std::span<std::int8_t> out) {
  // Values plus 8. A loop that the compiler makes vectors of.
  std::uint8_t is_least = 0;
  const auto pairs = out.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto low = static_cast<std::uint8_t>((bytes[i] & 15) ^ 8),
               high = static_cast<std::uint8_t>(bytes[i] >> 4 ^ 8);
    out[2 * i] = static_cast<std::int8_t>(low - 8);
    out[2 * i + 1] = static_cast<std::int8_t>(high - 8);
    is_least |= static_cast<std::uint8_t>(low == 0) | static_cast<std::uint8_t>(high == 0);
  }
  if (out.size() % 2 != 0) {
    const auto last = static_cast<std::uint8_t>((bytes[pairs] & 15) ^ 8);
    out.back() = static_cast<std::int8_t>(last - 8);
    is_least |= static_cast<std::uint8_t>(last == 0);
  }
  return is_least == 0;
}

bool unpack_int4_on_threads(std::span<const std::uint8_t> bytes, std::span<std::int8_t> out, int threads) {
  // Least number of elements for a thread; even.
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto parts = (out.size() + kPart - 1) / kPart;
  const auto most = static_cast<std::size_t>(threads > 0 ? threads : machine_threads());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> holds = true;
  const auto unpack = [&] {
    for (std::size_t part; (part = next++) < parts;) {
      const auto first = part * kPart, count = std::min(kPart, out.size() - first);
      make_pages(&out[first], count);
      if (!unpack_int4(bytes.subspan(first / 2), out.subspan(first, count))) holds = false;
    }
  };
  {
    const auto others = start_threads(std::max<std::size_t>(std::min(most, parts), 1) - 1, unpack);
    unpack();
  }
  return holds;
}

}  // namespace

std::size_t packed_size(DType dtype, const Shape& shape) {
  const auto count = static_cast<std::size_t>(*element_count(shape));
  switch (dtype) {
    case DType::kINT4:
    case DType::kFP4E2M1: return count / 2 + count % 2;
    case DType::kINT48: return count * 6;
    default: return static_cast<std::size_t>(*byte_count(dtype, shape));
  }
}

std::vector<std::uint8_t> pack_constant(const Tensor& tensor) {
  const auto count = static_cast<std::size_t>(tensor.size());
  std::vector<std::uint8_t> out((packed_size(tensor.dtype(), tensor.shape()) + 7) / 8 * 8);
  const auto* in = reinterpret_cast<const std::uint8_t*>(tensor.bytes().data());
  if (tensor.dtype() == DType::kINT4 || tensor.dtype() == DType::kFP4E2M1) {
    for (std::size_t i = 0; i < count; ++i) out[i / 2] |= static_cast<std::uint8_t>((in[i] & 0xf) << (i % 2 * 4));
  } else if (tensor.dtype() == DType::kINT48) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&out[i * 6], in + i * 8, 6);
  } else {
    std::copy_n(in, tensor.bytes().size(), out.begin());
  }
  return out;
}

Result<Tensor> unpack_constant(DType dtype, const Shape& shape, std::span<const std::uint8_t> bytes,
                               const Unpacking& how) {
  MACAW_ASSIGN(const auto elements, element_count(shape, 16));
  const auto count = static_cast<std::size_t>(elements);
  const auto size = packed_size(dtype, shape);
  if (bytes.size() != size && bytes.size() != (size + 7) / 8 * 8)
    return fail(ErrorCode::kInvalidGraph, fmt::format("{} bytes of data for {} elements of {}, which take {}",
                                                      bytes.size(), count, macaw::to_string(dtype), size));
  if (how.owner && size >= kLeastView && lies_as_in_memory(dtype))
    return Tensor::view(dtype, shape, std::as_bytes(bytes.first(size)), how.owner);
  MACAW_ASSIGN(auto tensor, Tensor::create(dtype, shape, TensorMemory::ZeroFill::kLazy));
  auto* out = reinterpret_cast<std::uint8_t*>(tensor.uninitialized_bytes().data());
  if (dtype == DType::kINT4) {
    if (!unpack_int4_on_threads(bytes, {reinterpret_cast<std::int8_t*>(out), count}, how.threads))
      return fail(ErrorCode::kInvalidGraph, "an int4 constant holds -8; the range is -7 to 7");
  } else if (dtype == DType::kFP4E2M1) {
    for (std::size_t i = 0; i < count; ++i) out[i] = bytes[i / 2] >> (i % 2 * 4) & 0xf;
  } else if (dtype == DType::kINT48) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t raw = 0;
      std::memcpy(&raw, &bytes[i * 6], 6);
      const auto value = sign_extend(raw, 48);
      std::memcpy(out + i * 8, &value, 8);
    }
  } else if (dtype == DType::kBOOL) {
    std::ranges::transform(bytes.first(count), out, [](auto byte) -> std::uint8_t { return byte != 0; });
  } else {
    std::copy_n(bytes.begin(), size, out);
  }
  return tensor;
}

std::vector<std::byte> integer_bytes(DType dtype, std::int64_t value) {
  if (dtype == DType::kBOOL) value = value != 0;
  std::vector<std::byte> bytes(size_of(dtype));
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes;
}

std::vector<std::byte> float_bytes(DType dtype, float value) {
  std::vector<std::byte> bytes(size_of(dtype));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (dtype == DType::kFP16) {
    const auto half = half_bits(value);
    std::memcpy(bytes.data(), &half, 2);
  } else if (dtype == DType::kBF16) {
    const auto rounded = std::isnan(value) ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u);
    const auto top = static_cast<std::uint16_t>(rounded >> 16);
    std::memcpy(bytes.data(), &top, 2);
  } else {
    std::memcpy(bytes.data(), &bits, std::min<std::size_t>(4, bytes.size()));
  }
  return bytes;
}

std::int64_t integer_from_bytes(DType dtype, std::span<const std::byte> bytes) {
  std::uint64_t raw = 0;
  const auto size = std::min(bytes.size(), std::size_t{8});
  std::memcpy(&raw, bytes.data(), size);
  const bool is_unsigned = dtype == DType::kBOOL || dtype == DType::kUINT8 || dtype == DType::kUINT16;
  return is_unsigned || size == 0 ? static_cast<std::int64_t>(raw) : sign_extend(raw, static_cast<unsigned>(size * 8));
}

float float_from_bytes(DType dtype, std::span<const std::byte> bytes) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, bytes.data(), std::min(bytes.size(), std::size_t{4}));
  if (dtype == DType::kBF16) return std::bit_cast<float>(raw << 16);
  if (dtype != DType::kFP16) return std::bit_cast<float>(raw);
  const float sign = raw & 0x8000u ? -1.0f : 1.0f;
  const auto exponent = static_cast<int>((raw >> 10) & 0x1fu);
  const auto mantissa = static_cast<int>(raw & 0x3ffu);
  if (exponent == 31) return mantissa ? std::nanf("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

Tensor scalar_tensor(DType dtype, std::int64_t value) {
  Tensor tensor(dtype, {1});
  const auto bytes = is_float(dtype) ? float_bytes(dtype, static_cast<float>(value)) : integer_bytes(dtype, value);
  std::ranges::copy(bytes, tensor.bytes().begin());
  return tensor;
}

Tensor shape_constant(const std::vector<std::int64_t>& extents) {
  Tensor tensor(DType::kSHAPE, {static_cast<std::int64_t>(extents.size())});
  std::ranges::copy(extents, tensor.data<std::int64_t>().begin());
  return tensor;
}

}  // namespace macaw::tosa
