#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace macaw::npu {

enum class Family : std::uint8_t { kU55, kU65, kU85 };

/// Data that differs between the families. Rows in sim/isa/families.def.
struct FamilyTraits {
  Family family = Family::kU55;
  std::string_view name = {};                  ///< "U55"
  unsigned address_bits = 32;                  ///< width of the registers that hold addresses and strides
  std::array<std::string_view, 2> ports = {};  ///< names of side 0 and side 1 in PMU events and reports
  bool has_custom_dma = false;                 ///< the custom_dma_cs bits of the region registers may be set
  bool has_dedicated_sram = false;             ///< Vela compiles for the memory mode Dedicated_Sram
  std::string_view default_memory_mode = {};   ///< Vela's default
  std::string_view external_area = {};         ///< Vela's name for the memory area on side 1
  std::uint32_t architecture_id = 0;           ///< ID word that Vela's regor writes into a driver payload
  bool always_counts_taps = false;             ///< an AVERAGE pool divides by its valid taps without padding as well
  int average_bits = 31;                       ///< of the multiplier that replaces that division
  bool scales_maximum = false;                 ///< a MAX pool has a scale like every other operation
  bool repeats_ifm = false;                    ///< an elementwise operation can broadcast either operand, not only IFM2
  int shift_bits = 32;                         ///< of the narrowest operands of SHR, SHL and CLZ
  bool aligned_copies = false;       ///< DMA jobs must start at a multiple of 16 bytes outside the NPU as well
  std::uint32_t config_mask = 0;     ///< bits of CONFIG that distinguish accelerators
  std::string_view generation = {};  ///< "U55, U65": the families that share a command set and a data path
  /// Events that ExecuTorch's runner counts, in its order, without "ETHOSU_PMU_"; unused entries are empty.
  std::array<std::string_view, 7> runner_events = {};
};
[[nodiscard]] std::span<const FamilyTraits> all_families();
[[nodiscard]] const FamilyTraits& traits(Family family);

/// Height, width and depth of a micro-block or block, in elements.
struct Hwc {
  int h = 0, w = 0, c = 0;
  friend bool operator==(const Hwc&, const Hwc&) = default;
};

/// Banks that a buffer is rounded up to, per element class (U55/U65 SHRAM).
struct BankGranules {
  int ifm8 = 0, ifm16 = 0, ifm8_elementwise = 0, ifm16_elementwise = 0, ifm32 = 0, acc16 = 0, acc32 = 0, acc40 = 0;
};

/// Sizes of the RAMs inside a U85, in bytes.
struct RamSizes {
  int ifm = 0;           ///< IFM blocks that are kept
  int accumulators = 0;  ///< accumulators of OFM blocks
  int chain = 0;         ///< feature maps passed from one operation to the next, and broadcast operands
  int output = 0;        ///< finished elements on their way to memory
  int lut = 0;           ///< activation tables
};

/// One accelerator configuration, selected by the stream's OPTIMIZER_CONFIG. The rows are in sim/isa/accelerators.def.
struct Accelerator {
  std::string_view name = {};  ///< Vela's name, "ethos-u55-128"
  Family family = Family::kU55;
  int macs = 0;  ///< 8x8-bit multiply-accumulates per cycle, all cores
  int cores = 1;
  std::uint32_t config_word = 0;  ///< CONFIG register and OPTIMIZER_CONFIG word
  Hwc ofm_ublock = {};  ///< per core; on U85 the first of several micro-blocks, of which the stream selects one
  Hwc ifm_ublock = {};
  int weight_decoders = 1;              ///< U85: weight sub-streams; U55/U65: one per core
  int shram_banks = 0;                  ///< 1 KiB banks per core, U55/U65 only
  int shram_reserved_end_banks = 0;     ///< banks always kept for LUTs
  BankGranules granules = {};           ///< U55/U65 only
  std::array<Hwc, 3> ofm_ublocks = {};  ///< U85: the micro-blocks that ACC_FORMAT can select; unused ones are 0
  RamSizes ram = {};                    ///< U85 only
  int ports0 = 1, ports1 = 1;           ///< AXI0/SRAM and AXI1/EXT ports
  int beat_bytes = 0;                   ///< AXI data width
  int burst_bytes = 0;                  ///< burst-split alignment that the MLEK build sets
  int max_reads0 = 0, max_reads1 = 0;   ///< outstanding reads per port of each side
  int max_writes0 = 0, max_writes1 = 0;
  int max_dma = 0;      ///< outstanding DMA jobs
  int max_kernels = 0;  ///< outstanding block operations
  int max_blockdep = 0;
  int pmu_counters = 0;

  /// Byte offset of the LUT in SHRAM (U55/U65); 0 where there is no SHRAM and the LUT RAM is separate.
  [[nodiscard]] int lut_offset() const { return shram_banks == 0 ? 0 : (shram_banks - 2) * 1024; }
};

[[nodiscard]] std::span<const Accelerator> accelerators();
[[nodiscard]] const Accelerator* find_accelerator(std::string_view name);
/// Returns the configuration that a CONFIG word describes: product, MACs (and U85 decoders); nullptr if there is none.
[[nodiscard]] const Accelerator* accelerator_from_config(std::uint32_t config_word);
[[nodiscard]] std::string_view to_string(Family family);

}  // namespace macaw::npu
