#include <catch2/catch.hpp>

#include <cmath>

#include "workflow/accuracy/statistics.hpp"

using namespace macaw;
using namespace macaw::accuracy;

namespace {

Tensor floats(Shape shape, const std::vector<float>& values) {
  Tensor tensor(DType::kFP32, std::move(shape));
  std::ranges::copy(values, tensor.data<float>().begin());
  return tensor;
}

Tensor codes(Shape shape, const std::vector<std::int8_t>& values) {
  Tensor tensor(DType::kINT8, std::move(shape));
  std::ranges::copy(values, tensor.data<std::int8_t>().begin());
  return tensor;
}

Step step_of_one() {
  const Quantization quantization{.scale = {1.0F}, .zero_point = {0}, .dimension = 0};
  return *step_of(DType::kINT8, &quantization);
}

}  // namespace

TEST_CASE("sums give SQNR, cosine, mean error and gain") {
  ErrorSums sums;
  CHECK(std::isnan(sums.sqnr()));
  sums.add(3, 3);
  sums.add(4, 4);
  CHECK(std::isinf(sums.sqnr()));
  sums.add(0, -5);
  CHECK(sums.sqnr() == Approx(0).margin(1e-9));
  CHECK(sums.cosine() == Approx(25 / std::sqrt(25.0 * 50.0)));
  CHECK(sums.mean_error() == Approx(-5.0 / 3));
  CHECK(sums.largest == 5);
  CHECK(sums.gain() == 1);
}

TEST_CASE("elements count as clipped by what the float operator makes of them, not by their codes") {
  TensorSums sums({1, 4}, step_of_one());
  // A result of exactly the greatest value is not clipped; one that lies a step outside is.
  sums.add(floats({1, 4}, {127, 200, -300, 0}), nullptr, floats({1, 4}, {127, 127, -128, 0}), nullptr);
  CHECK(sums.above == 0);
  const auto stored = codes({1, 4}, {127, 127, -128, 0});
  sums.add(floats({1, 4}, {127, 200, -300, 0}), nullptr, floats({1, 4}, {127, 127, -128, 0}), &stored);
  CHECK(sums.above == 1);
  CHECK(sums.below == 1);
  CHECK(sums.at_greatest == 2);
  CHECK(sums.at_least == 1);
  CHECK(sums.codes_used() == 3);
  CHECK(sums.clipping_noise == Approx(73.0 * 73 + 172.0 * 172));
}

TEST_CASE("a channel is dead if its codes never change although the float operator's values do") {
  TensorSums first({2, 3}, step_of_one()), second = first;
  const auto stored = codes({2, 3}, {5, 1, 7, 5, 2, 7});
  const auto value = floats({2, 3}, {5, 1, 7, 5, 2, 7}), wanted = floats({2, 3}, {5, 1, 7, 6, 2, 7});
  first.add(wanted, &wanted, value, &stored);
  CHECK(first.dead_channels() == 1);
  CHECK(first.worst_channel() == 0);
  const auto moved = codes({2, 3}, {6, 1, 7, 5, 2, 7});
  second.add(wanted, &wanted, value, &moved);
  first.merge(second);
  CHECK(first.dead_channels() == 0);
  CHECK(first.accumulated.count == 12);
  // Sums of nothing change nothing.
  first.merge(TensorSums({2, 3}, step_of_one()));
  CHECK(first.accumulated.count == 12);
  CHECK(first.reference.greatest == 7);
}

TEST_CASE("values that are not numbers are counted without an effect on the distributions of others") {
  TensorSums sums({1, 2}, step_of_one());
  const auto stored = codes({1, 2}, {0, 0});
  sums.add(floats({1, 2}, {NAN, 1e30F}), nullptr, floats({1, 2}, {0, 0}), &stored);
  CHECK(sums.float_bins[128] == 1);
  CHECK(sums.float_bins[255] == 1);
  CHECK(sums.above == 1);
}
