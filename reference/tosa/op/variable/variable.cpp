#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/variable/rows.hpp"

// VARIABLE: declares a variable. The attributes var_shape and type and the initial value of the specification are
// shape, type and contents of a value of the graph, which the operator has as its output; the initial value is the
// call's only input if there is one.

namespace macaw::tosa::VARIABLE {
namespace {

constexpr Check kDeclaredOnce = found_by_kernel("name", "a variable must be declared once only");

Result<void> declare(Call& call) {
  const auto& name = call.op.get_string(Attr::k_name);
  const auto& type = call.out(0);
  const bool is_new = call.variables.seen.emplace(name, Variables::Declaration{type.dtype(), type.shape()}).second;
  if (!call.require(is_new, kDeclaredOnce)) return {};
  const auto kept = call.variables.contents.find(name);
  if (kept == call.variables.contents.end()) {
    if (!call.inputs.empty()) call.variables.contents.emplace(name, call.in(0));
  } else if (kept->second.dtype() != type.dtype() || kept->second.shape() != type.shape()) {
    return fail(ErrorCode::kMismatch, "the contents of variable \"" + name + "\" have another type or shape");
  }
  return {};
}

constexpr Argument kArguments[] = {
    attribute("name").type("String"),
    output("initial_value").type("in_t").shape("shape"),
};
constexpr std::string_view kTypes[] = {"in_t"};
constexpr Check kChecks[] = {kDeclaredOnce};
constexpr TypeRow kRows[] = {MACAW_VARIABLE_ROWS(declare)};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kVARIABLE, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::VARIABLE
