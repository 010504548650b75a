#include <algorithm>

#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/variable/rows.hpp"

namespace macaw::tosa::VARIABLE_READ {
namespace {

constexpr Check kDeclared = found_by_kernel("name", "the variable must be declared");
constexpr Check kWritten = found_by_kernel("name", "the variable must have been written");
constexpr Check kShape = found_by_kernel("output1", "the shape must be that of the variable");
constexpr Check kType = found_by_kernel("output1", "the type must be that of the variable");

Result<void> read(Call& call) {
  const auto& name = call.op.get_string(Attr::k_name);
  const auto contents = call.variables.contents.find(name);
  const bool written = contents != call.variables.contents.end();
  if (!call.require(written || call.variables.seen.contains(name), kDeclared) || !call.require(written, kWritten) ||
      !call.require(contents->second.shape() == call.out(0).shape(), kShape) ||
      !call.require(contents->second.dtype() == call.out(0).dtype(), kType))
    return {};
  std::ranges::copy(contents->second.bytes(), call.out(0).bytes().begin());
  return {};
}

constexpr Argument kArguments[] = {
    attribute("name").type("String"),
    output("output1").type("out_t").shape("shape"),
};
constexpr std::string_view kTypes[] = {"out_t"};
constexpr Check kChecks[] = {kDeclared, kWritten, kShape, kType};
constexpr TypeRow kRows[] = {MACAW_VARIABLE_ROWS(read)};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kVARIABLE_READ, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::VARIABLE_READ
