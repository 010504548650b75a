#include "reference/op/def.hpp"

namespace macaw::tosa {

#define MACAW_TOSA_OPERATOR(name)      \
  namespace name {                     \
  extern const Definition kDefinition; \
  }
#include "reference/op/operators.def"
#undef MACAW_TOSA_OPERATOR

namespace {

constexpr const Definition* kDefinitions[] = {
#define MACAW_TOSA_OPERATOR(name) &name::kDefinition,
#include "reference/op/operators.def"
#undef MACAW_TOSA_OPERATOR
};

}  // namespace

std::span<const Definition* const> definitions() { return kDefinitions; }

const Definition* find_definition(Op op) {
  for (const auto* definition : kDefinitions)
    if (definition->op == op) return definition;
  return nullptr;
}

}  // namespace macaw::tosa
