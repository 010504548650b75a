#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

std::int64_t pick_axis(Maker& m, const Tensor& in) {
  const auto axis = m.pick(0, std::ssize(in.shape()) - 1);
  m.set(Attr::k_axis, axis);
  return axis;
}

void argmax(Maker& m) {
  const auto& in = m.take(m.type("in_t"), 1, 6);
  Shape out = in.shape();
  out.erase(out.begin() + pick_axis(m, in));
  m.out(m.type("out_t"), out);
}

void reduce(Maker& m) {
  const auto& in = m.take(m.type("in_out_t"), 1, 6);
  Shape out = in.shape();
  out[static_cast<std::size_t>(pick_axis(m, in))] = 1;
  m.out(m.type("in_out_t"), out);
}

Tensor matmul_zero_point(Maker& m, DType dtype) {
  if (dtype != DType::kINT8 || m.one_in(2)) return Tensor(dtype, {1});
  return m.values(dtype, {1});
}

/// MATMUL: B is [N,C,W]; MATMUL_T: [D,W,C] with D of 1 or N, and zero points of types of their own.
template <bool kTransposed>
void matmul(Maker& m) {
  const auto a = m.type("A_t"), b = m.type("B_t");
  // Whole blocks of both.
  const auto& left = is_block_scale(b) && !is_block_scale(a) ? m.add(a, m.shape(b, 3, 3)) : m.take(a, 3, 3);
  const auto n = left.shape()[0], h = left.shape()[1], c = left.shape()[2];
  const auto w = m.pick(1, left.size() > 500 ? 6 : 40);
  if (kTransposed) m.add(b, {m.one_in(3) ? 1 : n, w, c});
  else m.add(b, {n, c, w});
  m.add(matmul_zero_point(m, kTransposed ? m.type("A_zp_t") : a));
  m.add(matmul_zero_point(m, kTransposed ? m.type("B_zp_t") : b));
  m.out(m.type("out_t"), {n, h, w});
}

Shape fourier_shape(Maker& m) {
  return {m.pick(1, 2), std::int64_t{1} << m.pick(0, 4), std::int64_t{1} << m.pick(0, 4)};
}

void fft2d(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto shape = fourier_shape(m);
  m.add(dtype, shape);
  m.add(dtype, shape);
  m.set_bool(Attr::k_inverse);
  m.out(dtype, shape);
  m.out(dtype, shape);
}

void rfft2d(Maker& m) {
  const auto dtype = m.type("in_out_t");
  auto shape = fourier_shape(m);
  m.add(dtype, shape);
  shape[2] = shape[2] / 2 + 1;
  m.out(dtype, shape);
  m.out(dtype, shape);
}

constexpr OperatorCases kTensorCases[] = {
    {Op::kARGMAX, argmax},     {Op::kREDUCE_ALL, reduce},    {Op::kREDUCE_ANY, reduce},
    {Op::kREDUCE_MAX, reduce}, {Op::kREDUCE_MIN, reduce},    {Op::kREDUCE_PRODUCT, reduce},
    {Op::kREDUCE_SUM, reduce}, {Op::kMATMUL, matmul<false>}, {Op::kMATMUL_T, matmul<true>},
    {Op::kFFT2D, fft2d},       {Op::kRFFT2D, rfft2d},
};

}  // namespace

std::span<const OperatorCases> tensor_cases() { return kTensorCases; }

}  // namespace macaw::test
