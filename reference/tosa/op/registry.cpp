#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

#define MACAW_TOSA_OP(name, chapter, since_minor) \
  namespace name {                                \
  extern const Definition kDefinition;            \
  }
#include <macaw/tosa/ops.def>
#undef MACAW_TOSA_OP

namespace {

constexpr const Definition* kDefinitions[] = {
#define MACAW_TOSA_OP(name, chapter, since_minor) &name::kDefinition,
#include <macaw/tosa/ops.def>
#undef MACAW_TOSA_OP
};

}  // namespace

std::span<const Definition* const> definitions() { return kDefinitions; }

const Definition* find_definition(Op op) {
  for (const auto* definition : kDefinitions)
    if (definition->op == op) return definition;
  return nullptr;
}

}  // namespace macaw::tosa
