#include "sim/isa/disasm.hpp"
#include "tests/fuzz/target.hpp"

using namespace macaw;

// Assembled text is disassembled and must give the same words again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto assembly = npu::assemble(fuzz::text_of(data, size), "fuzz");
  fuzz::expect_message(assembly);
  if (!assembly || assembly->accelerator == nullptr) return 0;
  for (const auto& stream : assembly->streams) {
    const auto text = npu::disassemble(*assembly->accelerator, stream.name, stream.words);
    fuzz::expect_message(text);
    if (!text) continue;
    const auto again = npu::assemble(*text, "again");
    if (!again || again->streams.size() != 1 || again->streams[0].words != stream.words) __builtin_trap();
  }
  return 0;
}
