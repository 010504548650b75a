#include "workflow/report/edges.hpp"

#include <array>
#include <map>
#include <set>
#include <utility>

namespace macaw::report {
namespace {

using trace::Movement;

/// Layers that wrote a region's bytes; no two pieces overlap.
class Writers {
 public:
  void write(const Movement& m, std::size_t layer) {
    split(m.first);
    split(m.last + 1);
    const bool has_gaps = m.bytes < m.last - m.first + 1;
    Piece fresh{m.last, {layer}, false};
    for (auto piece = pieces_.lower_bound(m.first); piece != pieces_.end() && piece->first <= m.last;) {
      if (has_gaps && !piece->second.is_read) fresh.layers.merge(piece->second.layers);
      piece = pieces_.erase(piece);
    }
    pieces_[m.first] = std::move(fresh);
  }

  void read(const Movement& m, std::size_t layer, std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>& bytes) {
    split(m.first);
    split(m.last + 1);
    for (auto piece = pieces_.lower_bound(m.first); piece != pieces_.end() && piece->first <= m.last; ++piece) {
      piece->second.is_read = true;
      for (const auto writer : piece->second.layers)
        if (writer != layer) bytes[{writer, layer}] += piece->second.last - piece->first + 1;
    }
  }

 private:
  struct Piece {
    std::uint64_t last = 0;
    std::set<std::size_t> layers;
    bool is_read = false;
  };

  /// Makes a piece that holds `at` begin there.
  void split(std::uint64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin() || (--piece)->second.last < at) return;
    auto rest = piece->second;
    piece->second.last = at - 1;
    pieces_[at] = std::move(rest);
  }

  std::map<std::uint64_t, Piece> pieces_;  ///< by first byte
};

}  // namespace

std::vector<Edge> edges_of(const trace::SavedRun& run, const std::vector<std::size_t>& layer_of) {
  std::array<Writers, 8> regions;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> bytes;
  std::map<std::uint64_t, std::size_t> chain_writers;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& operation = run.operations[i];
    for (const auto buffer : operation.chain_reads)
      if (const auto writer = chain_writers.find(buffer);
          writer != chain_writers.end() && writer->second != layer_of[i])
        bytes.try_emplace({writer->second, layer_of[i]});
    if (operation.chain_write) chain_writers[*operation.chain_write] = layer_of[i];
    for (const bool write : {false, true})
      for (const auto& m : operation.memory) {
        if (m.write != write || m.last < m.first) continue;
        auto& region = regions[static_cast<std::size_t>(m.region)];
        if (write) region.write(m, layer_of[i]);
        else region.read(m, layer_of[i], bytes);
      }
  }
  std::vector<Edge> edges;
  for (const auto& [pair, count] : bytes) edges.push_back({pair.first, pair.second, count});
  return edges;
}

}  // namespace macaw::report
