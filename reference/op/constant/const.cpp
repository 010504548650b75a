#include "reference/op/constant/rows.hpp"
#include "reference/op/float_rows.hpp"

// CONST: its values belong to the output tensor of the graph (Value::data), so that there is nothing to compute.

namespace macaw::tosa {
namespace {

Result<void> without_values(Call&) { return fail(ErrorCode::kInvalidGraph, "the constant has no values"); }

constexpr Argument kArguments[] = {{Category::kOutput, "output", "out_t", "shape"}};

constexpr std::string_view kTypes[] = {"out_t"};

constexpr TypeRow kPlain[] = {
    MACAW_DATA_NODE_ROWS(without_values),
    {{DType::kFP8UE8M0}, all_of(Profile::kExtMxCommon), 1, without_values},
    {{DType::kFP6E3M2}, all_of(Profile::kExtMxFp6E3M2), 1, without_values},
    {{DType::kFP6E2M3}, all_of(Profile::kExtMxFp6E2M3), 1, without_values},
    {{DType::kFP4E2M1}, all_of(Profile::kExtMxFp4E2M1), 1, without_values},
    {{DType::kMXINT8}, all_of(Profile::kExtMxInt8), 1, without_values},
};
constexpr auto kRows = with_block_scaled(kPlain, without_values);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "values", "the constant must have values",
     [](const View& v) { return v.outputs[0].value == nullptr; }},
    scalar_of_blocks_out("output"),
    split_block_out("output"),
};

}  // namespace

extern constexpr Definition kCONST{
    .op = Op::kCONST, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
