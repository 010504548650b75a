#include "workflow/compare/weight_streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "sim/datapath/weight_stream.hpp"

namespace macaw::compare {
namespace {

Result<const NpyArray*> member(const Npz& npz, const std::string& name, std::string_view descr) {
  const auto found = npz.arrays.find(name);
  if (found == npz.arrays.end()) return fail(ErrorCode::kInvalidFile, fmt::format("no member '{}'", name));
  if (found->second.descr != descr)
    return fail(ErrorCode::kInvalidFile,
                fmt::format("member '{}' is '{}', expected '{}'", name, found->second.descr, descr));
  return &found->second;
}

Result<void> same_weights(std::span<const std::int16_t> actual, std::span<const std::int16_t> expected,
                          const char* what) {
  if (actual.size() != expected.size())
    return fail(ErrorCode::kMismatch, fmt::format("{}: {} weights, expected {}", what, actual.size(), expected.size()));
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (actual[i] != expected[i])
      return fail(ErrorCode::kMismatch,
                  fmt::format("{}: weight {} is {}, expected {}", what, i, actual[i], expected[i]));
  return {};
}

}  // namespace

Result<void> check_weight_stream(const Npz& npz, const std::string& stem) {
  MACAW_ASSIGN(const auto* encoded, member(npz, stem + "|enc", "|u1"));
  MACAW_ASSIGN(const auto* stored, member(npz, stem + "|dec", "<i2"));
  std::vector<std::int16_t> expected(stored->bytes.size() / 2);
  if (!expected.empty()) std::memcpy(expected.data(), stored->bytes.data(), stored->bytes.size());
  const std::span stream(reinterpret_cast<const std::uint8_t*>(encoded->bytes.data()), encoded->bytes.size());
  MACAW_ASSIGN(const auto decoded, npu::decode_weight_stream(stream, expected.size()));
  MACAW_CHECK(same_weights(decoded, expected, "decoder"));
  MACAW_ASSIGN(const auto again, npu::encode_weight_stream(expected));
  MACAW_ASSIGN(const auto round_trip, npu::decode_weight_stream(again, expected.size()));
  return same_weights(round_trip, expected, "own encoder");
}

// Every form of a fast stream holds at least one weight per byte after its 32-byte header.
Result<void> check_fast_weight_stream(const Npz& npz, const std::string& stem) {
  constexpr std::size_t kHeader = 32;
  MACAW_ASSIGN(const auto* encoded, member(npz, stem + "|enc", "|u1"));
  const std::span stream(reinterpret_cast<const std::uint8_t*>(encoded->bytes.data()), encoded->bytes.size());
  const auto count = stream.size() - std::min(stream.size(), kHeader);
  MACAW_ASSIGN(const auto decoded, npu::decode_fast_weight_stream(stream, count));
  MACAW_ASSIGN(const auto again, npu::encode_fast_weight_stream(decoded, false));
  MACAW_ASSIGN(const auto round_trip, npu::decode_fast_weight_stream(again, count));
  return same_weights(round_trip, decoded, "own fast encoder");
}

}  // namespace macaw::compare
