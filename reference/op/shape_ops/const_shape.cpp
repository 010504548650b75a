#include "reference/op/def.hpp"

// CONST_SHAPE: like CONST, its values belong to the output (Value::data).

namespace macaw::tosa {
namespace {

Result<void> without_values(Call&) { return fail(ErrorCode::kInvalidGraph, "the constant has no values"); }

constexpr Argument kArguments[] = {{Category::kOutput, "output", "shape_t", "", 1, 1}};

constexpr TypeRow kRows[] = {{{}, kInProIntOrFp, 0, without_values}};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "values", "the constant must have values",
     [](const View& v) { return v.outputs[0].value == nullptr && v.out_shape(0)[0] != 0; }},
};

}  // namespace

extern constexpr Definition kCONST_SHAPE{
    .op = Op::kCONST_SHAPE, .arguments = kArguments, .type_variables = {}, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
