#include "sim/isa/command_parser.hpp"
#include "sim/isa/geometry.hpp"
#include "sim/isa/pmu_events.hpp"

#include <macaw/npu/driver_events.hpp>

#include <catch2/catch.hpp>

#include <set>

// Where commands begin and what they are read with, extents that follow from registers, and names and numbers of
// events.
using namespace macaw;
using namespace macaw::npu;

namespace {

struct StreamWrite {
  std::string_view command;
  std::vector<FieldValue> fields = {};
};

std::vector<std::uint32_t> words_of(Family family, const std::vector<StreamWrite>& writes) {
  std::vector<std::uint32_t> words;
  for (const auto& [name, fields] : writes) {
    const auto* row = find_command(family, name);
    REQUIRE(row);
    const auto encoded = encode(*row, fields);
    REQUIRE(encoded);
    words.push_back(encoded->word0);
    if (row->words() == 2) words.push_back(encoded->payload);
  }
  return words;
}

std::vector<StreamOperation> operations(const char* accelerator, const std::vector<StreamWrite>& writes) {
  const auto& a = *find_accelerator(accelerator);
  const auto words = words_of(a.family, writes);
  auto parsed = parse_program(a, words);
  if (!parsed) FAIL(parsed.error().to_string());
  return *parsed;
}

BlockOperation operation(const char* accelerator, std::vector<StreamWrite> writes) {
  if (std::string_view(accelerator).find("u85") != std::string_view::npos)
    writes.insert(writes.begin(), {"NPU_SET_ACC_FORMAT", {{"microblock", 1}}});
  return std::get<BlockOperation>(operations(accelerator, writes).back().action);
}

}  // namespace

TEST_CASE("a command begins at a word", "[isa]") {
  const auto words = words_of(Family::kU55, {{"NPU_OP_STOP"}, {"NPU_OP_STOP"}});
  for (std::uint64_t offset = 0; offset <= 9; ++offset) {
    INFO(offset);
    CHECK(decode_command(Family::kU55, words, 0, offset).has_value() == (offset == 0 || offset == 4));
  }
}

TEST_CASE("an operation has its number, its place, its end and how many commands were read for it", "[isa]") {
  const auto all = operations("ethos-u85-256", {{"NPU_SET_IFM_REGION"},
                                                {"NPU_SET_IFM_BASE0"},
                                                {"NPU_OP_KERNEL_WAIT", {{"n", 1}}},
                                                {"NPU_OP_DMA_WAIT", {{"k", 3}}},
                                                {"NPU_SET_DMA0_SRC"},
                                                {"NPU_OP_PMU_MASK", {{"enable", 1}}},
                                                {"NPU_OP_PMU_MASK", {{"enable", 0}}},
                                                {"NPU_OP_IRQ", {{"mask", 0xfffe}}},
                                                {"NPU_OP_STOP", {{"mask", 0x8001}}}});
  struct Place {
    std::uint32_t index, offset;
    std::uint64_t end;
    std::uint32_t commands;
  };
  const Place places[] = {{2, 12, 16, 3}, {3, 16, 20, 1}, {5, 28, 32, 2},
                          {6, 32, 36, 1}, {7, 36, 40, 1}, {8, 40, 44, 1}};
  REQUIRE(all.size() == std::size(places));
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(i);
    CHECK((all[i].index == places[i].index && all[i].offset == places[i].offset));
    CHECK((all[i].end == places[i].end && all[i].commands == places[i].commands));
  }
  CHECK(std::get<Wait>(all[0].action).queue == Wait::Queue::kKernel);
  CHECK(std::get<Wait>(all[0].action).outstanding == 1);
  CHECK(std::get<Wait>(all[1].action).queue == Wait::Queue::kDma);
  CHECK(std::get<Wait>(all[1].action).outstanding == 3);
  CHECK(std::get<PmuMask>(all[2].action).enable);
  CHECK_FALSE(std::get<PmuMask>(all[3].action).enable);
  CHECK(std::get<Irq>(all[4].action).mask == 0xfffe);
  CHECK(std::get<StreamStop>(all[5].action).mask == 0x8001);
}

TEST_CASE("a micro-block turns for one row of an even width and a kernel of one row alone", "[isa]") {
  for (const char* name : {"ethos-u55-256", "ethos-u65-256", "ethos-u65-512"})
    for (const char* command : {"NPU_OP_CONV", "NPU_OP_DEPTHWISE", "NPU_OP_POOL"})
      for (std::uint64_t h : {1u, 2u})
        for (std::uint64_t w : {1u, 2u, 3u, 4u})
          for (std::uint64_t kh : {1u, 2u})
            for (std::uint64_t kw : {1u, 3u}) {
              const auto op = operation(name, {{"NPU_SET_OFM_HEIGHT_M1", {{"height_m1", h - 1}}},
                                               {"NPU_SET_OFM_WIDTH_M1", {{"width_m1", w - 1}}},
                                               {"NPU_SET_KERNEL_HEIGHT_M1", {{"height_m1", kh - 1}}},
                                               {"NPU_SET_KERNEL_WIDTH_M1", {{"width_m1", kw - 1}}},
                                               {command}});
              const bool turns = command == std::string_view("NPU_OP_CONV") && h == 1 && w % 2 == 0 && kh == 1;
              INFO(name << ' ' << command << ' ' << h << 'x' << w << ", kernel " << kh << 'x' << kw);
              CHECK(op.ublock == (turns ? Hwc{1, 4, 8} : Hwc{2, 2, 8}));
            }
}

TEST_CASE("an operand has the OFM's extents but where it is broadcast, and a scalar has one element", "[isa]") {
  const std::vector<StreamWrite> ofm{{"NPU_SET_OFM_HEIGHT_M1", {{"height_m1", 1}}},
                                     {"NPU_SET_OFM_WIDTH_M1", {{"width_m1", 2}}},
                                     {"NPU_SET_OFM_DEPTH_M1", {{"depth_m1", 4}}}};
  const auto extents = [](const FeatureMap& map) { return Hwc{map.h, map.w, map.c}; };
  for (std::uint64_t code = 0; code <= 8; ++code) {
    const bool h = code & 1, w = code & 2, c = code & 4, scalar = code == 8;
    const Hwc expected{h || scalar ? 1 : 2, w || scalar ? 1 : 3, c || scalar ? 1 : 5};
    INFO(code);
    auto u85 = ofm;
    u85.push_back({"NPU_SET_IFM_BROADCAST", {{"broadcast_mode", code}}});
    u85.push_back({"NPU_SET_IFM2_BROADCAST", {{"broadcast_mode", 8 - code}}});
    u85.push_back({"NPU_OP_ELEMENTWISE"});
    const auto op = operation("ethos-u85-256", u85);
    CHECK(extents(op.ifm) == expected);
    const auto other = 8 - code;
    CHECK(extents(op.ifm2) ==
          (other == 8 ? Hwc{1, 1, 1} : Hwc{other & 1 ? 1 : 2, other & 2 ? 1 : 3, other & 4 ? 1 : 5}));
    auto u55 = ofm;
    u55.push_back({"NPU_SET_IFM2_BROADCAST",
                   {{"broadcast_h", h}, {"broadcast_w", w}, {"broadcast_c", c}, {"broadcast_constant", scalar}}});
    u55.push_back({"NPU_OP_ELEMENTWISE"});
    CHECK(extents(operation("ethos-u55-128", u55).ifm2) == expected);
    CHECK(extents(operation("ethos-u55-128", u55).ifm) == Hwc{2, 3, 5});
  }
}

TEST_CASE("a copy has as many sizes as dimensions, and the others are of no account", "[isa]") {
  for (const char* name : {"ethos-u65-256", "ethos-u85-256"})
    for (std::uint64_t more = 0; more <= 2; ++more)
      for (const std::uint64_t size0 : {0u, 3u})
        for (const std::uint64_t size1 : {0u, 5u}) {
          const auto& a = *find_accelerator(name);
          const auto words = words_of(a.family, {{"NPU_SET_DMA0_SRC_REGION", {{"stride_mode", more}}},
                                                 {"NPU_SET_DMA0_LEN", {{"addr", 16}}},
                                                 {"NPU_SET_DMA0_SIZE0", {{"size", size0}}},
                                                 {"NPU_SET_DMA0_SIZE1", {{"size", size1}}},
                                                 {"NPU_OP_DMA_START"}});
          const auto parsed = parse_program(a, words);
          INFO(name << ' ' << more << ' ' << size0 << ' ' << size1);
          CHECK(parsed.has_value() == ((more < 1 || size0 != 0) && (more < 2 || size1 != 0)));
          if (!parsed) continue;
          const auto& op = std::get<DmaOperation>(parsed->back().action);
          CHECK((op.size0 == (more < 1 ? 1 : size0) && op.size1 == (more < 2 ? 1 : size1)));
        }
}

TEST_CASE("the NPU's own memory is all banks of the shared RAM, or the table's RAM", "[isa]") {
  for (const auto& [name, kib] : {std::pair{"ethos-u55-32", 16u},
                                  {"ethos-u55-64", 16u},
                                  {"ethos-u55-128", 24u},
                                  {"ethos-u55-256", 48u},
                                  {"ethos-u65-256", 48u},
                                  {"ethos-u65-512", 48u},
                                  {"ethos-u85-128", 2u},
                                  {"ethos-u85-2048", 2u}})
    CHECK(internal_memory_bytes(*find_accelerator(name)) == kib * 1024);
}

TEST_CASE("an event has the number and name of its family, and what is none has no event", "[isa]") {
  for (const auto family : {Family::kU55, Family::kU65, Family::kU85}) {
    std::set<unsigned> numbers;
    for (const auto& row : pmu_events())
      if (row.families & family_set(family)) {
        numbers.insert(row.number);
        CHECK(find_pmu_event(family, row.name) == find_pmu_event(family, unsigned{row.number}));
      }
    for (unsigned number = 0; number < 1100; ++number) {
      const auto* row = find_pmu_event(family, number);
      CHECK((row != nullptr) == numbers.contains(number));
      if (row) CHECK(row->number == number);
    }
    // The driver lists those of its family, each once, in the order of their numbers.
    const auto names = driver_events(family);
    REQUIRE(names.size() == numbers.size());
    auto number = numbers.begin();
    for (const auto& name : names) {
      REQUIRE(name.starts_with("ETHOSU_PMU_"));
      const auto* row = find_pmu_event(family, std::string_view(name).substr(11));
      REQUIRE(row);
      CHECK(row->number == *number++);
    }
  }
  CHECK_FALSE(find_pmu_event(Family::kU55, "SRAM_RD_TRANS_ACCEPTED"));
  CHECK_FALSE(find_pmu_event(Family::kU85, "AXI0_RD_TRANS_ACCEPTED"));
}
