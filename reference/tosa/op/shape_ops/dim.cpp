#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

// DIM: one extent of a tensor. Its input is treated as a compile-time constant, since only its shape is read.

namespace macaw::tosa::DIM {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_t").shape("shape").least_rank(1),
    attribute("axis").type("i32_t"),
    output("output").type("shape_t").shape("[1]").rank(1),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t"};

constexpr Support with_shape(Profile profile) { return all_of(profile, kExtShape); }

constexpr TypeRow kPlain[] = {
    {{kBOOL}, {{mask(kProInt) | mask(kExtShape), mask(kProFp) | mask(kExtShape)}}, 1, evaluate_shape},
    row({kINT8}).in(with_shape(kProInt)).since(1, 1).by(evaluate_shape),
    row({kINT16}).in(with_shape(kProInt)).since(1, 1).by(evaluate_shape),
    row({kINT32}).in(with_shape(kProInt)).since(1, 1).by(evaluate_shape),
    row({kFP8E4M3}).in(with_shape(kExtFp8E4M3)).since(1, 1).by(evaluate_shape),
    row({kFP8E5M2}).in(with_shape(kExtFp8E5M2)).since(1, 1).by(evaluate_shape),
    row({kFP16}).in(with_shape(kProFp)).since(1, 1).by(evaluate_shape),
    row({kBF16}).in(with_shape(kExtBf16)).since(1, 1).by(evaluate_shape),
    row({kFP32}).in(with_shape(kProFp)).since(1, 1).by(evaluate_shape),
    row({kFP6E3M2}).in(with_shape(kExtMxFp6E3M2)).since(1, 1).by(evaluate_shape),
    row({kFP6E2M3}).in(with_shape(kExtMxFp6E2M3)).since(1, 1).by(evaluate_shape),
    row({kFP4E2M1}).in(with_shape(kExtMxFp4E2M1)).since(1, 1).by(evaluate_shape),
    row({kMXINT8}).in(with_shape(kExtMxInt8)).since(1, 1).by(evaluate_shape),
    row({kFP8UE8M0}).in(with_shape(kExtMxCommon)).since(1, 1).by(evaluate_shape),
    row({kINT64}).in(with_shape(kExtInt64)).since(1, 1).by(evaluate_shape),
};
// tosa.xml leaves EXT-SHAPE out of these.
constexpr auto kRows = with_block_scaled(kPlain, evaluate_shape);

bool axis_too_large(const V& v) { return v.attr(Attr::k_axis) >= v.rank("input1"); }
bool axis_negative(const V& v) { return v.attr(Attr::k_axis) < 0; }

constexpr Check kChecks[] = {
    error_if("axis", "axis must be less than the rank", named<axis_too_large>),
    error_if("axis", "axis must be at least 0", named<axis_negative>),
    require_that("input1", "the extent must be greater than 0",
                 [](const V& v) { return v.shape("input1")[static_cast<std::size_t>(v.attr(Attr::k_axis))] > 0; }),
    kSplitBlock<V, "input1">,
};

std::optional<Extents> extent(const V& v) {
  if (!v["input1"].shape) return std::nullopt;
  return Extents{v.shape("input1")[static_cast<std::size_t>(v.attr(Attr::k_axis))]};
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kDIM,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shape_value = named<extent>,
};

}  // namespace macaw::tosa::DIM
