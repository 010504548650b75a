#include <catch2/catch.hpp>

#include <map>
#include <set>

#include <macaw/npu/registers.hpp>

#include "sim/isa/mmio_registers.hpp"
#include "sim/isa/pmu_events.hpp"

using namespace macaw;
using namespace macaw::npu;

TEST_CASE("registers do not overlap and stand where drivers expect them", "[isa]") {
  for (const auto family : {Family::kU55, Family::kU65, Family::kU85}) {
    std::map<unsigned, std::string_view> at;
    for (const auto& row : mmio_registers()) {
      if (!(row.families & family_set(family))) continue;
      INFO(row.name.view());
      for (unsigned offset = row.offset; offset < row.offset + 4u * row.words * row.count; offset += 4)
        CHECK(at.emplace(offset, row.name).second);
      for (const auto& field : row.fields()) CHECK(field.lsb + field.width <= 32 * row.words);
    }
    // u55_u65 7.1 (hal_ethos_u src/ethosu_device_u55_u65.c, src/ethosu_device_u85.c).
    CHECK(at[0x000] == "ID");
    CHECK(at[0x010] == "QBASE");
    CHECK(at[0x03c] == "REGIONCFG");
    CHECK(at[0x084] == "BASEP");
    CHECK(at[0x0bc] == "BASEP");
    CHECK(at[family == Family::kU85 ? 0x1180 : 0x180] == "PMCR");
    CHECK(at[family == Family::kU85 ? 0x1300 : 0x300] == "PMEVCNTR");
    CHECK(find_mmio_register(family, 0x1cu) == find_mmio_register(family, "QCONFIG"));
    CHECK(find_mmio_register(family, 0x3u + 0x2000u) == nullptr);
  }
  for (const auto family : {Family::kU55, Family::kU65, Family::kU85})
    CHECK(std::ranges::is_sorted(registers(family), {}, &RegisterInfo::offset));
  CHECK(find_mmio_register(Family::kU55, "STATUS")->reset == 8);
  CHECK(find_mmio_register(Family::kU85, "CMD")->reset == 0xc);
  CHECK(find_mmio_register(Family::kU65, "COND_STATUS") == nullptr);
}

TEST_CASE("PMU events are unique and follow the pattern of the ports", "[isa]") {
  for (const auto family : {Family::kU55, Family::kU65, Family::kU85}) {
    std::set<std::string_view> names;
    std::set<unsigned> numbers;
    for (const auto& row : pmu_events()) {
      if (!(row.families & family_set(family))) continue;
      CHECK(names.insert(row.name).second);
      CHECK(numbers.insert(row.number).second);
    }
    // Each port has its events at the same distances from its first (timing 10.1).
    const std::map<std::string, unsigned> ports =
        family == Family::kU85
            ? std::map<std::string, unsigned>{{"SRAM", 128},  {"EXT", 384},   {"SRAM0", 512}, {"SRAM1", 528},
                                              {"SRAM2", 544}, {"SRAM3", 560}, {"EXT0", 640},  {"EXT1", 656}}
            : std::map<std::string, unsigned>{{"AXI0", 128}, {"AXI1", 384}};
    for (const auto& [port, base] : ports)
      for (const auto& [event, distance] : {std::pair{"RD_TRANS_ACCEPTED", 0u},
                                            {"RD_TRANS_COMPLETED", 1},
                                            {"RD_DATA_BEAT_RECEIVED", 2},
                                            {"RD_TRAN_REQ_STALLED", 3},
                                            {"WR_TRANS_ACCEPTED", 4},
                                            {"WR_TRANS_COMPLETED_M", 5},
                                            {"WR_TRANS_COMPLETED_S", 6},
                                            {"WR_DATA_BEAT_WRITTEN", 7},
                                            {"WR_TRAN_REQ_STALLED", 8},
                                            {"WR_DATA_BEAT_STALLED", 9},
                                            {"ENABLED_CYCLES", 12},
                                            {"RD_STALL_LIMIT", 14},
                                            {"WR_STALL_LIMIT", 15}}) {
        INFO(port << "_" << event);
        const auto* row = find_pmu_event(family, port + "_" + event);
        REQUIRE(row);
        CHECK(row->number == base + distance);
        CHECK(find_pmu_event(family, row->number) == row);
      }
    CHECK(find_pmu_event(family, "NPU_ACTIVE")->number == 0x23);
    CHECK(find_pmu_event(family, "MAC_ACTIVE")->number == 0x30);
  }
}

TEST_CASE("CONFIG words name the accelerators", "[isa]") {
  CHECK(accelerators().size() == 11);
  for (const auto& accelerator : accelerators()) {
    INFO(accelerator.name);
    const auto word = accelerator.config_word;
    CHECK(find_accelerator(accelerator.name) == &accelerator);
    CHECK(accelerator_from_config(word) == &accelerator);
    CHECK(1 << (word & 0xf) == accelerator.macs);
    CHECK(word >> 28 == unsigned(accelerator.family));
    CHECK((word >> 4 & 0xf) == (accelerator.family == Family::kU85 ? 1 : 0));
    if (accelerator.family == Family::kU85) {
      CHECK(1 << (word >> 8 & 3) == accelerator.ports0);
      CHECK(1 << (word >> 10 & 1) == accelerator.ports1);
      CHECK(1 << (word >> 12 & 3) == accelerator.weight_decoders);
      for (const auto& u : accelerator.ofm_ublocks) CHECK((u == Hwc{} || u.h * u.w * u.c * 8 == accelerator.macs));
    } else {
      CHECK(int(word >> 8 & 0xff) == accelerator.shram_banks * accelerator.cores);
      const auto& u = accelerator.ofm_ublock;
      CHECK(u.h * u.w * u.c * 8 * accelerator.cores == accelerator.macs);
    }
    // Optional features do not change the configuration.
    CHECK(accelerator_from_config(word | 1u << 27) == &accelerator);
  }
  CHECK(accelerator_from_config(0x30003008) == nullptr);
  CHECK(accelerator_from_config(0x00000001) == nullptr);
  CHECK(find_accelerator("ethos-u55-128")->lut_offset() == 22 * 1024);
}
