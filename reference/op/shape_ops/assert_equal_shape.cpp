#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "shape_t", "", 1, 1, false, true, "", true},
    {Category::kInput, "input2", "shape_t", "", 1, 1, false, true, "", true},
    {Category::kAttribute, "allow_broadcast", "bool_t"},
};

template <bool kBroadcast>
bool differ(const View& v) {
  if ((v.attr(Attr::k_allow_broadcast) != 0) != kBroadcast) return false;
  const auto a = v.in_ints(0), b = v.in_ints(1);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(kBroadcast && (a[i] == 1 || b[i] == 1))) return true;
  return false;
}

constexpr Check kChecks[] = {
    kEqualLengths,
    {Rule::kErrorIf, "input2", "the shapes must broadcast, element by element", differ<true>, kBothValues},
    {Rule::kErrorIf, "input2", "the shapes must be equal", differ<false>, kBothValues},
};

constexpr TypeRow kRows[] = {{{DType::kSHAPE}, kInExtShape, 1, [](Call&) -> Result<void> { return {}; }}};

}  // namespace

extern constexpr Definition kASSERT_EQUAL_SHAPE{.op = Op::kASSERT_EQUAL_SHAPE,
                                                .arguments = kArguments,
                                                .type_variables = kShapeTypes,
                                                .rows = kRows,
                                                .checks = kChecks};

}  // namespace macaw::tosa
