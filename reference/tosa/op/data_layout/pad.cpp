#include <algorithm>

#include "reference/tosa/kernels/move/move.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"

// PAD: the input with padding[2i] elements of pad_const before and padding[2i + 1] after it in dimension i.

namespace macaw::tosa::PAD {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1").least_rank(1),
    input("padding").type("shape_t").shape("[2*rank(shape1)]").rank(1).compile_time_constant(),
    input("pad_const").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

/// A dimension of the output.
struct PaddedAxis {
  std::int64_t before, inside, after;
  [[nodiscard]] std::int64_t extent() const { return before + inside + after; }
};

/// Dimensions without padding are one with the dimension before.
std::vector<PaddedAxis> padded_axes(const Shape& shape, std::span<const std::int64_t> padding) {
  std::vector<PaddedAxis> axes;
  std::int64_t unit = 1;
  for (auto i = shape.size(); i-- > 0;) {
    const PaddedAxis axis{padding[2 * i] * unit, shape[i] * unit, padding[2 * i + 1] * unit};
    unit = axis.before == 0 && axis.after == 0 && i > 0 ? axis.inside : 1;
    if (unit == 1) axes.push_back(axis);
  }
  std::ranges::reverse(axes);
  return axes;
}

/// Writes the rows [first, end) of the output.
template <class T>
void pad_rows(const T* in, T value, std::span<const PaddedAxis> axes, T* out, std::int64_t first, std::int64_t end) {
  const auto& inner = axes.back();
  const auto outer = axes.first(axes.size() - 1);
  for (auto row = first; row < end; ++row) {
    // The place of the row in the input, if it is inside.
    auto rest = row;
    std::int64_t from = 0, unit = 1;
    bool inside = true;
    for (auto i = outer.size(); i-- > 0; rest /= outer[i].extent(), unit *= outer[i].inside) {
      const auto at = rest % outer[i].extent() - outer[i].before;
      inside &= at >= 0 && at < outer[i].inside;
      from += at * unit;
    }
    auto* to = out + row * inner.extent();
    if (inside) {
      std::fill_n(to, inner.before, value);
      std::copy_n(in + from * inner.inside, inner.inside, to + inner.before);
      std::fill_n(to + inner.before + inner.inside, inner.after, value);
    } else {
      std::fill_n(to, inner.extent(), value);
    }
  }
}

template <class T>
void pad(Call& call) {
  const auto axes = padded_axes(call.in(0).shape(), call.in_data<std::int64_t>(1));
  const auto* in = call.in_data<T>(0).data();
  const auto value = call.in_data<T>(2)[0];
  const auto out = call.fill_data<T>(0);
  const auto row = static_cast<std::size_t>(axes.back().extent());
  split(call, out.size() / row, kLeastElements / row + 1, [&](std::size_t first, std::size_t end) {
    pad_rows<T>(in, value, axes, out.data(), static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
  });
}

Result<void> pad(Call& call) {
  with_element(call.in(0).dtype(), [&]<class T>(std::type_identity<T>) { pad<T>(call); });
  return {};
}

/// Extents of the output; an extent that overflows is -1, which no shape has.
Shape padded(const V& v) {
  const auto padding = v.ints("padding");
  Shape shape;
  for (std::size_t i = 0; i < v.shape("input1").size(); ++i) {
    std::int64_t extent;
    const bool overflow = __builtin_add_overflow(v.shape("input1")[i], padding[2 * i], &extent) ||
                          __builtin_add_overflow(extent, padding[2 * i + 1], &extent);
    shape.push_back(overflow ? -1 : extent);
  }
  return shape;
}

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kRows[] = {MACAW_DATA_LAYOUT_ROWS(pad, kProInt)};

constexpr Check kChecks[] = {
    error_if("output", "input1 and output must have the same rank",
             [](const V& v) { return v.rank("input1") != v.rank("output"); }),
    error_if("padding", "padding must not be negative",
             [](const V& v) { return std::ranges::any_of(v.ints("padding"), [](auto amount) { return amount < 0; }); })
        .reads("padding"),
    error_if("output", "the shape of output must be that of input1 plus padding",
             [](const V& v) { return padded(v) != v.shape("output"); })
        .reads("padding"),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{padded(v)}; }

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kPAD,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("padding"),
};

}  // namespace macaw::tosa::PAD
