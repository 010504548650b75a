#include "workflow/compare/match/match.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include <macaw/npu/debug_database.hpp>

#include <utility>
#include "base/file_name.hpp"

namespace macaw::compare {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Records that write different places, in the order of their addresses; a buffer that is used again keeps the order of
/// the program.
std::vector<std::size_t> in_order(std::vector<std::size_t> group, const std::vector<Record>& records) {
  auto sorted = group;
  std::ranges::stable_sort(
      sorted, {}, [&](std::size_t i) { return std::pair(records[i].written.memory, records[i].written.first); });
  const auto same = std::ranges::adjacent_find(
      sorted, {}, [&](std::size_t i) { return std::pair(records[i].written.memory, records[i].written.first); });
  return same == sorted.end() ? sorted : group;
}

/// The tensor's elements from the pieces that the records wrote: one after the other, or side by side in its last axis.
std::optional<std::vector<std::byte>> assemble(const Tensor& tensor, const std::vector<std::size_t>& group,
                                               const std::vector<Record>& records) {
  const auto width = size_of(tensor.dtype());
  std::size_t total = 0;
  for (const auto i : group) {
    if (static_cast<std::size_t>(records[i].bytes) != width) return std::nullopt;
    total += records[i].contents.size();
  }
  if (total != tensor.bytes().size() || total == 0) return std::nullopt;
  const auto depth = static_cast<std::size_t>(tensor.rank() == 0 ? 1 : tensor.shape().back());
  const auto pixels = total / width / depth;
  const bool side_by_side =
      group.size() > 1 && std::ranges::all_of(group, [&](std::size_t i) {
        return static_cast<std::size_t>(records[i].h) * static_cast<std::size_t>(records[i].w) == pixels;
      });
  std::vector<std::byte> out;
  out.reserve(total);
  if (!side_by_side) {
    for (const auto i : group) out.insert(out.end(), records[i].contents.begin(), records[i].contents.end());
    return out;
  }
  for (std::size_t p = 0; p < pixels; ++p)
    for (const auto i : group) {
      const auto piece = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(records[i].c) * width);
      const auto first = records[i].contents.begin() + static_cast<std::ptrdiff_t>(p) * piece;
      out.insert(out.end(), first, first + piece);
    }
  return out;
}

/// Whether a piece may belong to a tensor of `bytes` that begins with another: few bytes are alike by chance, and do
/// not lie behind it.
bool belongs(const Record& piece, const Record& first, std::size_t bytes) {
  constexpr std::size_t kMinDistinctiveBytes = 8, kBrick = 16;
  if (piece.contents.size() >= kMinDistinctiveBytes) return true;
  const auto &a = first.written, &b = piece.written;
  const auto reach = bytes * (first.operation.ofm.layout == npu::Layout::kNHWC ? 1 : kBrick);
  return a.memory == b.memory && b.first > a.first && b.first - a.first < reach;
}

/// Whether a record wrote the channels of a tensor from `channel` on.
bool is_slice(const Record& record, const Tensor& tensor, std::size_t channel) {
  const auto width = size_of(tensor.dtype());
  const auto depth = static_cast<std::size_t>(tensor.shape().back()), own = static_cast<std::size_t>(record.c);
  const auto pixels = static_cast<std::size_t>(record.h) * static_cast<std::size_t>(record.w);
  if (static_cast<std::size_t>(record.bytes) != width || own >= depth || channel + own > depth) return false;
  if (pixels * depth * width != tensor.bytes().size() || record.contents.size() != pixels * own * width) return false;
  const auto bytes = tensor.bytes();
  for (std::size_t p = 0; p < pixels; ++p)
    if (std::memcmp(bytes.data() + (p * depth + channel) * width, record.contents.data() + p * own * width,
                    own * width) != 0)
      return false;
  return true;
}

/// Tensors that records wrote slice by slice, from the first channel on.
void match_slices(const Reference& reference, const std::vector<Record>& records, const std::set<TensorId>& found,
                  const std::set<std::size_t>& used, std::vector<Match>& matches) {
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t) || found.contains(t)) continue;
    const auto& value = *reference.tensors[t].value;
    if (value.rank() < 2) continue;
    std::vector<std::size_t> parts;
    std::size_t channel = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (used.contains(i) || records[i].contents.empty() || !is_slice(records[i], value, channel)) continue;
      if (!parts.empty() && !belongs(records[i], records[parts.front()], value.bytes().size())) continue;
      parts.push_back(i);
      channel += static_cast<std::size_t>(records[i].c);
    }
    if (channel != static_cast<std::size_t>(value.shape().back())) continue;
    matches.push_back({t, MatchMethod::kSlices, std::move(parts), {value.bytes().begin(), value.bytes().end()}});
  }
}

}  // namespace

std::vector<std::byte> truth(std::vector<std::byte> masks) {
  constexpr std::byte kFalse{0}, kTrue{1}, kMask{0xFF};
  if (std::ranges::all_of(masks, [](std::byte b) { return b == kFalse || b == kMask; }))
    std::ranges::replace(masks, kMask, kTrue);
  return masks;
}

const char* to_string(MatchMethod method) {
  switch (method) {
    case MatchMethod::kDebugDatabase: return "debug database";
    case MatchMethod::kContents: return "contents";
    case MatchMethod::kRows: return "contents of parts";
    case MatchMethod::kSlices: return "contents of channels";
    case MatchMethod::kSimilar: return "similar contents";
    case MatchMethod::kPlace: return "shape and inputs";
    case MatchMethod::kOutput: return "being an output";
    case MatchMethod::kRead: return "what a command reads";
    case MatchMethod::kComputed: return "a step inside a command";
    case MatchMethod::kStep: return "its place among the steps of an operator";
    case MatchMethod::kHostRead: return "what an operator of the CPU reads";
    case MatchMethod::kView: return "elements of another tensor";
  }
  return "";
}

std::optional<TensorId> named_by_database(const Reference& reference, const npu::Artifact& artifact,
                                          const Record& record) {
  if (!artifact.debug || record.contents.empty()) return std::nullopt;
  // Streams are counted without CPU operators.
  const auto before = std::span(artifact.steps).first(record.step);
  const auto stream = static_cast<std::size_t>(
      std::ranges::count_if(before, [](const auto& step) { return std::holds_alternative<npu::CommandStream>(step); }));
  const auto* scheduled = artifact.debug->optimised_of(stream, record.offset);
  const auto* source = artifact.debug->source_of(stream, record.offset);
  const auto* named = scheduled != nullptr && !scheduled->name.empty() ? scheduled : source;
  if (named == nullptr || named->name.empty()) return std::nullopt;
  auto tensor = reference.find(named->name);
  if (!tensor) tensor = reference.find(io::file_name_of(named->name));
  if (!tensor || !reference.is_computed(*tensor)) return std::nullopt;
  return tensor;
}

std::vector<Match> match_by_database(const Reference& reference, const npu::Artifact& artifact,
                                     const std::vector<Record>& records) {
  std::vector<Match> matches;
  if (!artifact.debug) return matches;
  std::map<TensorId, Match> by_tensor;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto tensor = named_by_database(reference, artifact, records[i]);
    if (!tensor) continue;
    auto& match = by_tensor[*tensor];
    match.tensor = *tensor;
    match.method = MatchMethod::kDebugDatabase;
    match.records.push_back(i);
  }
  for (auto& [tensor, match] : by_tensor) {
    // An operator may take several steps; the last of them write the tensor.
    const auto& value = *reference.tensors[tensor].value;
    std::optional<std::vector<std::byte>> contents;
    for (std::size_t first = 0; first < match.records.size(); ++first) {
      const std::vector<std::size_t> last(match.records.begin() + static_cast<std::ptrdiff_t>(first),
                                          match.records.end());
      auto assembled = assemble(value, in_order(last, records), records);
      if (!assembled) continue;
      if (value.dtype() == DType::kBOOL) *assembled = truth(std::move(*assembled));
      const bool right = std::ranges::equal(*assembled, value.bytes());
      if (!contents || right) contents = std::move(assembled);
      if (right) break;
    }
    if (contents) match.contents = std::move(*contents);
    // The only command for a tensor writes that tensor: if it has another size, that is the mistake.
    else if (match.records.size() == 1) match.contents = records[match.records.front()].contents;
    else continue;
    matches.push_back(std::move(match));
  }
  std::ranges::sort(matches, {}, [](const Match& m) { return m.records.back(); });
  return matches;
}

std::vector<Match> match_by_contents(const Reference& reference, const std::vector<Record>& records) {
  std::unordered_multimap<std::string_view, TensorId> whole;
  for (TensorId t = 0; t < reference.tensors.size(); ++t)
    if (reference.is_computed(t)) whole.emplace(text_of(reference.tensors[t].value->bytes()), t);

  std::vector<Match> matches;
  std::set<TensorId> found;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto [first, last] = whole.equal_range(text_of(records[i].contents));
    for (auto hit = first; hit != last; ++hit) {
      const auto& value = *reference.tensors[hit->second].value;
      if (size_of(value.dtype()) != static_cast<std::size_t>(records[i].bytes)) continue;
      used.insert(i);
      if (found.insert(hit->second).second)
        matches.push_back({hit->second, MatchMethod::kContents, {i}, records[i].contents});
    }
  }
  // Parts: records one after the other that continue where the one before them ended.
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t) || found.contains(t)) continue;
    const auto bytes = std::as_const(*reference.tensors[t].value).bytes();
    std::vector<std::size_t> parts;
    std::size_t at = 0;
    for (std::size_t i = 0; i < records.size() && at < bytes.size(); ++i) {
      const auto& contents = records[i].contents;
      if (used.contains(i) || contents.empty() || contents.size() > bytes.size() - at) continue;
      if (std::memcmp(bytes.data() + at, contents.data(), contents.size()) != 0) continue;
      if (!parts.empty() && !belongs(records[i], records[parts.front()], bytes.size())) continue;
      parts.push_back(i);
      at += contents.size();
    }
    if (at != bytes.size() || parts.size() < 2) continue;
    found.insert(t);
    used.insert(parts.begin(), parts.end());
    matches.push_back({t, MatchMethod::kRows, std::move(parts), {bytes.begin(), bytes.end()}});
  }
  match_slices(reference, records, found, used, matches);
  std::ranges::sort(matches, {}, [](const Match& m) { return m.records.back(); });
  return matches;
}

std::vector<Match> match_host_reads(const Reference& reference, const npu::Artifact& artifact,
                                    const std::vector<HostCall>& calls) {
  std::map<std::string, std::vector<const HostCall*>> by_kind;
  for (const auto& call : calls) by_kind[std::get<npu::HostOperator>(artifact.steps[call.step]).name].push_back(&call);
  std::vector<Match> matches;
  std::set<TensorId> found;
  for (const auto& [kind, same] : by_kind) {
    if (std::ranges::count(reference.operators, kind, &ReferenceOperator::kind) !=
        static_cast<std::ptrdiff_t>(same.size()))
      continue;
    auto call = same.begin();
    for (const auto& op : reference.operators) {
      if (op.kind != kind) continue;
      const auto& [step, inputs, outputs, writers] = **call++;
      const auto given = [](const auto& input) { return input.has_value(); };
      if (std::ranges::count_if(inputs, given) != static_cast<std::ptrdiff_t>(op.inputs.size())) continue;
      auto tensor = op.inputs.begin();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]) continue;
        const auto id = *tensor++;
        if (!reference.is_computed(id)) continue;
        const auto actual = std::as_const(*inputs[i]).bytes();
        const auto& expected = std::as_const(*reference.tensors[id].value);
        if (inputs[i]->dtype() == expected.dtype() && actual.size() == expected.bytes().size() &&
            found.insert(id).second)
          matches.push_back({id, MatchMethod::kHostRead, writers[i], {actual.begin(), actual.end()}});
      }
    }
  }
  return matches;
}

}  // namespace macaw::compare
