#include "reference/tosa/kernels/float_operand.hpp"
#include "reference/tosa/kernels/gemm/batch_matmul.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/float_rows.hpp"
#include "reference/tosa/op/tensor/sum.hpp"

namespace macaw::tosa::MATMUL_T {
namespace {

constexpr Argument kArguments[] = {
    input("A").type("A_t").shape("[N,H,C]").rank(3),
    input("B").type("B_t").shape("[D,W,C]").rank(3),
    input("A_zp").type("A_zp_t").shape("[1]").rank(1).compile_time_constant(),
    input("B_zp").type("B_zp_t").shape("[1]").rank(1).compile_time_constant(),
    output("output").type("out_t").shape("[N,H,W]").rank(3),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"A_t", "B_t", "A_zp_t", "B_zp_t", "out_t"};

constexpr Check kChecks[] = {
    error_if("B", "B must have one batch or as many as A",
             [](const V& v) { return v.dim("D") != 1 && v.dim("D") != v.dim("N"); }),
    error_if("A_zp", "A_zp must be 0 unless A is int8",
             [](const V& v) { return v.dtype("A") != kINT8 && !v.is_zero("A_zp"); })
        .reads("A_zp"),
    error_if("B_zp", "B_zp must be 0 unless B is int8",
             [](const V& v) { return v.dtype("B") != kINT8 && !v.is_zero("B_zp"); })
        .reads("B_zp"),
    kSplitBlock<V, "A">,
    kSplitBlock<V, "B">,
    kProductFits,
};

/// pseudocode/operators/MATMUL_T.tosac
template <class T>
void matmul_t(Call& call) {
  const Elements<const T, 3> a(call.in(0)), b(call.in(1));
  const auto a_zp = zero_point<T>(call, 2), b_zp = zero_point<T>(call, 3);
  const Elements<Accumulator<T>, 3> output(call.out(0));
  const auto [D, W, C] = b.extents();
  bool fits = true;
  for_each_position(output.extents(), [&](const auto& at) {
    const auto [n, h, w] = at;
    Sum<Accumulator<T>> acc;
    for (std::int64_t c = 0; c < C; ++c) acc.add((a[{n, h, c}] - a_zp) * (b[{D == 1 ? 0 : n, w, c}] - b_zp));
    output[at] = acc.value();
    fits &= acc.fits();
  });
  call.require(fits, kProductFits);
}

template <class T>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    matmul_t<T>(call);
    return {};
  }
  batch_matmul<T>(call, true);
  return {};
}

constexpr Kernel kFloat = float_kernel<FloatMatmul<true>>;

constexpr TypeRow kSameTypes[] = {
    row({kINT8, kINT8, kINT8, kINT8, kINT32}).in(kProInt).since(1, 1).by(kernel<std::int8_t>),
    row({kINT16, kINT16, kINT16, kINT16, kINT48}).in(kExtInt16).since(1, 1).by(kernel<std::int16_t>),
    row({kFP16, kFP16, kFP16, kFP16, kFP16}).in(kProFp).since(1, 1).by(kFloat),
};

// FP32 outputs of any two types, BF16 outputs of any but FP32 and a pair of FP16.
constexpr auto kMixed = [] {
  constexpr auto kAll = kProductTypes.size(), kNarrow = kAll - 1;
  std::array<TypeRow, kAll * kAll + kNarrow * kNarrow - 1> rows{};
  std::size_t n = 0;
  for (const auto a : kProductTypes)
    for (const auto b : kProductTypes) {
      const auto add = [&](DType out) {
        rows[n++] = row({a, b, element_type(a), element_type(b), out}).in(support_of(a, b, out)).since(1, 1).by(kFloat);
      };
      add(kFP32);
      const bool narrow = a != kFP32 && b != kFP32;
      if (narrow && (a != kFP16 || b != kFP16)) add(kBF16);
    }
  return rows;
}();
constexpr auto kRows = join_rows(kSameTypes, kMixed);

}  // namespace

extern constexpr Definition kDefinition = {Op::kMATMUL_T, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::MATMUL_T
