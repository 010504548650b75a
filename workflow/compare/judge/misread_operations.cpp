#include "workflow/compare/judge/misread_operations.hpp"

#include <algorithm>

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

}  // namespace

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
  // What it reads instead may have been written over what it should read.
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
