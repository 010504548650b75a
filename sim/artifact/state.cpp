#include "sim/artifact/state.hpp"

#include <algorithm>
#include <map>

#include "sim/artifact/bindings.hpp"

namespace macaw::npu {
namespace {

/// A set of bytes, stored as disjoint ranges that are not adjacent.
class ByteRanges {
 public:
  void add(std::uint64_t first, std::uint64_t last) {
    if (first >= last) return;
    auto next = ranges_.upper_bound(first);
    if (next != ranges_.begin() && std::prev(next)->second >= first) --next;
    for (; next != ranges_.end() && next->first <= last; next = ranges_.erase(next)) {
      first = std::min(first, next->first);
      last = std::max(last, next->second);
    }
    ranges_.emplace(first, last);
  }
  [[nodiscard]] bool contains(std::uint64_t first, std::uint64_t last) const {
    if (first >= last) return true;
    const auto next = ranges_.upper_bound(first);
    return next != ranges_.begin() && std::prev(next)->second >= last;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first byte to the one after the last
};

}  // namespace

Result<void> add_state(Artifact& artifact, std::span<const int> memories) {
  std::map<int, ByteRanges> written;
  for (const int memory : memories) written[memory];
  const auto write = [&](const TensorBinding& tensor) -> Result<void> {
    const auto memory = written.find(tensor.memory);
    if (memory == written.end()) return {};
    MACAW_ASSIGN(const auto size, byte_size(tensor, artifact.file));
    memory->second.add(tensor.offset, tensor.offset + size);
    return {};
  };
  const auto read = [&](const TensorBinding& tensor) -> Result<void> {
    const auto memory = written.find(tensor.memory);
    if (memory == written.end()) return {};
    MACAW_ASSIGN(const auto size, byte_size(tensor, artifact.file));
    if (memory->second.contains(tensor.offset, tensor.offset + size)) return {};
    artifact.variables.push_back(tensor);
    memory->second.add(tensor.offset, tensor.offset + size);
    return {};
  };
  for (const auto& input : artifact.inputs) MACAW_CHECK(write(input));
  for (const auto& step : artifact.steps) {
    const auto* host = std::get_if<HostOperator>(&step);
    if (host == nullptr) continue;
    for (const auto& input : host->inputs) MACAW_CHECK(read(input));
    for (const auto& output : host->outputs) MACAW_CHECK(write(output));
  }
  // A network may also return a variable that only other networks of its file write.
  for (const auto& output : artifact.outputs) MACAW_CHECK(read(output));
  return {};
}

}  // namespace macaw::npu
