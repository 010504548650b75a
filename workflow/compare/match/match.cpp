#include "workflow/compare/match/match.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include <macaw/npu/debug_database.hpp>

#include <utility>
#include "base/file_name.hpp"
#include "sim/datapath/output_rows.hpp"

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

/// Bytes of a tensor by where the pieces lie in memory: the tensor begins where the first of them does, and its
/// elements lie as the pieces' strides say. None where that leaves a gap, or two pieces in one place.
std::optional<std::vector<std::byte>> assemble_by_address(const Tensor& tensor, const std::vector<std::size_t>& group,
                                                          const std::vector<Record>& records) {
  constexpr std::int64_t kBrick = 16;
  const auto width = static_cast<std::int64_t>(size_of(tensor.dtype()));
  const auto total = static_cast<std::int64_t>(tensor.bytes().size());
  const auto depth = tensor.rank() == 0 ? 1 : tensor.shape().back();
  const auto like = npu::stored_ofm(records[group.front()].operation);
  auto begin = records[group.front()].written.first;
  for (const auto i : group) {
    const auto map = npu::stored_ofm(records[i].operation);
    if (records[i].written.memory < 0 || map.layout != like.layout || map.bytes() != width) return std::nullopt;
    if (map.stride_x < 0 || map.stride_y < 0 || map.stride_c < 0 || map.width0 < map.w || map.height0 < map.h)
      return std::nullopt;
    if (map.layout != npu::Layout::kNHWC && (map.stride_y != like.stride_y || map.stride_c != like.stride_c))
      return std::nullopt;
    begin = std::min(begin, records[i].written.first);
  }
  const auto brick_row = kBrick * width;  // of one column
  const auto columns = like.stride_c / brick_row;
  if (like.layout != npu::Layout::kNHWC && (columns <= 0 || like.stride_y <= 0)) return std::nullopt;
  std::vector<std::byte> out(static_cast<std::size_t>(total));
  std::vector<bool> set(out.size() / static_cast<std::size_t>(width));
  for (const auto i : group) {
    const auto map = npu::stored_ofm(records[i].operation);
    const auto first = static_cast<std::int64_t>(records[i].written.first - begin);
    const auto* from = records[i].contents.data();
    for (std::int64_t y = 0; y < map.h; ++y)
      for (std::int64_t x = 0; x < map.w; ++x)
        for (std::int64_t c = 0; c < map.c; ++c, from += width) {
          auto at = first + y * map.stride_y;
          if (map.layout == npu::Layout::kNHWC) {
            at += x * map.stride_x + c * width;
          } else {
            at += c / kBrick * map.stride_c + x * brick_row + c % kBrick * width;
            const auto row = at / like.stride_y, in_row = at % like.stride_y, in_brick = in_row % like.stride_c;
            const auto channel = in_row / like.stride_c * kBrick + in_brick % brick_row / width;
            if (channel >= depth) return std::nullopt;
            at = ((row * columns + in_brick / brick_row) * depth + channel) * width;
          }
          if (at % width != 0 || at + width > total || set[static_cast<std::size_t>(at / width)]) return std::nullopt;
          set[static_cast<std::size_t>(at / width)] = true;
          std::copy_n(from, width, out.begin() + at);
        }
  }
  return std::ranges::all_of(set, std::identity{}) ? std::optional(std::move(out)) : std::nullopt;
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

/// The last of the records that wrote as many bytes together; none if no number of them did.
std::vector<std::size_t> last_with_size(const std::vector<std::size_t>& group, std::size_t bytes,
                                        const std::vector<Record>& records) {
  std::size_t total = 0, first = group.size();
  while (first > 0 && total < bytes) total += records[group[--first]].contents.size();
  return total == bytes ? std::vector(group.begin() + static_cast<std::ptrdiff_t>(first), group.end())
                        : std::vector<std::size_t>();
}

/// Whether a piece may belong to a tensor of `bytes` that begins with another: few bytes are alike by chance, and do
/// not lie behind it.
bool belongs(const Record& piece, const Record& first, std::size_t bytes) {
  constexpr std::size_t kBrick = 16;
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

/// Tensors that records wrote one after the other, each going on where the one before it ended.
void match_parts(const Reference& reference, const std::vector<Record>& records, std::set<TensorId>& found,
                 std::set<std::size_t>& used, std::vector<Match>& matches) {
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
    if (const auto last = last_with_size(match.records, value.bytes().size(), records); !last.empty()) {
      bool right = false;
      for (auto assembled : {assemble(value, in_order(last, records), records),
                             last.size() < 2 ? std::nullopt : assemble_by_address(value, last, records)}) {
        if (!assembled || right) continue;
        if (value.dtype() == DType::kBOOL) *assembled = truth(std::move(*assembled));
        right = std::ranges::equal(*assembled, value.bytes());
        if (!contents || right) contents = std::move(assembled);
      }
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
  /// Tensors with the same contents; each is found in the first record that has elements of its size.
  struct Same {
    std::vector<TensorId> open;
    std::set<std::size_t> widths;  ///< of elements
    bool truths = false;           ///< one of them is of truth
  };
  std::unordered_map<std::string_view, Same> by_contents;
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t)) continue;
    const auto& value = std::as_const(*reference.tensors[t].value);
    auto& same = by_contents[text_of(value.bytes())];
    same.open.push_back(t);
    same.widths.insert(size_of(value.dtype()));
    same.truths |= value.dtype() == DType::kBOOL;
  }

  std::vector<Match> matches;
  std::set<TensorId> found;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto width = static_cast<std::size_t>(records[i].bytes);
    const auto find = [&](const std::vector<std::byte>& contents, bool truths) {
      const auto hit = by_contents.find(text_of(contents));
      if (hit == by_contents.end() || !hit->second.widths.contains(width) || (truths && !hit->second.truths)) return;
      used.insert(i);
      std::erase_if(hit->second.open, [&](TensorId t) {
        const auto dtype = reference.tensors[t].value->dtype();
        if (size_of(dtype) != width || (truths && dtype != DType::kBOOL)) return false;
        found.insert(t);
        matches.push_back({t, MatchMethod::kContents, {i}, contents});
        return true;
      });
    };
    find(records[i].contents, false);
    if (width == 1)
      if (const auto truths = truth(records[i].contents); truths != records[i].contents) find(truths, true);
  }
  match_parts(reference, records, found, used, matches);
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
