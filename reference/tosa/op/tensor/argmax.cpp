#include <functional>

#include "reference/tosa/kernels/reduce/first_greatest.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::ARGMAX {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("shape1").least_rank(1),
    attribute("axis").type("i32_t"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

Shape without_axis(const V& v) {
  Shape shape = v.shape("input");
  shape.erase(shape.begin() + v.attr(Attr::k_axis));
  return shape;
}

Result<std::vector<Shape>> shapes(const V& v) {
  if (axis_out_of_range(v)) return fail(ErrorCode::kInvalidGraph, "axis is not one of the input's");
  return std::vector<Shape>{without_axis(v)};
}

constexpr Check kChecks[] = {
    kAxisInRange,
    error_if("output", "the output must have the input's shape without the axis",
             [](const V& v) { return !axis_out_of_range(v) && v.shape("output") != without_axis(v); }),
};

/// pseudocode/operators/ARGMAX.tosac: `wins` where apply_max_s of a value and the best one before is not the latter.
template <class Out, class Values, class F>
void argmax(Call& call, const Values& input, F wins) {
  const AxisWalk walk(call);
  const auto output = call.out_data<Out>(0);
  for_each_position(std::array{walk.outer, walk.inner}, [&](const auto& at) {
    const auto [left, right] = at;
    std::int64_t max_index = 0;
    const auto value = [&](std::int64_t i) {
      return input[static_cast<std::size_t>((left * walk.extent + i) * walk.inner + right)];
    };
    for (std::int64_t i = 1; i < walk.extent; ++i)
      if (wins(value(i), value(max_index))) max_index = i;
    output[static_cast<std::size_t>(left * walk.inner + right)] = static_cast<Out>(max_index);
  });
}

template <class In, class Out>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) argmax<Out>(call, call.in_data<In>(0), std::greater<In>());
  else first_greatest<In, Out>(call);
  return {};
}

template <class Out>
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels != Kernels::kScalar) float_first_greatest<T, Out>(call);
    else if (ignores_nan(call)) argmax<Out>(call, FloatInput<T>(call.in(0)), wins<true, T>);
    else argmax<Out>(call, FloatInput<T>(call.in(0)), wins<false, T>);
    return {};
  }
};
constexpr Kernel kFloat = float_kernel<Float<std::int32_t>>, kFloat64 = float_kernel<Float<std::int64_t>>;

constexpr TypeRow kRows[] = {
    row({kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t, std::int32_t>),
    row({kINT16, kINT32}).in(kExtInt16).by(kernel<std::int16_t, std::int32_t>),
    row({kINT8, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int8_t, std::int64_t>),
    row({kINT16, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int16_t, std::int64_t>),
    row({kINT32, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int32_t, std::int64_t>),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t, std::int64_t>),
    row({kFP8E4M3, kINT32}).in(kExtFp8E4M3).by(kFloat),
    row({kFP8E5M2, kINT32}).in(kExtFp8E5M2).by(kFloat),
    row({kFP16, kINT32}).in(kProFp).by(kFloat),
    row({kBF16, kINT32}).in(kExtBf16).by(kFloat),
    row({kFP32, kINT32}).in(kProFp).by(kFloat),
    row({kFP8E4M3, kINT64}).in(kExtFp8E4M3, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP8E5M2, kINT64}).in(kExtFp8E5M2, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP16, kINT64}).in(kProFp, kExtInt64).since(1, 1).by(kFloat64),
    row({kBF16, kINT64}).in(kExtBf16, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP32, kINT64}).in(kProFp, kExtInt64).since(1, 1).by(kFloat64),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kARGMAX, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::ARGMAX
