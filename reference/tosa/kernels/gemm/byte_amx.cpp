#include "reference/tosa/kernels/gemm/byte_amx.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "reference/tosa/kernels/gemm/byte_gemm.hpp"

namespace macaw::tosa {
namespace {

// Quads of k that a register holds.
constexpr std::size_t kQuads = 16;
// With less the set-up outweighs the products.
constexpr std::size_t kLeastQuads = 8;

/// Operand of LDTILECFG (Intel's Software Developer's Manual, volume 1, chapter 18).
struct alignas(64) Registers {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

/// Registers 0 to 3 are sums, 4 and 5 left sides of so many quads, 6 and 7 right sides.
constexpr Registers registers_for(std::size_t quads) {
  Registers config;
  for (std::size_t i = 0; i < 8; ++i) {
    config.row_bytes[i] = static_cast<std::uint16_t>(i == 4 || i == 5 ? 4 * quads : 4 * kByteColumns);
    config.rows[i] = static_cast<std::uint8_t>(i < 6 ? kAmxRows : quads);
  }
  return config;
}
constexpr auto kRegisters = [] {
  std::array<Registers, kQuads + 1> all{};
  for (std::size_t quads = 1; quads <= kQuads; ++quads) all[quads] = registers_for(quads);
  return all;
}();

/// The system hands the registers out to processes that ask.
bool has_matrix_registers() {
  constexpr unsigned kAmxTile = 1u << 24, kAmxInt8 = 1u << 25;  // CPUID.7.0:EDX
  constexpr long kRequestPermission = 0x1023, kTileData = 18;   // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA of Linux
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAmxTile) != 0 && (d & kAmxInt8) != 0 &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Adds the products of `quads` quads, in steps of `step`, for one or two times kAmxRows rows.
template <bool kTwoRows, bool kTwoPanels>
[[gnu::target("amx-tile,amx-int8")]] void multiply(const ByteTile& tile, std::size_t row, std::size_t first,
                                                   std::size_t quads, std::size_t step) {
  auto* c = tile.c + row * tile.ldc;
  auto* c2 = c + kAmxRows * tile.ldc;
  const auto* from = tile.from + row * tile.from_pitch;
  const auto* from2 = from + kAmxRows * tile.from_pitch;
  const auto pitch = tile.ldc * sizeof *c, from_pitch = tile.from_pitch * sizeof *from;
  _tile_loadd(0, from, from_pitch);
  if constexpr (kTwoPanels) _tile_loadd(1, from + kByteColumns, from_pitch);
  if constexpr (kTwoRows) _tile_loadd(2, from2, from_pitch);
  if constexpr (kTwoRows && kTwoPanels) _tile_loadd(3, from2 + kByteColumns, from_pitch);
  const auto* a = tile.a + row * tile.stride + 4 * first;
  const auto* b = tile.panel + 4 * kByteColumns * first;
  for (std::size_t quad = 0; quad < quads; quad += step, a += 4 * step, b += 4 * kByteColumns * step) {
    _tile_loadd(6, b, 4 * kByteColumns);
    _tile_loadd(4, a, tile.stride);
    _tile_dpbusd(0, 4, 6);
    if constexpr (kTwoPanels) {
      _tile_loadd(7, b + tile.panel_size, 4 * kByteColumns);
      _tile_dpbusd(1, 4, 7);
    }
    if constexpr (kTwoRows) {
      _tile_loadd(5, a + kAmxRows * tile.stride, tile.stride);
      _tile_dpbusd(2, 5, 6);
      if constexpr (kTwoPanels) _tile_dpbusd(3, 5, 7);
    }
  }
  _tile_stored(0, c, pitch);
  if constexpr (kTwoPanels) _tile_stored(1, c + kByteColumns, pitch);
  if constexpr (kTwoRows) _tile_stored(2, c2, pitch);
  if constexpr (kTwoRows && kTwoPanels) _tile_stored(3, c2 + kByteColumns, pitch);
}

template <bool kTwoPanels>
[[gnu::target("amx-tile,amx-int8")]] void multiply_rows(const ByteTile& tile, std::size_t rows, std::size_t first,
                                                        std::size_t quads, std::size_t step) {
  // The load intrinsics of g++ 12 are not declared to read memory.
  __asm__ volatile("" ::: "memory");
  _tile_loadconfig(&kRegisters[step]);
  std::size_t row = 0;
  for (; row + 2 * kAmxRows <= rows; row += 2 * kAmxRows) multiply<true, kTwoPanels>(tile, row, first, quads, step);
  if (row < rows) multiply<false, kTwoPanels>(tile, row, first, quads, step);
  _tile_release();
}

bool available() {
  static const bool kHas = has_matrix_registers();
  return kHas;
}

}  // namespace

std::size_t rounded_quads(std::size_t quads) {
  const auto rounded = (quads + kQuads - 1) / kQuads * kQuads;
  return available() && rounded - quads <= quads / 4 ? rounded : quads;
}

std::size_t multiply_in_matrix_registers(const ByteTile& tile) {
  if (!available() || tile.rows < kAmxRows || tile.quads < kLeastQuads) return 0;
  const auto rows = tile.rows / kAmxRows * kAmxRows, whole = tile.quads / kQuads * kQuads, rest = tile.quads - whole;
  const auto part = tile.panels == 2 ? multiply_rows<true> : multiply_rows<false>;
  if (whole != 0) part(tile, rows, 0, whole, kQuads);
  if (rest == 0) return rows;
  auto last = tile;
  if (whole != 0) last.from = tile.c, last.from_pitch = tile.ldc;
  part(last, rows, whole, rest, rest);
  return rows;
}

}  // namespace macaw::tosa
#else
namespace macaw::tosa {
std::size_t rounded_quads(std::size_t quads) { return quads; }
std::size_t multiply_in_matrix_registers(const ByteTile&) { return 0; }
}  // namespace macaw::tosa
#endif
