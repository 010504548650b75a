#include "workflow/compare/judge/misread_operations.hpp"

#include <algorithm>

#include "sim/datapath/output_rows.hpp"

namespace macaw::compare {
namespace {

bool same_place(const npu::FeatureMap& written, const npu::FeatureMap& read) {
  return written.region == read.region && written.base[0] == read.base[0] && written.stride_x == read.stride_x &&
         written.stride_y == read.stride_y && written.layout == read.layout && written.bits == read.bits &&
         (written.layout == npu::Layout::kNHWC || written.stride_c == read.stride_c);
}

bool same_extents(const npu::FeatureMap& a, const npu::FeatureMap& b) { return a.h == b.h && a.w == b.w && a.c == b.c; }

/// Whether a record reads a whole map that another wrote, but not as it was written.
bool reads_otherwise(const Record& writer, const Record& reader) {
  const auto& written = writer.operation.ofm;
  const auto otherwise = [&](const npu::FeatureMap& read, std::size_t i) {
    return reader.read[i].overlaps(writer.written) && same_extents(written, read) && !same_place(written, read);
  };
  return otherwise(reader.operation.ifm, 0) || (reader.operation.has_ifm2() && otherwise(reader.operation.ifm2, 1));
}

std::size_t elements(const npu::FeatureMap& map) {
  return static_cast<std::size_t>(map.h) * static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
}

bool same_strides(const npu::FeatureMap& a, const npu::FeatureMap& b) {
  if (a.layout != b.layout) return false;
  return ((a.w == 1 && b.w == 1) || a.layout != npu::Layout::kNHWC || a.stride_x == b.stride_x) &&
         ((a.h == 1 && b.h == 1) || a.stride_y == b.stride_y) &&
         (a.layout == npu::Layout::kNHWC || a.stride_c == b.stride_c);
}

/// Where the elements lie behind the first, in NHWC order.
std::vector<std::int64_t> offsets(const npu::FeatureMap& map) {
  constexpr std::int64_t kBrick = 16;
  std::vector<std::int64_t> all;
  all.reserve(elements(map));
  for (std::int64_t y = 0; y < map.h; ++y)
    for (std::int64_t x = 0; x < map.w; ++x)
      for (std::int64_t c = 0; c < map.c; ++c)
        all.push_back(y * map.stride_y + (map.layout == npu::Layout::kNHWC
                                              ? x * map.stride_x + c * map.bytes()
                                              : c / kBrick * map.stride_c + (x * kBrick + c % kBrick) * map.bytes()));
  return all;
}

/// Maps of the same number of elements exactly; of a part of one, by the strides.
bool same_order(const npu::FeatureMap& written, const npu::FeatureMap& read) {
  if (written.bits != read.bits) return false;
  if (elements(written) == elements(read)) return offsets(written) == offsets(read);
  return elements(read) == 1 || same_strides(written, read);
}

}  // namespace

bool reads_in_order(const Record& writer, const Record& reader) {
  const auto written = npu::stored_ofm(writer.operation);
  const auto in_order = [&](const npu::FeatureMap& read, std::size_t i) {
    return !reader.read[i].overlaps(writer.written) || same_order(written, read);
  };
  return in_order(reader.operation.ifm, 0) && (!reader.operation.has_ifm2() || in_order(reader.operation.ifm2, 1));
}

std::vector<std::size_t> find_misread_operations(const Alignment& alignment, const std::vector<Record>& records,
                                                 std::size_t reader, const Cone& cone) {
  const auto& read = alignment.sources(reader);
  std::set<std::size_t> suspects;
  bool own = false;
  for (const auto tensor : cone.frontier) {
    const auto writers = alignment.writers(tensor, reader);
    const bool missing = !read.contains(tensor);
    own |= missing;
    for (const auto w : writers)
      if (missing || reads_otherwise(records[w], records[reader])) suspects.insert(w);
  }
  // The data that it reads instead may have overwritten the expected data.
  if (own)
    for (const auto p : records[reader].producers)
      for (const auto tensor : alignment.written(p))
        if (!cone.frontier.contains(alignment.representative(tensor))) suspects.insert(p);
  if (suspects.empty() && !own) return {};
  // A record is right if one of its readers gets the expected result.
  std::erase_if(suspects, [&](std::size_t s) {
    for (std::size_t q = s + 1; q < records.size(); ++q)
      if (q != reader && alignment.explained(q) &&
          std::ranges::find(records[q].producers, s) != records[q].producers.end())
        return true;
    return false;
  });
  std::vector<std::size_t> all(suspects.begin(), suspects.end());
  all.push_back(reader);
  return all;
}

}  // namespace macaw::compare
