#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::ASSERT_EQUAL_SHAPE {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("shape_t").rank(1).always_compile_time_constant(),
    input("input2").type("shape_t").rank(1).always_compile_time_constant(),
    attribute("allow_broadcast").type("bool_t"),
};
using V = ViewOf<kArguments>;

template <bool kBroadcast>
bool differ(const V& v) {
  if ((v.attr(Attr::k_allow_broadcast) != 0) != kBroadcast) return false;
  const auto a = v.ints("input1"), b = v.ints("input2");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(kBroadcast && (a[i] == 1 || b[i] == 1))) return true;
  return false;
}

constexpr Check kChecks[] = {
    kEqualLengths,
    error_if("input2", "the shapes must broadcast, element by element", named<differ<true>>).reads("input1", "input2"),
    error_if("input2", "the shapes must be equal", named<differ<false>>).reads("input1", "input2"),
};

constexpr TypeRow kRows[] = {row({kSHAPE}).in(kExtShape).since(1, 1).by([](Call&) -> Result<void> { return {}; })};

}  // namespace

extern constexpr Definition kDefinition{.op = Op::kASSERT_EQUAL_SHAPE,
                                        .arguments = kArguments,
                                        .type_variables = kShapeTypes,
                                        .rows = kRows,
                                        .checks = kChecks};

}  // namespace macaw::tosa::ASSERT_EQUAL_SHAPE
