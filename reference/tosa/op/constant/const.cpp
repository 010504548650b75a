#include "reference/tosa/op/constant/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// CONST: its values belong to the output tensor of the graph (Value::data), so that there is nothing to compute.

namespace macaw::tosa::CONST {
namespace {

Result<void> without_values(Call&) { return fail(ErrorCode::kInvalidGraph, "the constant has no values"); }

constexpr Argument kArguments[] = {
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;

constexpr std::string_view kTypes[] = {"out_t"};

constexpr TypeRow kPlain[] = {
    MACAW_DATA_NODE_ROWS(without_values),
    row({kFP8UE8M0}).in(kExtMxCommon).since(1, 1).by(without_values),
    row({kFP6E3M2}).in(kExtMxFp6E3M2).since(1, 1).by(without_values),
    row({kFP6E2M3}).in(kExtMxFp6E2M3).since(1, 1).by(without_values),
    row({kFP4E2M1}).in(kExtMxFp4E2M1).since(1, 1).by(without_values),
    row({kMXINT8}).in(kExtMxInt8).since(1, 1).by(without_values),
};
constexpr auto kRows = with_block_scaled(kPlain, without_values);

constexpr Check kChecks[] = {
    error_if("values", "the constant must have values", [](const V& v) { return v["output"].value == nullptr; }),
    kScalarOfBlocks<V, "output">,
    kSplitBlock<V, "output">,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kCONST, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::CONST
