#include <catch2/catch.hpp>

#include "sim/isa/disasm.hpp"

using namespace macaw;
using namespace macaw::npu;

TEST_CASE("every command survives disassembly and assembly", "[isa]") {
  for (const auto& accelerator : accelerators()) {
    std::vector<std::uint32_t> words;
    for (const auto& row : commands()) {
      if (!(row.families & family_set(accelerator.family))) continue;
      for (const std::uint64_t pattern : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x5555555555555555}}) {
        std::vector<FieldValue> values;
        for (const auto& field : row.fields()) values.push_back({field.name, pattern & field.max()});
        const auto encoded = encode(row, values);
        REQUIRE(encoded);
        words.push_back(encoded->word0);
        if (row.words() == 2) words.push_back(encoded->payload);
      }
    }
    const auto text = disassemble(accelerator, "all", words);
    REQUIRE(text);
    const auto assembly = assemble(*text, "all.txt");
    REQUIRE(assembly);
    CHECK(assembly->accelerator == &accelerator);
    REQUIRE(assembly->streams.size() == 1);
    CHECK(assembly->streams[0].name == "all");
    CHECK(assembly->streams[0].words == words);
  }
}

TEST_CASE("disassembly names fields and values", "[isa]") {
  const auto text = disassemble(*find_accelerator("ethos-u55-128"), "s",
                                std::vector<std::uint32_t>{0x00010105, 0x00004000, 0x620, 0x00010005, 0xffff0000});
  REQUIRE(text);
  CHECK(*text ==
        ".accelerator ethos-u55-128\n"
        ".stream s\n"
        "NPU_SET_IFM_PRECISION activation_type=SIGNED activation_precision=B8 activation_format=NHWC"
        " scale_mode=OPA_OPB_16 round_mode=DBL  ; 0x0000\n"
        "NPU_SET_IFM_BASE0 addr=0x620  ; 0x0004\n"
        "NPU_OP_POOL pooling_mode=AVERAGE  ; 0x000c\n"
        "NPU_OP_STOP mask=65535  ; 0x0010\n");
}

TEST_CASE("a stream's name neither ends its line nor begins a comment", "[isa]") {
  const auto text = disassemble(*find_accelerator("ethos-u55-128"), "a;b\nc", std::vector<std::uint32_t>{0xffff0000});
  REQUIRE(text);
  const auto assembly = assemble(*text, "f");
  REQUIRE(assembly);
  REQUIRE(assembly->streams.size() == 1);
  CHECK(assembly->streams[0].name == "a?b?c");
  CHECK(assembly->streams[0].words.size() == 1);
}

TEST_CASE("the assembler names the line of a mistake", "[isa]") {
  const auto message = [](const char* text) {
    const auto result = assemble(text, "f.txt");
    REQUIRE_FALSE(result);
    return result.error().to_string();
  };
  using Catch::Contains;
  CHECK_THAT(message("NPU_OP_STOP\n"), Contains("line 1: a command before .accelerator"));
  CHECK_THAT(message(".accelerator ethos-u55-100\n"), Contains("line 1: there is no accelerator"));
  CHECK_THAT(message(".accelerator ethos-u55-128\n\nNPU_OP_RESIZE"), Contains("line 3: U55 has no command"));
  CHECK_THAT(message(".accelerator ethos-u55-128\nNPU_OP_POOL mode=1"), Contains("no field \"mode\""));
  CHECK_THAT(message(".accelerator ethos-u55-128\nNPU_OP_POOL pooling_mode"), Contains("not field=value"));
  CHECK_THAT(message(".accelerator ethos-u55-128\nNPU_OP_POOL pooling_mode=MINIMUM"), Contains("not a value of"));
  CHECK_THAT(message(".accelerator ethos-u55-128\nNPU_OP_POOL pooling_mode=8"), Contains("does not fit 3 bits"));
  CHECK_THAT(message(".accelerator ethos-u55-128\nNPU_OP_POOL pooling_mode=1 pooling_mode=1"), Contains("twice"));
  CHECK_THAT(message(".accelerator ethos-u55-128\n.accelerator ethos-u55-256\n"), Contains("line 2: a second"));
  CHECK(assemble(".accelerator ethos-u55-128\n.accelerator ethos-u55-128\nNPU_OP_STOP mask=1\n", "f"));
  CHECK_THAT(message("; nothing\n"), Contains("there is no .accelerator"));
  CHECK(assemble(".accelerator ethos-u85-256\n NPU_OP_KERNEL_WAIT n=0x1 ; comment\r\n", "f")->streams[0].words ==
        std::vector<std::uint32_t>{0x00010012});
}
