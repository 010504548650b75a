
#include "reference/tosa/kernels/gemm/gemm.hpp"
#include "reference/tosa/kernels/convert/clip_block.hpp"
#include "reference/tosa/kernels/convert/scale_block.hpp"
#include "reference/tosa/kernels/gemm/overflow.hpp"
#include "reference/tosa/kernels/gemm/taps.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"
#include "tests/unit/reference/tosa/op/targets.hpp"

namespace macaw::tosa {
namespace {

struct RandomProblem {
  std::size_t rows, k, n, stride;
  std::vector<std::int16_t> a;
  PackedMatrix b;

  RandomProblem(Random& random, std::size_t m, std::size_t k_, std::size_t n_, int a_bits)
      : rows(m), k(k_), n(n_), stride(k_ + static_cast<std::size_t>(pick(random, 0, 3))), a(m * stride + 1), b(k_, n_) {
    const auto limit = std::int64_t{1} << (a_bits - 1);
    for (auto& value : a) value = static_cast<std::int16_t>(pick(random, -limit, limit - 1));
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < n; ++j) b.at(i, j) = static_cast<std::int16_t>(pick(random, -255, 255));
  }
  [[nodiscard]] Rows left() const { return {a.data(), rows, stride}; }
};

void compare(const RandomProblem& problem) {
  const auto pitch = problem.n + 3;
  std::vector<std::int64_t> fast(problem.rows * pitch, 77), scalar = fast;
  gemm(problem.left(), problem.b, fast.data(), pitch);
  gemm_scalar(problem.left(), problem.b, scalar.data(), pitch);
  CHECK(fast == scalar);
}

void compare_gemm_taps(Random& random, std::size_t size, std::size_t count) {
  std::vector<std::int16_t> in(size * count + 1), weights(size * count + 1);
  for (auto& value : in) value = static_cast<std::int16_t>(pick(random, -32768, 32767));
  for (auto& value : weights) value = static_cast<std::int16_t>(pick(random, -255, 255));
  std::vector<Tap<std::int16_t>> taps;
  for (std::size_t t = 0; t < count; ++t) taps.push_back({in.data() + t * size, weights.data() + t * size});
  std::vector<std::int32_t> fast(size, 7), scalar(size, 9);
  sum_taps(taps, fast);
  sum_taps_scalar(taps, scalar);
  CHECK(fast == scalar);
}

void compare_scales(Random& random, std::size_t size) {
  for (const auto scaling : {ApplyScale::k32, ApplyScale::k32Twice, ApplyScale::k16, ApplyScale::k48}) {
    const bool is_short = scaling == ApplyScale::k16 || scaling == ApplyScale::k48;
    const int bits = scaling == ApplyScale::k48 ? 48 : static_cast<int>(pick(random, 2, 32));
    const auto any_value = [&] {
      const auto limit = std::int64_t{1} << (bits - 1);
      return pick(random, -limit, limit - 1) >> pick(random, 0, bits - 1);
    };
    std::vector<Scale> scales(static_cast<std::size_t>(pick(random, 1, 7)));
    for (auto& scale : scales)
      scale = {static_cast<std::int32_t>(pick(random, 0, is_short ? INT16_MAX : INT32_MAX)),
               static_cast<std::int8_t>(pick(random, 2, 62))};
    const ScaleRow row(scales, scaling, bits);
    CHECK(row.period() % scales.size() == 0);
    const auto first = 2 * static_cast<std::size_t>(pick(random, 0, 20));
    std::vector<std::int32_t> fast(size), scalar(size);
    const auto compare = [&](auto block) {
      block.out = fast.data();
      const bool fast_holds = scale_block(block);
      block.out = scalar.data();
      CHECK(fast_holds == scale_block_scalar(block));
      CHECK(fast == scalar);
    };
    if (scaling == ApplyScale::k48) {
      std::vector<std::int64_t> values(size);
      // The upper bits of an element are not part of the number.
      for (auto& value : values) value = any_value() ^ pick(random, 0, 1) << 50;
      compare(ScaleBlock48{row, first, size, values.data(), nullptr});
    } else {
      std::vector<std::int32_t> values(size);
      for (auto& value : values) value = static_cast<std::int32_t>(any_value());
      compare(ScaleBlock{row, first, size, values.data(), nullptr});
    }
  }
}

template <class Out>
void compare_clips(Random& random, std::size_t size, std::int64_t zero_point) {
  std::vector<std::int32_t> values(size);
  // Around the ends of the ranges of 8 and 16 bits, and far from them.
  for (auto& value : values)
    value = static_cast<std::int32_t>(((pick(random, 0, 1) ? 1 : -1) << pick(random, 0, 29)) + pick(random, -300, 300));
  std::vector<Out> fast(size), scalar(size);
  const OutputClip clip(zero_point, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
  clip_block(values.data(), clip, fast.data(), size);
  clip_block_scalar(values.data(), clip, scalar.data(), size);
  CHECK(fast == scalar);
}

TEST_CASE("the kernels of every SIMD target give the scalar product") {
  Random random(1);
  for_each_target([&] {
    for (int i = 0; i < 40; ++i) {
      const auto m = static_cast<std::size_t>(pick(random, 1, 40)), n = static_cast<std::size_t>(pick(random, 1, 50));
      const auto k = static_cast<std::size_t>(pick(random, i == 0 ? 0 : 1, i % 8 == 0 ? 1400 : 60));
      compare(RandomProblem(random, m, k, n, 9));
      compare(RandomProblem(random, m, k, n, 16));
      compare_scales(random, static_cast<std::size_t>(pick(random, 0, 40)));
      const auto clipped = static_cast<std::size_t>(pick(random, 0, 150));
      compare_clips<std::int8_t>(random, clipped, pick(random, -128, 127));
      compare_clips<std::uint8_t>(random, clipped, pick(random, 0, 255));
      compare_clips<std::int16_t>(random, clipped, 0);
      compare_clips<std::uint16_t>(random, clipped, 0);
      compare_clips<std::uint16_t>(random, clipped, 32768);
      compare_gemm_taps(random, n, static_cast<std::size_t>(pick(random, 0, 12)));
    }
  });
}

TEST_CASE("extreme operands do not overflow a kernel's 32-bit sums") {
  PackedMatrix b(1000, 17);
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t j = 0; j < 17; ++j) b.at(i, j) = -255;
  const std::vector<std::int16_t> a(1000, -32768);
  std::vector<std::int64_t> sums(17);
  gemm({a.data(), 1, 1000}, b, sums.data(), 17);
  CHECK(sums == std::vector<std::int64_t>(17, std::int64_t{1000} * 255 * 32768));
}

TEST_CASE("risky columns are those whose sums can leave the limit") {
  PackedMatrix b(3, 20);
  b.at(0, 4) = 100;
  b.at(2, 4) = -100;
  b.at(1, 19) = 50;
  CHECK(risky_columns(b, 10, 1999) == std::vector<std::size_t>{4});
  CHECK(risky_columns(b, 10, 2000).empty());
  CHECK(risky_columns(b, 40, 1999) == std::vector<std::size_t>{4, 19});
  CHECK(risky_columns(b, 40, 2000) == std::vector<std::size_t>{4});
  CHECK(risky_columns(b, 0, 0).empty());
  const std::int16_t row[] = {10, 0, 10, 0};
  CHECK(sums_fit(row, b, 4, 1000));
  CHECK_FALSE(sums_fit(row, b, 4, 999));  // the sum is 0 in the end, but 1000 on the way
  // Below zero there is one number more.
  const std::int16_t opposite[] = {-10, 0, -10, 0};
  CHECK(sums_fit(opposite, b, 4, 999));
  CHECK_FALSE(sums_fit(opposite, b, 4, 998));
}

}  // namespace
}  // namespace macaw::tosa
