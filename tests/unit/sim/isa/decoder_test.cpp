#include <catch2/catch.hpp>

#include "sim/isa/decoder.hpp"

using namespace macaw;
using namespace macaw::npu;

namespace {

constexpr Family kFamilies[] = {Family::kU55, Family::kU65, Family::kU85};

std::vector<std::uint32_t> words_of(const CommandRow& row, const EncodedCommand& words) {
  std::vector<std::uint32_t> out{words.word0};
  if (row.words() == 2) out.push_back(words.payload);
  return out;
}

EncodedCommand encoded(Family family, std::string_view name, std::vector<FieldValue> values) {
  const auto* row = find_command(family, name);
  REQUIRE(row);
  const auto words = encode(*row, values);
  REQUIRE(words);
  return *words;
}

void check_fault(Family family, std::vector<std::uint32_t> words, std::string_view text, std::uint64_t offset) {
  const auto commands = decode(family, words);
  REQUIRE_FALSE(commands);
  CHECK(commands.error().code == ErrorCode::kHardwareFault);
  CHECK_THAT(commands.error().message, Catch::Contains("cmd_parse_error") && Catch::Contains(std::string(text)));
  CHECK(commands.error().place.byte_offset == offset);
}

}  // namespace

// Words taken from streams that Vela wrote (u55_u65 2.4).
TEST_CASE("commands encode as in known streams", "[isa]") {
  const auto words = [](Family family, std::string_view name, std::vector<FieldValue> values) {
    const auto e = encoded(family, name, std::move(values));
    return std::pair{e.word0, e.payload};
  };
  using P = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(words(Family::kU55, "NPU_SET_IFM_PRECISION", {{"activation_type", 1}}) == P{0x00010105, 0});
  CHECK(words(Family::kU55, "NPU_SET_OFM_PRECISION", {{"activation_type", 1}, {"activation_format", 1}}) ==
        P{0x00410114, 0});
  CHECK(words(Family::kU55, "NPU_SET_KERNEL_STRIDE", {{"stride_x_lsb", 1}, {"stride_y_lsb", 1}, {"weight_order", 1}}) ==
        P{0x00070122, 0});
  CHECK(words(Family::kU55, "NPU_SET_IFM_BASE0", {{"addr", 0x620}}) == P{0x00004000, 0x620});
  CHECK(words(Family::kU55, "NPU_SET_OFM_SCALE", {{"scale", 0x80000001}, {"shift", 31}}) == P{0x001F4024, 0x80000001});
  CHECK(words(Family::kU85, "NPU_SET_OFM_SCALE", {{"scale", 1}, {"shift", 16}, {"round_mode", 5}}) == P{0xA0104024, 1});
  CHECK(words(Family::kU65, "NPU_OP_POOL", {{"pooling_mode", 1}}) == P{0x00010005, 0});
  CHECK(words(Family::kU55, "NPU_OP_ELEMENTWISE", {{"elementwise_mode", 8}}) == P{0x00080006, 0});
  CHECK(words(Family::kU85, "NPU_OP_DMA_WAIT", {}) == P{0x00000011, 0});
  CHECK(words(Family::kU55, "NPU_OP_KERNEL_WAIT", {{"n", 1}}) == P{0x00010012, 0});
  CHECK(words(Family::kU55, "NPU_OP_STOP", {{"mask", 0xffff}}) == P{0xFFFF0000, 0});
  CHECK(words(Family::kU65, "NPU_SET_OFM_STRIDE_Y", {{"addr", 0xff'ffff'fff0}}) == P{0x00ff4015, 0xfffffff0});
}

TEST_CASE("every field of every command survives encoding and decoding", "[isa]") {
  for (const auto family : kFamilies)
    for (const auto& row : commands()) {
      if (!(row.families & family_set(family))) continue;
      for (const auto& field : row.fields())
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, field.max() / 2 + 1, field.max()}) {
          INFO(row.name.view() << " " << field.name.view() << " = " << value);
          const FieldValue values[] = {{field.name, value}};
          const auto words = encode(row, values);
          REQUIRE(words);
          const auto decoded = decode(family, words_of(row, *words));
          REQUIRE(decoded);
          REQUIRE(decoded->size() == 1);
          REQUIRE(decoded->front().row == &row);
          for (const auto& other : row.fields()) CHECK(decoded->front().value(other) == (&other == &field ? value : 0));
        }
    }
}

TEST_CASE("command rows are consistent", "[isa]") {
  for (const auto family : kFamilies)
    for (const auto& row : commands()) {
      if (!(row.families & family_set(family))) continue;
      INFO(row.name.view());
      CHECK(find_command(family, row.kind, row.opcode) == &row);
      CHECK(find_command(family, row.name) == &row);
      std::uint64_t used[2] = {0xffff, 0};
      for (const auto& field : row.fields()) {
        INFO(field.name.view());
        REQUIRE(field.word < row.words());
        if (!field.enumeration.empty()) {
          const auto* values = find_enumeration(family, field.enumeration);
          REQUIRE(values);
          for (const auto& value : values->values()) CHECK(value.code <= field.max());
        }
        const auto low = (std::uint64_t{1} << std::min<unsigned>(field.width, 32)) - 1;
        CHECK((used[field.word] & low << field.lsb) == 0);
        used[field.word] |= low << field.lsb;
        if (field.width > 32) used[0] |= ((std::uint64_t{1} << (field.width - 32)) - 1) << 16;
      }
      CHECK(used[0] <= 0xffffffff);
      CHECK(used[1] <= 0xffffffff);
    }
}

TEST_CASE("illegal words are parse errors with a place", "[isa]") {
  check_fault(Family::kU55, {0x00010105, 0x00000004}, "no cmd0 opcode 0x4", 4);
  check_fault(Family::kU55, {0x00000007}, "opcode 0x7", 0);  // RESIZE exists on U85 only
  check_fault(Family::kU85, {0x00008000}, "control value 2", 0);
  check_fault(Family::kU85, {0x0000c000}, "control value 3", 0);
  check_fault(Family::kU55, {0xffff0000, 0x00004000}, "no payload", 4);
  check_fault(Family::kU55, {0x00020105}, "reserved bits 0x00020000 of word 0", 0);
  check_fault(Family::kU55, {0x00000405}, "reserved bits 0x00000400", 0);
  check_fault(Family::kU55, {0x00014000, 0}, "reserved bits 0x00010000", 0);  // U55 addresses have 32 bits
  check_fault(Family::kU55, {0x00004023, 0x00100000}, "reserved bits 0x00100000 of its payload", 0);
  CHECK(decode(Family::kU65, std::vector<std::uint32_t>{0x00014000, 0}));
}

TEST_CASE("the encoder refuses what does not fit", "[isa]") {
  const auto* row = find_command(Family::kU55, "NPU_SET_IFM_PAD_TOP");
  REQUIRE(row);
  CHECK(encode(*row, std::vector<FieldValue>{{"pad", 127}}));
  CHECK_FALSE(encode(*row, std::vector<FieldValue>{{"pad", 128}}));
  CHECK_FALSE(encode(*row, std::vector<FieldValue>{{"padding", 1}}));
}

TEST_CASE("every bit of a command that no field covers is refused", "[isa]") {
  for (const auto family : kFamilies)
    for (const auto& row : commands()) {
      if (!(row.families & family_set(family))) continue;
      const auto empty = encode(row, std::span<const FieldValue>{});
      REQUIRE(empty);
      std::uint64_t covered[2] = {0xc3ff, 0};
      for (const auto& field : row.fields()) {
        covered[field.word] |= ((std::uint64_t{1} << std::min<unsigned>(field.width, 32)) - 1) << field.lsb;
        if (field.width > 32) covered[0] |= ((std::uint64_t{1} << (field.width - 32)) - 1) << 16;
      }
      for (unsigned bit = 0; bit < 32u * row.words(); ++bit) {
        auto words = *empty;
        (bit < 32 ? words.word0 : words.payload) ^= 1u << bit % 32;
        INFO(row.name.view() << " bit " << bit);
        if (!(covered[bit / 32] >> bit % 32 & 1)) CHECK_FALSE(decode(family, words_of(row, words)));
      }
    }
}
