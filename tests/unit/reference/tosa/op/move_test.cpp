#include "reference/tosa/kernels/move/move.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "tests/unit/reference/tosa/op/targets.hpp"

namespace macaw::tosa {
namespace {

/// Element by element, as the comment of strided_copy says.
template <class T>
std::vector<T> naive_copy(const std::vector<T>& in, std::int64_t start, const Shape& steps, const Shape& shape) {
  std::vector<T> out;
  Shape index(shape.size(), 0);
  const auto size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
  for (std::int64_t i = 0; i < size; ++i) {
    out.push_back(in[static_cast<std::size_t>(std::inner_product(index.begin(), index.end(), steps.begin(), start))]);
    for (auto d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

template <class T>
void check_copy(std::int64_t in_size, std::int64_t start, const Shape& steps, const Shape& shape) {
  std::vector<T> in(static_cast<std::size_t>(in_size));
  // 251 is prime: no two lines are alike.
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i % 251);
  const auto expected = naive_copy(in, start, steps, shape);
  std::vector<T> out(expected.size());
  const StridedCopy copy(start, steps, shape);
  for (const auto kernels : {Kernels::kBest, Kernels::kScalar}) {
    // The pieces one by one, the last one first.
    std::ranges::fill(out, T{0});
    for (auto i = copy.pieces(); i-- > 0;) copy.copy(in.data(), out.data(), i, i + 1, kernels);
    CHECK(out == expected);
    std::ranges::fill(out, T{0});
    copy.copy(in.data(), out.data(), 0, copy.pieces(), kernels);
    CHECK(out == expected);
  }
}

/// Every order of the dimensions.
template <class T>
void check_transposes(const Shape& shape) {
  const auto strides = strides_of(shape);
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  do {
    Shape steps, extents;
    for (const auto d : order) {
      steps.push_back(strides[d]);
      extents.push_back(shape[d]);
    }
    check_copy<T>(shape[0] * strides[0], 0, steps, extents);
  } while (std::ranges::next_permutation(order).found);
}

template <class T>
void check_copies() {
  const Shape shape{3, 17, 70, 13};
  const auto strides = strides_of(shape);
  const auto size = shape[0] * strides[0];
  check_transposes<T>(shape);
  check_transposes<T>({2, 135, 64});
  for (std::int64_t thin = 2; thin <= 5; ++thin) check_transposes<T>({2, 4500, thin});
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    auto steps = strides;
    steps[axis] = -steps[axis];
    check_copy<T>(size, strides[axis] * (shape[axis] - 1), steps, shape);
  }
  check_copy<T>(size, strides[1] + 2 * strides[2] + 3, strides, {3, 15, 64, 9});        // a slice
  check_copy<T>(size, 0, {0, strides[0], 0, strides[1], 0, 1}, {2, 3, 3, 17, 2, 910});  // tiles
  check_copy<T>(size, 5, {}, {});
  check_copy<T>(size, 5, {0, 7}, {4, 1});
  check_copy<T>(size, 0, strides, {3, 0, 70, 13});
  check_copy<T>(150000, 149999, {-1}, {150000});
}

}  // namespace

TEST_CASE("strided copies move each element to its place on every target") {
  for_each_target([] {
    check_copies<std::uint8_t>();
    check_copies<std::uint16_t>();
    check_copies<std::uint32_t>();
    check_copies<std::uint64_t>();
  });
}

}  // namespace macaw::tosa
