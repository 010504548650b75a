#include "reference/tosa/op/declare.hpp"

// CONST_SHAPE: like CONST, its values belong to the output (Value::data).

namespace macaw::tosa::CONST_SHAPE {
namespace {

Result<void> without_values(Call&) { return fail(ErrorCode::kInvalidGraph, "the constant has no values"); }

constexpr Argument kArguments[] = {
    output("output").type("shape_t").rank(1),
};
using V = ViewOf<kArguments>;

constexpr TypeRow kRows[] = {row({}).in(kProIntOrFp).by(without_values)};

constexpr Check kChecks[] = {
    error_if("values", "the constant must have values",
             [](const V& v) { return v["output"].value == nullptr && v.shape("output")[0] != 0; }),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kCONST_SHAPE, .arguments = kArguments, .type_variables = {}, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::CONST_SHAPE
