#include "sim/datapath/work.hpp"

#include "sim/datapath/dma.hpp"
#include "sim/datapath/execute.hpp"

#include <fmt/format.h>

namespace macaw::npu {

Result<void> Work::add(std::int64_t amount) {
  if (amount > left())
    return fail(ErrorCode::kUnsupported,
                fmt::format("more work than the limit of {} multiply-accumulates or their equivalent", limit_));
  done_ += amount;
  return {};
}

Result<void> Work::add(std::uint64_t count, std::int64_t each) {
  const auto most = static_cast<std::uint64_t>(INT64_MAX / each);
  return add(count > most ? INT64_MAX : static_cast<std::int64_t>(count) * each);
}

Result<void> Work::issue(const StreamOperation& operation) {
  MACAW_CHECK(add(operation.commands, kCommand));
  return add(kOperation);
}

Result<void> Work::execute(const StreamOperation& operation) {
  if (const auto* block = std::get_if<BlockOperation>(&operation.action)) return add(work(*block));
  if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) return add(work(*dma));
  return {};
}

}  // namespace macaw::npu
