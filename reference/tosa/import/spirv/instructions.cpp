#include "reference/tosa/import/spirv/instructions.hpp"

#include <vector>

namespace macaw::tosa::spirv {
namespace {

struct Row {
  Op op;
  std::vector<Attr> attributes;
  std::uint32_t shapes;
};

const std::vector<Row>& rows() {
#define A(name) Attr::k_##name,
#define S(n) | 1u << (n)
#define MACAW_TOSA_INSTRUCTION(op, attributes, shapes) {Op::k##op, {attributes}, 0u shapes},
  static const std::vector<Row> all = {
#include "reference/tosa/import/spirv/tosa_001000_1.def"
  };
#undef MACAW_TOSA_INSTRUCTION
#undef S
#undef A
  return all;
}

}  // namespace

std::optional<InstructionRow> instruction(std::uint32_t number) {
  if (number >= rows().size()) return std::nullopt;
  const auto& row = rows()[number];
  return InstructionRow{row.op, row.attributes, row.shapes};
}

}  // namespace macaw::tosa::spirv
