#include <algorithm>

#include "reference/op/data_layout/move.hpp"
#include "reference/op/data_layout/rows.hpp"

// PAD: the input with padding[2i] elements of pad_const before and padding[2i + 1] after it in dimension i.

namespace macaw::tosa {
namespace {

template <class T>
void pad(Call& call) {
  const auto &in = call.in(0).shape(), &out = call.out(0).shape();
  const auto padding = call.in_data<std::int64_t>(1);
  const auto data = call.fill_data<T>(0);
  std::ranges::fill(data, call.in_data<T>(2)[0]);
  const auto strides = strides_of(out);
  std::int64_t to = 0;
  for (std::size_t i = 0; i < in.size(); ++i) to += padding[2 * i] * strides[i];
  const auto inner = in.back();
  const auto* from = call.in_data<T>(0).data();
  Shape index(in.size(), 0);
  for (std::int64_t row = 0; row < call.in(0).size() / inner; ++row, from += inner) {
    std::copy_n(from, inner, data.data() + to);
    for (std::size_t d = in.size() - 1; d-- > 0;) {
      to += strides[d];
      if (++index[d] < in[d]) break;
      to -= strides[d] * in[d];
      index[d] = 0;
    }
  }
}

Result<void> pad(Call& call) {
  with_element(call.in(0).dtype(), [&]<class T>(std::type_identity<T>) { pad<T>(call); });
  return {};
}

/// Extents of the output; an extent that overflows is -1, which no shape has.
Shape padded(const View& v) {
  const auto padding = v.in_ints(1);
  Shape shape;
  for (std::size_t i = 0; i < v.in_shape(0).size(); ++i) {
    std::int64_t extent;
    const bool overflow = __builtin_add_overflow(v.in_shape(0)[i], padding[2 * i], &extent) ||
                          __builtin_add_overflow(extent, padding[2 * i + 1], &extent);
    shape.push_back(overflow ? -1 : extent);
  }
  return shape;
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1", 1},
    {Category::kInput, "padding", "shape_t", "[2*rank(shape1)]", 1, 1, false, true},
    {Category::kInput, "pad_const", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kRows[] = {MACAW_DATA_LAYOUT_ROWS(pad, kInProInt)};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "input1 and output must have the same rank",
     [](const View& v) { return v.in_rank(0) != v.out_rank(0); }},
    {Rule::kErrorIf, "padding", "padding must not be negative",
     [](const View& v) { return std::ranges::any_of(v.in_ints(1), [](auto amount) { return amount < 0; }); },
     value_of(1)},
    {Rule::kErrorIf, "output", "the shape of output must be that of input1 plus padding",
     [](const View& v) { return padded(v) != v.out_shape(0); }, value_of(1)},
};

}  // namespace

extern constexpr Definition kPAD{
    .op = Op::kPAD,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{padded(v)}; },
    .shapes_need = value_of(1),
};

}  // namespace macaw::tosa
