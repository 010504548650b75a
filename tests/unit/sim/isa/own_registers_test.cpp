#include "sim/isa/command_parser.hpp"

#include <catch2/catch.hpp>

#include <functional>

// Registers in raw words, each with a value of its own: none of them fills the member of another (u55_u65 2.3,
// u85 2.3).
using namespace macaw;
using namespace macaw::npu;

namespace {

struct Own {
  std::string name, field;
  std::uint64_t value;
  std::function<std::int64_t(const BlockOperation&)> member;
  std::int64_t expected;
};

void add_map(std::vector<Own>& all, const std::string& map, std::int64_t n, FeatureMap BlockOperation::*place) {
  const auto add = [&](const char* name, const char* field, std::int64_t value, auto member, std::int64_t expected) {
    all.push_back({"NPU_SET_" + map + name, field, static_cast<std::uint64_t>(value),
                   [=](const BlockOperation& op) { return static_cast<std::int64_t>(std::invoke(member, op.*place)); },
                   expected});
  };
  add("_REGION", "region", n, &FeatureMap::region, n);
  for (std::size_t i = 0; i < 4; ++i)
    add(("_BASE" + std::to_string(i)).c_str(), "addr", 1000 * n + 16 * static_cast<std::int64_t>(i),
        [i](const FeatureMap& fm) { return fm.base[i]; }, 1000 * n + 16 * static_cast<std::int64_t>(i));
  add("_STRIDE_X", "addr", 100 * n + 1, &FeatureMap::stride_x, 100 * n + 1);
  add("_STRIDE_Y", "addr", 100 * n + 2, &FeatureMap::stride_y, 100 * n + 2);
  add("_STRIDE_C", "addr", 100 * n + 3, &FeatureMap::stride_c, 100 * n + 3);
  add("_WIDTH0_M1", "width_m1", 10 * n, &FeatureMap::width0, 10 * n + 1);
  add("_HEIGHT0_M1", "height_m1", 10 * n + 3, &FeatureMap::height0, 10 * n + 4);
  add("_HEIGHT1_M1", "height_m1", 10 * n + 6, &FeatureMap::height1, 10 * n + 7);
}

void add_window(std::vector<Own>& all) {
  const auto add = [&](const char* name, const char* field, std::uint64_t value, int Kernel::*member, int expected) {
    all.push_back(
        {name, field, value, [=](const BlockOperation& op) { return std::int64_t{op.kernel.*member}; }, expected});
  };
  add("NPU_SET_IFM_PAD_TOP", "pad", 1, &Kernel::pad_top, 1);
  add("NPU_SET_IFM_PAD_LEFT", "pad", 2, &Kernel::pad_left, 2);
  add("NPU_SET_IFM_PAD_BOTTOM", "pad", 3, &Kernel::pad_bottom, 3);
  add("NPU_SET_IFM_PAD_RIGHT", "pad", 4, &Kernel::pad_right, 4);
  add("NPU_SET_KERNEL_HEIGHT_M1", "height_m1", 6, &Kernel::height, 7);
  add("NPU_SET_KERNEL_WIDTH_M1", "width_m1", 8, &Kernel::width, 9);
}

BlockOperation read(const Accelerator& accelerator, const std::vector<Own>& registers, const char* command,
                    std::vector<FieldValue> fields = {}) {
  std::vector<std::uint32_t> words;
  const auto add = [&](std::string_view name, const std::vector<FieldValue>& values) {
    const auto* row = find_command(accelerator.family, name);
    REQUIRE(row);
    const auto encoded = encode(*row, values);
    REQUIRE(encoded);
    words.push_back(encoded->word0);
    if (row->words() == 2) words.push_back(encoded->payload);
  };
  for (const auto& own : registers) add(own.name, {{own.field, own.value}});
  if (accelerator.family == Family::kU85) add("NPU_SET_ACC_FORMAT", {{"microblock", 1}});
  add(command, fields);
  const auto step = CommandParser(accelerator, words).next();
  if (!step) FAIL(step.error().to_string());
  return std::get<BlockOperation>(step->action);
}

void check(const std::vector<Own>& registers, const BlockOperation& op) {
  for (const auto& own : registers) {
    INFO(own.name << ' ' << own.field);
    CHECK(own.member(op) == own.expected);
  }
}

}  // namespace

TEST_CASE("each register of a map and of a window fills its own member", "[isa]") {
  for (const char* name : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    INFO(name);
    std::vector<Own> registers;
    add_map(registers, "IFM", 1, &BlockOperation::ifm);
    add_map(registers, "IFM2", 2, &BlockOperation::ifm2);
    add_map(registers, "OFM", 3, &BlockOperation::ofm);
    add_window(registers);
    check(registers, read(*find_accelerator(name), registers, "NPU_OP_CONV"));
  }
}

TEST_CASE("a zero point has 16 bits, with a sign where its map's elements have one", "[isa]") {
  const auto& accelerator = *find_accelerator("ethos-u55-128");
  for (const std::uint64_t is_signed : {0, 1})
    for (const std::uint64_t raw : {0x0000, 0x3fff, 0x4000, 0x7fff, 0x8000, 0xc000, 0xffff}) {
      const auto op = read(accelerator,
                           {{"NPU_SET_IFM_PRECISION", "activation_type", is_signed, {}, 0},
                            {"NPU_SET_IFM_ZERO_POINT", "zero_point", raw, {}, 0}},
                           "NPU_OP_CONV");
      CHECK(op.ifm.zero_point == static_cast<int>(raw) - (is_signed != 0 && raw >= 0x8000 ? 0x10000 : 0));
    }
}
