#include "workflow/compare/judge/unread_writes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace macaw::compare {
namespace {

bool is_constant(const Record& record) {
  return record.producers.empty() && record.inputs.empty() && record.host_outputs.empty();
}

/// Compilers let operations write over each other's margins: what is overwritten counts only where the debug database
/// says that less is to be written, or smaller elements.
std::uint64_t bytes_in_vain(const WritesOfRun& run, const Record& record) {
  const auto named = named_by_database(run.reference, run.artifact, record);
  if (!named || record.overwritten == 0) return record.unread;
  const auto& value = std::as_const(*run.reference.tensors[*named].value);
  const bool is_larger =
      record.contents.size() > value.bytes().size() || static_cast<std::size_t>(record.bytes) > size_of(value.dtype());
  return record.unread + (is_larger ? record.overwritten : 0);
}

bool is_tensor(const Reference& reference, const std::vector<std::byte>& contents) {
  const auto truths = truth(contents);
  return std::ranges::any_of(reference.tensors, [&](const ReferenceTensor& tensor) {
    if (!tensor.value) return false;
    const auto& written = tensor.value->dtype() == DType::kBOOL ? truths : contents;
    return std::ranges::equal(std::as_const(*tensor.value).bytes(), written);
  });
}

}  // namespace

std::vector<UnreadWrite> find_unread_writes(const WritesOfRun& run) {
  std::vector<UnreadWrite> found;
  std::set<std::size_t> named;
  for (const auto& match : run.alignment.named())
    if (run.alignment.equal(match)) named.insert(match.records.begin(), match.records.end());
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const auto& record = run.records[i];
    const auto bytes = bytes_in_vain(run, record);
    const bool partly = bytes > 0 && bytes <= record.written.last - record.written.first;
    if (!partly || run.alignment.right(i) || named.contains(i) || is_tensor(run.reference, record.contents)) continue;
    const auto places = run.candidates.of(i);
    if (places.empty()) {
      if (!is_constant(record)) found.push_back({i, bytes, {}});
      continue;
    }
    // The graph itself may leave a part of a tensor unread, and so of what writes but a part of it.
    const auto tensor = places.front().tensor;
    const auto size = std::as_const(*run.reference.tensors[tensor].value).bytes().size();
    if (!places.front().whole && record.contents.size() >= size) found.push_back({i, bytes, tensor});
  }
  return found;
}

}  // namespace macaw::compare
