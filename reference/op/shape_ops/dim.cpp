#include "reference/op/float_rows.hpp"
#include "reference/op/shape_ops/shape_op.hpp"

// DIM: one extent of a tensor. Its input counts as a compile-time constant: what is read of it is its shape.

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_t", "shape", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kOutput, "output", "shape_t", "[1]", 1, 1},
};
constexpr std::string_view kTypes[] = {"in_t"};

constexpr Support with_shape(Profile profile) { return all_of(profile, Profile::kExtShape); }

constexpr TypeRow kPlain[] = {
    {{DType::kBOOL},
     {{mask(Profile::kProInt) | mask(Profile::kExtShape), mask(Profile::kProFp) | mask(Profile::kExtShape)}},
     1,
     evaluate_shape},
    {{DType::kINT8}, with_shape(Profile::kProInt), 1, evaluate_shape},
    {{DType::kINT16}, with_shape(Profile::kProInt), 1, evaluate_shape},
    {{DType::kINT32}, with_shape(Profile::kProInt), 1, evaluate_shape},
    {{DType::kFP8E4M3}, with_shape(Profile::kExtFp8E4M3), 1, evaluate_shape},
    {{DType::kFP8E5M2}, with_shape(Profile::kExtFp8E5M2), 1, evaluate_shape},
    {{DType::kFP16}, with_shape(Profile::kProFp), 1, evaluate_shape},
    {{DType::kBF16}, with_shape(Profile::kExtBf16), 1, evaluate_shape},
    {{DType::kFP32}, with_shape(Profile::kProFp), 1, evaluate_shape},
    {{DType::kFP6E3M2}, with_shape(Profile::kExtMxFp6E3M2), 1, evaluate_shape},
    {{DType::kFP6E2M3}, with_shape(Profile::kExtMxFp6E2M3), 1, evaluate_shape},
    {{DType::kFP4E2M1}, with_shape(Profile::kExtMxFp4E2M1), 1, evaluate_shape},
    {{DType::kMXINT8}, with_shape(Profile::kExtMxInt8), 1, evaluate_shape},
    {{DType::kFP8UE8M0}, with_shape(Profile::kExtMxCommon), 1, evaluate_shape},
    {{DType::kINT64}, with_shape(Profile::kExtInt64), 1, evaluate_shape},
};
// tosa.xml leaves EXT-SHAPE out of these.
constexpr auto kRows = with_block_scaled(kPlain, evaluate_shape);

bool axis_too_large(const View& v) { return v.attr(Attr::k_axis) >= v.in_rank(0); }
bool axis_negative(const View& v) { return v.attr(Attr::k_axis) < 0; }

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "axis", "axis must be less than the rank", axis_too_large},
    {Rule::kErrorIf, "axis", "axis must be at least 0", axis_negative},
    {Rule::kRequire, "input1", "the extent must be greater than 0",
     [](const View& v) { return v.in_shape(0)[static_cast<std::size_t>(v.attr(Attr::k_axis))] <= 0; }},
    split_block_in("input1"),
};

std::optional<Extents> extent(const View& v) {
  if (!v.inputs[0].shape) return std::nullopt;
  return Extents{v.in_shape(0)[static_cast<std::size_t>(v.attr(Attr::k_axis))]};
}

}  // namespace

extern constexpr Definition kDIM{
    .op = Op::kDIM,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shape_value = extent,
};

}  // namespace macaw::tosa
