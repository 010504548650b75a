#include <limits>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kSlopeFits = found_by_kernel("table", "neighbouring entries must differ by a 16-bit number");

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_t", "shape"},
    {Category::kInput, "table", "table_t", "[TABLE_SIZE]", 1, 1, false, true},
    {Category::kOutput, "output", "out_t", "shape"},
};
constexpr std::string_view kTypes[] = {"in_t", "table_t", "out_t"};

std::int64_t table_size(DType in) { return in == DType::kINT8 ? 256 : 513; }

Result<void> look_up(Call& call) {
  const auto* middle = call.in_data<std::int8_t>(1).data() + 128;
  (void)unary<std::int8_t, std::int8_t>(call, [=](std::int8_t a) { return middle[a]; });
  return {};
}

// apply_lookup_s (tosa-specification, introduction.adoc): 7 fraction bits between neighbouring entries.
Result<void> interpolate(Call& call) {
  const auto* table = call.in_data<std::int16_t>(1).data();
  const bool holds = unary<std::int16_t, std::int32_t>(call, [=](std::int16_t a, std::int32_t& mark) {
    const auto index = (a + 32768) >> 7;
    const std::int32_t base = table[index];
    const auto slope = table[index + 1] - base;
    mark |= slope == static_cast<std::int16_t>(slope) ? 0 : -1;
    return base * 128 + slope * (a & 0x7F);
  });
  call.require(holds, kSlopeFits);
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT8}, kInProInt, 0, look_up},
    {{DType::kINT16, DType::kINT16, DType::kINT32}, kInExtInt16, 0, interpolate},
};
constexpr Check kChecks[] = {
    {Rule::kRequire, "table", "the table must have 256 entries for int8 and 513 for int16",
     [](const View& v) { return v.in_shape(1)[0] != table_size(v.inputs[0].dtype); }},
    kSlopeFits,
};

}  // namespace

extern constexpr Definition kTABLE = {Op::kTABLE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
