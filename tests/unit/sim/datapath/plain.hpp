#pragma once
#include "tests/unit/sim/datapath/support.hpp"

#include <functional>
#include <span>

// Values and addresses by the rules of docs/hardware, element by element, in numbers of 128 bits and without regard for
// speed. It shares nothing with the kernels but the decoded operation.
namespace macaw::npu::test::plain {

__extension__ using Number = __int128;

[[nodiscard]] Number least(int bits, bool is_signed);
[[nodiscard]] Number greatest(int bits, bool is_signed);
/// The low bits of a number, read as a number of that type.
[[nodiscard]] Number low_bits(Number value, int bits, bool is_signed);
/// Rounded towards minus infinity.
[[nodiscard]] Number floor_divide(Number value, Number by);

/// R of u55_u65 5.2.
[[nodiscard]] Number rounded(Number value, const Scaling& scaling);
/// Constants that divide by a window of `taps` (u55_u65 5.3; `bits` is 31, on U85 30).
[[nodiscard]] Scaling divisor(std::int64_t taps, int bits, Rounding rounding);

/// u55_u65 5.7: arguments in units of 1 / (3 * 4096), results in units of 2^-15.
[[nodiscard]] std::int64_t table_value(int index);
[[nodiscard]] std::int64_t logistic(std::int64_t value);
[[nodiscard]] std::int64_t tanh(std::int64_t value);

/// Zero point, function, clamp and conversion of a scaled result (u55_u65 5.5 to 5.7, u85 5.5 to 5.7). `tables` is the
/// shared RAM from its tables on, or the table RAM.
[[nodiscard]] Number finished(const BlockOperation& op, std::span<const std::uint8_t> tables, Number value);

/// u55_u65 3.1.
[[nodiscard]] std::size_t address(const FeatureMap& map, int y, int x, int c);
/// An element less its zero point; a coordinate of an axis of extent 1 counts as 0.
[[nodiscard]] Number element(std::span<const std::uint8_t> memory, const FeatureMap& map, int y, int x, int c);
void put(std::span<std::uint8_t> memory, const FeatureMap& map, int y, int x, int c, Number value);

/// The value of an element of the OFM after scaling.
using Value = std::function<Number(int y, int x, int c)>;

/// Runs an operation whose maps are in the arena: the OFM is what `value` says, finished, and no other byte changes.
void check(Bench& bench, const BlockOperation& op, const Value& value);

}  // namespace macaw::npu::test::plain
