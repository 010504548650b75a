#include "sim/datapath/dma.hpp"
#include "sim/isa/disasm.hpp"
#include "sim/machine/located.hpp"
#include "sim/machine/machine.hpp"

namespace macaw::npu {

Result<void> Machine::check(const CommandStream& stream) {
  MACAW_CHECK(start(stream));
  CommandParser parser(*accelerator_, stream.words);
  for (;;) {
    const auto step = parser.next();
    if (!step) return located(step.error(), *this, stream, nullptr, {});
    if (std::holds_alternative<Stop>(step->action)) return {};
    Result<void> done;
    std::string_view name;
    if (const auto* block = std::get_if<BlockOperation>(&step->action)) {
      name = command_name(*block);
      done = check_addresses(*block, *accelerator_, map_);
    } else if (const auto* dma = std::get_if<DmaOperation>(&step->action)) {
      name = "NPU_OP_DMA_START";
      done = check_addresses(*dma, map_);
    } else if (const auto* branch = std::get_if<Branch>(&step->action); branch && branch->conditional) {
      name = "NPU_OP_BRANCH";
      done = fail(ErrorCode::kUnsupported, "depends on computed values, which a run without values does not have");
    }
    if (!done) return located(done.error(), *this, stream, &*step, name);
  }
}

}  // namespace macaw::npu
