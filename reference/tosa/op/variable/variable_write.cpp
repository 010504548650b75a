#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/variable/rows.hpp"

namespace macaw::tosa::VARIABLE_WRITE {
namespace {

constexpr Check kDeclared = found_by_kernel("name", "the variable must be declared");
constexpr Check kSeen = found_by_kernel("name", "the variable must be declared before it is written");
constexpr Check kShape = found_by_kernel("input1", "the shape must be that of the variable");
constexpr Check kType = found_by_kernel("input1", "the type must be that of the variable");

Result<void> write(Call& call) {
  const auto& name = call.op.get_string(Attr::k_name);
  const auto declared = call.variables.seen.find(name);
  const bool seen = declared != call.variables.seen.end();
  if (!call.require(seen || call.variables.contents.contains(name), kDeclared) || !call.require(seen, kSeen) ||
      !call.require(declared->second.shape == call.in(0).shape(), kShape) ||
      !call.require(declared->second.dtype == call.in(0).dtype(), kType))
    return {};
  call.variables.contents.insert_or_assign(name, call.in(0));
  return {};
}

constexpr Argument kArguments[] = {
    input("input1").type("in_t").shape("shape"),
    attribute("name").type("String"),
};
constexpr std::string_view kTypes[] = {"in_t"};
constexpr Check kChecks[] = {kDeclared, kSeen, kShape, kType};
constexpr TypeRow kRows[] = {MACAW_VARIABLE_ROWS(write)};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kVARIABLE_WRITE, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::VARIABLE_WRITE
