#include <array>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/table_lookup.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::TABLE {
namespace {

constexpr Check kSlopeFits = found_by_kernel("table", "neighbouring entries must differ by a 16-bit number");

constexpr Argument kArguments[] = {
    input("input1").type("in_t").shape("shape"),
    input("table").type("table_t").shape("[TABLE_SIZE]").rank(1).compile_time_constant(),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "table_t", "out_t"};

std::int64_t table_size(DType in) { return in == kINT8 ? 256 : 513; }

Result<void> look_up(Call& call) {
  const auto *in = call.in_data<std::int8_t>(0).data(), *table = call.in_data<std::int8_t>(1).data();
  const auto out = call.fill_data<std::int8_t>(0);
  const auto range = call.kernels == Kernels::kScalar ? look_up_bytes_scalar : look_up_bytes;
  split(call, out.size(), kLeastElements,
        [&](std::size_t first, std::size_t end) { range(table, in + first, out.data() + first, end - first); });
  return {};
}

/// For tables with slopes of more than 16 bits; whether none was met.
bool interpolate_checked(Call& call) {
  const auto* table = call.in_data<std::int16_t>(1).data();
  return unary<std::int16_t, std::int32_t>(call, [table](std::int16_t a, std::int32_t& mark) {
    const auto index = (a + 32768) >> 7;
    const std::int32_t base = table[index];
    const auto slope = table[index + 1] - base;
    mark |= slope == static_cast<std::int16_t>(slope) ? 0 : -1;
    return base * 128 + slope * (a & 0x7F);
  });
}

Result<void> interpolate_table(Call& call) {
  const auto table = call.in_data<std::int16_t>(1);
  std::array<std::int32_t, 512> steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto slope = table[i + 1] - table[i];
    if (slope != static_cast<std::int16_t>(slope)) {
      call.require(interpolate_checked(call), kSlopeFits);
      return {};
    }
    steps[i] = table[i] * 65536 + static_cast<std::uint16_t>(slope);
  }
  const auto* in = call.in_data<std::int16_t>(0).data();
  const auto out = call.fill_data<std::int32_t>(0);
  const auto range = call.kernels == Kernels::kScalar ? interpolate_scalar : interpolate;
  split(call, out.size(), kLeastElements,
        [&](std::size_t first, std::size_t end) { range(steps.data(), in + first, out.data() + first, end - first); });
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8, kINT8}).in(kProInt).by(look_up),
    row({kINT16, kINT16, kINT32}).in(kExtInt16).by(interpolate_table),
};
constexpr Check kChecks[] = {
    require_that("table", "the table must have 256 entries for int8 and 513 for int16",
                 [](const V& v) { return v.dim("TABLE_SIZE") == table_size(v.dtype("input1")); }),
    kSlopeFits,
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kTABLE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::TABLE
