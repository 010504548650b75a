#include "workflow/golden/kept.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

namespace macaw::golden {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

using Bytes = std::vector<unsigned char>;

Result<Bytes> from_digits(const std::string& text) {
  Bytes bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto* first = text.data() + 2 * i;
    if (std::from_chars(first, first + 2, bytes[i], 16).ptr != first + 2)
      return fail(ErrorCode::kInvalidFile, "not a golden: a kept tensor is not in hexadecimal digits");
  }
  return bytes;
}

/// Refuses more than `limit` bytes, which a short text may stand for.
Result<Bytes> contents(const std::string& text, std::size_t limit) {
  MACAW_ASSIGN(auto packed, from_digits(text));
  Bytes bytes;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return fail(ErrorCode::kUnsupported, "no memory for a kept tensor");
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK && bytes.size() <= limit) {
    const auto have = bytes.size();
    bytes.resize(have + kPiece);
    stream.next_out = bytes.data() + have;
    stream.avail_out = kPiece;
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END)
    return fail(ErrorCode::kInvalidFile, "not a golden: a kept tensor is damaged or larger than what is there now");
  return bytes;
}

struct Element {
  std::string text;
  double value = 0;
};

template <class T>
Element element_as(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return {fmt::format("{}", value), static_cast<double>(value)};
}

Element element(DType dtype, const unsigned char* at) {
  switch (dtype) {
#define MACAW_DTYPE(name, storage, bits, npy) \
  case DType::k##name: return element_as<storage>(at);
#include <macaw/dtype.def>
#undef MACAW_DTYPE
  }
  return {};
}

}  // namespace

std::string kept(std::span<const std::byte> bytes) {
  auto size = compressBound(bytes.size());
  Bytes packed(size);
  compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  std::string text;
  text.reserve(2 * size);
  for (std::size_t i = 0; i < size; ++i) fmt::format_to(std::back_inserter(text), "{:02x}", packed[i]);
  return text;
}

Result<std::optional<std::string>> kept_difference(const std::string& then, const std::string& now, DType dtype) {
  // A new run has any size; the contents of a file may not be larger.
  MACAW_ASSIGN(const auto fresh, contents(now, SIZE_MAX / 2));
  MACAW_ASSIGN(const auto old, contents(then, fresh.size()));
  if (old.size() != fresh.size()) return std::optional(fmt::format("{} bytes -> {} bytes", old.size(), fresh.size()));
  const auto size = size_of(dtype), elements = fresh.size() / size;
  std::size_t different = 0, first = elements;
  double most = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    const auto *a = old.data() + i * size, *b = fresh.data() + i * size;
    if (std::memcmp(a, b, size) == 0) continue;
    ++different;
    first = std::min(first, i);
    most = std::max(most, std::abs(element(dtype, b).value - element(dtype, a).value));
  }
  if (different == 0) return std::optional<std::string>();
  return std::optional(fmt::format("{} of {} elements differ, at most by {}; the first is element {}: {} -> {}",
                                   different, elements, most, first, element(dtype, old.data() + first * size).text,
                                   element(dtype, fresh.data() + first * size).text));
}

}  // namespace macaw::golden
