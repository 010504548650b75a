#include "reference/fast/move/move.hpp"
#include "reference/op/constant/rows.hpp"
#include "reference/op/float_rows.hpp"

namespace macaw::tosa {
namespace {

Result<void> copy(Call& call) {
  const auto from = call.in(0).bytes();
  copy_all(call, from.data(), from.size(), call.out(0).bytes_to_fill().data());
  return {};
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_NODE_ROWS(copy)};
constexpr auto kRows = with_block_scaled(kPlain, copy);
constexpr Check kChecks[] = {scalar_of_blocks_in("input1"), split_block_in("input1")};

}  // namespace

extern constexpr Definition kIDENTITY{
    .op = Op::kIDENTITY, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
