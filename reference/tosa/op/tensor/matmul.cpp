#include "reference/tosa/kernels/float_operand.hpp"
#include "reference/tosa/kernels/gemm/batch_matmul.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/sum.hpp"

namespace macaw::tosa::MATMUL {
namespace {

constexpr Argument kArguments[] = {
    input("A").type("A_t").shape("[N,H,C]").rank(3),
    input("B").type("B_t").shape("[N,C,W]").rank(3),
    input("A_zp").type("A_t").shape("[1]").rank(1).compile_time_constant(),
    input("B_zp").type("B_t").shape("[1]").rank(1).compile_time_constant(),
    output("output").type("out_t").shape("[N,H,W]").rank(3),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"A_t", "B_t", "out_t"};

constexpr Check kChecks[] = {
    error_if("A_zp", "A_zp must be 0 unless A is int8",
             [](const V& v) { return v.dtype("A") != kINT8 && !v.is_zero("A_zp"); })
        .reads("A_zp"),
    error_if("B_zp", "B_zp must be 0 unless B is int8",
             [](const V& v) { return v.dtype("B") != kINT8 && !v.is_zero("B_zp"); })
        .reads("B_zp"),
    kProductFits,
};

/// pseudocode/operators/MATMUL.tosac
template <class T>
void matmul(Call& call) {
  const Elements<const T, 3> a(call.in(0)), b(call.in(1));
  const auto a_zp = zero_point<T>(call, 2), b_zp = zero_point<T>(call, 3);
  const Elements<Accumulator<T>, 3> output(call.out(0));
  const auto C = a.extents()[2];
  bool fits = true;
  for_each_position(output.extents(), [&](const auto& at) {
    const auto [n, h, w] = at;
    Sum<Accumulator<T>> acc;
    for (std::int64_t c = 0; c < C; ++c) acc.add((a[{n, h, c}] - a_zp) * (b[{n, c, w}] - b_zp));
    output[at] = acc.value();
    fits &= acc.fits();
  });
  call.require(fits, kProductFits);
}

template <class T>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    matmul<T>(call);
    return {};
  }
  batch_matmul<T>(call, false);
  return {};
}

constexpr Kernel kFloat = float_kernel<FloatMatmul<false>>;
constexpr Support kInBothFp8 = all_of(kExtFp8E4M3, kExtFp8E5M2);

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t>),
    row({kINT16, kINT16, kINT48}).in(kExtInt16).by(kernel<std::int16_t>),
    row({kFP8E4M3, kFP8E4M3, kFP16}).in(kExtFp8E4M3).by(kFloat),
    row({kFP8E4M3, kFP8E4M3, kFP32}).in(kExtFp8E4M3).since(1, 1).by(kFloat),
    row({kFP8E5M2, kFP8E5M2, kFP16}).in(kExtFp8E5M2).by(kFloat),
    row({kFP8E5M2, kFP8E5M2, kFP32}).in(kExtFp8E5M2).since(1, 1).by(kFloat),
    {{kFP8E4M3, kFP8E5M2, kFP16}, kInBothFp8, 1, kFloat},
    {{kFP8E4M3, kFP8E5M2, kFP32}, kInBothFp8, 1, kFloat},
    {{kFP8E5M2, kFP8E4M3, kFP16}, kInBothFp8, 1, kFloat},
    {{kFP8E5M2, kFP8E4M3, kFP32}, kInBothFp8, 1, kFloat},
    row({kFP16, kFP16, kFP16}).in(kProFp).by(kFloat),
    row({kFP16, kFP16, kFP32}).in(kProFp).by(kFloat),
    row({kBF16, kBF16, kFP32}).in(kExtBf16).by(kFloat),
    row({kFP32, kFP32, kFP32}).in(kProFp).by(kFloat),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kMATMUL, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::MATMUL
