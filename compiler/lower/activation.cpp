#include "compiler/generation.hpp"

#include <cstring>

// CLAMP and TABLE that were not fused into an operator before them.
namespace macaw::npu {
namespace {

constexpr std::size_t kSegments = 512;

/// Converts TOSA's 513 entries to base and slope of 512 segments.
Result<StorageView> segments(Lowering& lowering) {
  MACAW_ASSIGN(const auto entries, lowering.graph.integers(lowering.op, 1));
  std::vector<std::int64_t> words;
  for (std::size_t i = 0; i < kSegments; ++i) {
    const auto slope = entries[i + 1] - entries[i];
    if (slope != static_cast<std::int16_t>(slope))
      return lowering.unsupported("neighbouring entries of the table differ by more than 16 bits hold");
    words.push_back(entries[i]);
    words.push_back(slope);
  }
  return lowering.constants(words, {static_cast<std::int64_t>(words.size())}, 16);
}

/// Whether a RESCALE is the division by 128 to INT16 that the table unit performs itself.
bool divides_by_128(const RescaleArguments& r) {
  return r.multiplier.size() == 1 && r.output == DType::kINT16 && !r.output_unsigned && r.output_zp == 0 &&
         r.shift[0] >= 7 && r.shift[0] < 38 && r.multiplier[0] == std::uint32_t{1} << (r.shift[0] - 7) && !r.doubles(0);
}

}  // namespace

Result<void> lower_clamp(Lowering& lowering) {
  MACAW_ASSIGN(const auto in, lowering.input(0));
  MACAW_ASSIGN(auto bounds, lowering.graph.clamp_bounds(lowering.op));
  MACAW_ASSIGN(const auto out, lowering.output());
  Output how;
  how.clamp = bounds;
  return lowering.convert(out, in, how);
}

Result<void> lower_table(Lowering& lowering) {
  MACAW_ASSIGN(const auto in, lowering.input(0));
  Output how;
  auto result = lowering.current().outputs[0];
  if (in.bits == 8) {
    MACAW_ASSIGN(const auto entries, lowering.graph.integers(lowering.op, 1));
    how.table = lowering.constants(entries, {256}, 8).storage;
    how.form = TableForm::kS8S8;
  } else {
    MACAW_ASSIGN(const auto table, segments(lowering));
    how.table = table.storage;
    how.form = TableForm::kS16S32;
    const auto next = lowering.follower(result, tosa::Op::kRESCALE);
    bool divided = false;
    if (next) {
      MACAW_ASSIGN(const auto r, rescale_arguments(lowering.graph, *next));
      divided = divides_by_128(r);
    }
    if (divided) {
      how.form = TableForm::kS16S16;
      lowering.taken[*next] = true;
      result = lowering.graph.op(*next).outputs[0];
    } else if (!lowering.generation.units.wide_tables) {
      return lowering.unsupported(
          "the 16-bit tables of U55 and U65 divide by 128: a RESCALE to INT16 that does so must follow");
    }
  }
  MACAW_ASSIGN(const auto out, lowering.view(result));
  return lowering.convert(out, in, how);
}

}  // namespace macaw::npu
