#include "sim/artifact/offline_allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace macaw::npu {

using tflite::size_of;

// Format: version, one number that Vela's two back ends fill differently, the count of all subgraphs' tensors, and an
// offset for each of them, starting with the first subgraph.
Result<std::vector<std::int64_t>> arena_offsets(const tflite::Model& file, std::size_t subgraph) {
  const auto& model = file.root();
  std::size_t count = 0, before = 0, own = 0;
  for (std::size_t i = 0; i < size_of(model.subgraphs()); ++i) {
    const auto tensors = size_of(model.subgraphs()->Get(unsigned(i))->tensors());
    if (i < subgraph) before += tensors;
    if (i == subgraph) own = tensors;
    count += tensors;
  }
  std::vector<std::int64_t> offsets(own, -1);
  for (std::size_t i = 0; i < size_of(model.metadata()); ++i) {
    const auto* entry = model.metadata()->Get(unsigned(i));
    if (!entry->name() || entry->name()->string_view() != "OfflineMemoryAllocation") continue;
    const std::string place = "OfflineMemoryAllocation";
    MACAW_ASSIGN(const auto data, file.buffer(entry->buffer(), place));
    constexpr std::size_t kHeader = 3;
    std::vector<std::int32_t> words(data.size() / 4);
    if (!words.empty()) std::memcpy(words.data(), data.data(), words.size() * 4);
    if (words.size() < kHeader || words[0] != 0) return file.error("the header is not that of version 0", place);
    if (words[2] < 0 || std::size_t(words[2]) != count || words.size() - kHeader < count)
      return file.error(fmt::format("{} offsets for {} tensors", words[2], count), place);
    std::copy_n(words.begin() + std::ptrdiff_t(kHeader + before), own, offsets.begin());
  }
  return offsets;
}

}  // namespace macaw::npu
