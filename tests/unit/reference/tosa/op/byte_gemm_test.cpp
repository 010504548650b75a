#include "reference/tosa/kernels/gemm/byte_gemm.hpp"

#include "reference/tosa/kernels/gemm/byte_taps.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"
#include "tests/unit/reference/tosa/op/targets.hpp"

namespace macaw::tosa {
namespace {

std::vector<std::int32_t> some_terms(Random& random, std::size_t size, bool extreme) {
  std::vector<std::int32_t> terms(size);
  const std::int64_t limit = extreme ? std::numeric_limits<std::int32_t>::max() : 100000;
  for (auto& value : terms) value = static_cast<std::int32_t>(pick(random, -limit, limit));
  return terms;
}

void compare_products(Random& random, std::size_t m, std::size_t k, std::size_t n) {
  const auto stride = k + static_cast<std::size_t>(pick(random, 0, 5));
  std::vector<std::uint8_t> a(m * stride + 4 * ByteMatrix(k, 1).quads());
  for (auto& value : a) value = static_cast<std::uint8_t>(pick(random, 0, 255));
  // The middle columns of a larger matrix, row-major and transposed.
  const std::size_t before = 2, pitch = n + 5, column_pitch = k + 1;
  std::vector<std::int8_t> rows(k * pitch), columns((n + before) * column_pitch);
  ByteMatrix b(k, n), transposed(k, n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < k; ++i)
      rows[i * pitch + before + j] = columns[(j + before) * column_pitch + i] =
          static_cast<std::int8_t>(pick(random, -128, 127));
  b.pack(rows.data() + before, pitch);
  transposed.pack_transposed(columns.data() + before * column_pitch, column_pitch);
  bool packed_alike = b.sums() == transposed.sums() && b.magnitudes(3) == transposed.magnitudes(3);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j)
      packed_alike &= b.at(i, j) == transposed.at(i, j) && b.at(i, j) == rows[i * pitch + before + j];
  CHECK(packed_alike);

  const bool extreme = pick(random, 0, 2) == 0;
  const auto of_columns = some_terms(random, b.panels() * kByteColumns, extreme);
  const auto of_rows = some_terms(random, pick(random, 0, 1) ? m : 0, extreme);
  const auto ldc = n + 3;
  std::vector<std::int32_t> fast(m * ldc, 77), scalar = fast;
  const ByteRows left{a.data(), m, stride};
  byte_gemm(left, b, {of_columns, of_rows}, fast.data(), ldc);
  byte_gemm_scalar(left, b, {of_columns, of_rows}, scalar.data(), ldc);
  CHECK(fast == scalar);
}

void compare_taps(Random& random, std::size_t channels, std::size_t count) {
  std::vector<std::int8_t> in(count * channels + 1);
  for (auto& value : in) value = static_cast<std::int8_t>(pick(random, -128, 127));
  std::vector<std::int16_t> weights(count * channels + 1);
  for (auto& value : weights) value = static_cast<std::int16_t>(pick(random, -255, 255));
  const auto bias = some_terms(random, channels, pick(random, 0, 1) == 0);
  std::vector<const std::int8_t*> taps;
  for (std::size_t t = 0; t < count; ++t) taps.push_back(in.data() + t * channels);
  const auto zero_point = static_cast<std::int16_t>(pick(random, -128, 127));
  std::vector<std::int32_t> offsets(channels);
  for (std::size_t i = 0; i < count * channels; ++i) offsets[i / 2 % channels] -= zero_point * weights[i];
  const ByteTaps position{taps, weights.data(), zero_point, bias.data(), channels, offsets.data()};
  std::vector<std::int32_t> fast(channels, 7), scalar(channels, 9);
  CHECK(sum_byte_taps(position, fast.data()) == sum_byte_taps_scalar(position, scalar.data()));
  CHECK(fast == scalar);
}

TEST_CASE("the byte kernels of every SIMD target give the scalar sums") {
  Random random(1);
  for_each_target([&] {
    for (int i = 0; i < 40; ++i) {
      const auto m = static_cast<std::size_t>(pick(random, 1, i % 4 == 0 ? 220 : 60)),
                 n = static_cast<std::size_t>(pick(random, 1, 70));
      const auto k = static_cast<std::size_t>(pick(random, i == 0 ? 0 : 1, i % 8 == 0 ? 2400 : 90));
      compare_products(random, m, k, n);
      compare_taps(random, static_cast<std::size_t>(pick(random, 1, 100)),
                   2 * static_cast<std::size_t>(pick(random, 0, 6)));
    }
  });
}

}  // namespace
}  // namespace macaw::tosa
