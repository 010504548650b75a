#include <functional>

#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using Ints = std::vector<int64_t>;

template <class T>
void pool(Random& random, DType type) {
  const auto ih = pick(random, 1, 9), iw = pick(random, 1, 9), c = pick(random, 1, 20);
  const Ints kernel{pick(random, 1, 4), pick(random, 1, 4)}, stride{pick(random, 1, 3), pick(random, 1, 3)},
      pad{pick(random, 0, kernel[0] - 1), pick(random, 0, kernel[0] - 1), pick(random, 0, kernel[1] - 1),
          pick(random, 0, kernel[1] - 1)};
  const auto room_y = ih + pad[0] + pad[1] - kernel[0], room_x = iw + pad[2] + pad[3] - kernel[1];
  if (room_y < 0 || room_x < 0 || room_y % stride[0] != 0 || room_x % stride[1] != 0) return;
  const auto oh = room_y / stride[0] + 1, ow = room_x / stride[1] + 1;
  const auto in =
      random_tensor<T>(random, type, {2, ih, iw, c}, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  const Attributes attributes{
      {Attr::k_kernel, kernel}, {Attr::k_stride, stride}, {Attr::k_pad, pad}, {Attr::k_nan_mode, int64_t{0}}};
  const auto in_zp = static_cast<T>(sizeof(T) == 1 ? pick(random, -128, 127) : 0),
             out_zp = static_cast<T>(sizeof(T) == 1 ? pick(random, -128, 127) : 0);
  const auto largest = run_operator(Op::kMAX_POOL2D, {in}, {type, {2, oh, ow, c}}, attributes);
  const auto average = run_operator(Op::kAVG_POOL2D, {in, make<T>(type, {1}, {in_zp}), make<T>(type, {1}, {out_zp})},
                                    {type, {2, oh, ow, c}}, attributes);
  REQUIRE(largest.broken.empty());
  REQUIRE(average.broken.empty());
  CHECK(average.findings.empty());
  int64_t wrong_maxima = 0, wrong_averages = 0;
  for (int64_t at = 0; at < largest.output.size(); ++at) {
    const auto channel = at % c, ox = at / c % ow, oy = at / c / ow % oh, n = at / c / ow / oh;
    int64_t best = std::numeric_limits<T>::min(), sum = 0, count = 0;
    for (int64_t y = oy * stride[0] - pad[0]; y < oy * stride[0] - pad[0] + kernel[0]; ++y)
      for (int64_t x = ox * stride[1] - pad[2]; x < ox * stride[1] - pad[2] + kernel[1]; ++x) {
        if (y < 0 || y >= ih || x < 0 || x >= iw) continue;
        const int64_t value = in.template data<T>()[static_cast<std::size_t>(((n * ih + y) * iw + x) * c + channel)];
        best = std::max(best, value);
        sum += value - in_zp;
        ++count;
      }
    // The scale's multiplier is a little above 2^(30 + k) / count, which sends halves away from zero.
    auto mean = sum >= 0 ? (2 * sum + count) / (2 * count) : -((count - 2 * sum) / (2 * count));
    mean = std::clamp<int64_t>(mean + out_zp, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    wrong_maxima += largest.output.template data<T>()[static_cast<std::size_t>(at)] != best;
    wrong_averages += average.output.template data<T>()[static_cast<std::size_t>(at)] != mean;
  }
  CHECK(wrong_maxima == 0);
  CHECK(wrong_averages == 0);
}

TEST_CASE("pooling equals maxima and rounded means") {
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    pool<int8_t>(random, DType::kINT8);
    pool<int16_t>(random, DType::kINT16);
  }
}

TEST_CASE("RESIZE interpolates between the four neighbours") {
  Random random(10);
  int tried = 0;
  for (int i = 0; i < 3000 && tried < 200; ++i) {
    const auto ih = pick(random, 1, 6), iw = pick(random, 1, 6), c = pick(random, 1, 5);
    const Ints scale{pick(random, 1, 8), pick(random, 1, 8), pick(random, 1, 8), pick(random, 1, 8)};
    const Ints offset{pick(random, -scale[0], scale[0]), pick(random, -scale[2], scale[2])};
    const Ints border{pick(random, -scale[0], scale[0] - 1), pick(random, -scale[2], scale[2] - 1)};
    const auto room_y = (ih - 1) * scale[0] - offset[0] + border[0],
               room_x = (iw - 1) * scale[2] - offset[1] + border[1];
    if (room_y < 0 || room_x < 0 || room_y % scale[1] != 0 || room_x % scale[3] != 0) continue;
    ++tried;
    const auto oh = room_y / scale[1] + 1, ow = room_x / scale[3] + 1;
    const auto in = random_int8(random, {1, ih, iw, c});
    const std::vector<Tensor> inputs{in, make(DType::kSHAPE, {4}, scale), make(DType::kSHAPE, {2}, offset),
                                     make(DType::kSHAPE, {2}, border)};
    const auto run = [&](ResizeMode mode, DType out) {
      return run_operator(Op::kRESIZE, inputs, {out, {1, oh, ow, c}}, {{Attr::k_mode, static_cast<int64_t>(mode)}});
    };
    const auto bilinear = run(ResizeMode::kBilinear, DType::kINT32),
               nearest = run(ResizeMode::kNearestNeighbor, DType::kINT8);
    REQUIRE(bilinear.broken.empty());
    REQUIRE(nearest.broken.empty());
    CHECK(run(ResizeMode::kNearestNeighbor, DType::kINT32).broken.size() == 1);
    int64_t wrong = 0;
    for (int64_t at = 0; at < bilinear.output.size(); ++at) {
      const auto k = at % c, ox = at / c % ow, oy = at / c / ow;
      // A position in units of 1 / numerator, clamped into the picture.
      const auto y = std::clamp<int64_t>(oy * scale[1] + offset[0], 0, (ih - 1) * scale[0]);
      const auto x = std::clamp<int64_t>(ox * scale[3] + offset[1], 0, (iw - 1) * scale[2]);
      const auto value = [&](int64_t row, int64_t pixel) -> int64_t {
        row = std::min(row, ih - 1);
        pixel = std::min(pixel, iw - 1);
        return in.data<int8_t>()[static_cast<std::size_t>((row * iw + pixel) * c + k)];
      };
      const auto fy = y % scale[0], fx = x % scale[2], iy = y / scale[0], ix = x / scale[2];
      const auto want = (value(iy, ix) * (scale[2] - fx) + value(iy, ix + 1) * fx) * (scale[0] - fy) +
                        (value(iy + 1, ix) * (scale[2] - fx) + value(iy + 1, ix + 1) * fx) * fy;
      wrong += bilinear.output.data<int32_t>()[static_cast<std::size_t>(at)] != want;
      wrong += nearest.output.data<int8_t>()[static_cast<std::size_t>(at)] !=
               value((2 * y + scale[0]) / (2 * scale[0]), (2 * x + scale[2]) / (2 * scale[2]));
    }
    CHECK(wrong == 0);
  }
  CHECK(tried == 200);
}

}  // namespace
}  // namespace macaw::tosa
