#include "reference/tosa/kernels/move/move.hpp"
#include "reference/tosa/op/constant/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::IDENTITY {
namespace {

Result<void> copy(Call& call) {
  const auto from = call.in(0).bytes();
  copy_all(call, from.data(), from.size(), call.out(0).uninitialized_bytes().data());
  return {};
}

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape"),
    output("output").type("in_out_t").shape("shape"),
};
using V = ViewOf<kArguments>;

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_NODE_ROWS(copy)};
constexpr auto kRows = with_block_scaled(kPlain, copy);
constexpr Check kChecks[] = {kScalarOfBlocks<V, "input1">, kSplitBlock<V, "input1">};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kIDENTITY, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::IDENTITY
