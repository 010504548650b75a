#include "workflow/report/edges.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace macaw::report {
namespace {

using npu::Movement;

constexpr std::size_t kMostWriters = 64;  // of a piece: the latest

/// Edges and the work to find them grow with the operations, not with their square.
class EdgeCollector {
 public:
  explicit EdgeCollector(std::size_t layers) : cut_(layers) {}

  void begin_operation() {
    edges_allowed_ += kEdgesPerOperation;
    visits_allowed_ += kVisitsPerOperation;
  }
  /// False: no more writers may be looked at for the current operation.
  bool visit() { return ++visits_ <= visits_allowed_; }
  void add(std::size_t from, std::size_t to, std::uint64_t bytes) {
    const auto edge = bytes_.find({from, to});
    if (edge != bytes_.end()) edge->second += bytes;
    else if (bytes_.size() < edges_allowed_) bytes_[{from, to}] = bytes;
    else cut_[to] = true;
  }
  void cut(std::size_t to) { cut_[to] = true; }

  [[nodiscard]] Edges edges() const {
    Edges edges;
    for (const auto& [pair, count] : bytes_) edges.all.push_back({pair.first, pair.second, count});
    edges.cut_layers = static_cast<std::size_t>(std::ranges::count(cut_, true));
    return edges;
  }

 private:
  static constexpr std::size_t kEdgesPerOperation = 16, kVisitsPerOperation = 512;

  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> bytes_;
  std::size_t edges_allowed_ = 4096, visits_allowed_ = 1 << 16, visits_ = 0;
  std::vector<bool> cut_;
};

/// Layers that wrote a region's bytes; no two pieces overlap.
class Writers {
 public:
  void write(const Movement& m, std::size_t layer) {
    split(m.first);
    split(m.last + 1);
    const bool has_gaps = m.bytes < m.last - m.first + 1;
    std::set<std::size_t> layers = {layer};
    bool is_cut = false;
    for (auto piece = pieces_.lower_bound(m.first); piece != pieces_.end() && piece->first <= m.last;) {
      if (unread_.erase(piece->first) != 0 && has_gaps) {
        layers.insert(piece->second.layers->begin(), piece->second.layers->end());
        is_cut |= piece->second.is_cut;
        for (; layers.size() > kMostWriters; is_cut = true) layers.erase(layers.begin());
      }
      piece = pieces_.erase(piece);
    }
    pieces_[m.first] = {m.last, std::make_shared<const std::vector<std::size_t>>(layers.begin(), layers.end()), is_cut};
    unread_.insert(m.first);
  }

  void read(const Movement& m, std::size_t layer, EdgeCollector& edges) {
    split(m.first);
    split(m.last + 1);
    unread_.erase(unread_.lower_bound(m.first), unread_.upper_bound(m.last));
    for (auto piece = pieces_.lower_bound(m.first); piece != pieces_.end() && piece->first <= m.last; ++piece) {
      if (piece->second.is_cut) edges.cut(layer);
      for (const auto writer : *piece->second.layers) {
        if (!edges.visit()) return edges.cut(layer);
        if (writer != layer) edges.add(writer, layer, piece->second.last - piece->first + 1);
      }
    }
  }

 private:
  struct Piece {
    std::uint64_t last = 0;
    std::shared_ptr<const std::vector<std::size_t>> layers;
    bool is_cut = false;  ///< earlier layers wrote it as well
  };

  /// Makes a piece that holds `at` begin there.
  void split(std::uint64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin() || (--piece)->second.last < at) return;
    pieces_[at] = piece->second;
    if (unread_.contains(piece->first)) unread_.insert(at);
    piece->second.last = at - 1;
  }

  std::map<std::uint64_t, Piece> pieces_;  ///< by first byte
  std::set<std::uint64_t> unread_;         ///< first bytes of the pieces that nothing has read since they were written
};

}  // namespace

Edges edges_of(const npu::RunRecord& run, const std::vector<std::size_t>& layer_of) {
  std::array<Writers, 8> regions;
  EdgeCollector edges(layer_of.empty() ? 0 : *std::ranges::max_element(layer_of) + 1);
  std::map<std::uint64_t, std::size_t> chain_writers;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& operation = run.operations[i];
    edges.begin_operation();
    for (const auto buffer : operation.chain_reads)
      if (const auto writer = chain_writers.find(buffer);
          writer != chain_writers.end() && writer->second != layer_of[i])
        edges.add(writer->second, layer_of[i], 0);
    if (operation.chain_write) chain_writers[*operation.chain_write] = layer_of[i];
    for (const bool write : {false, true})
      for (const auto& m : operation.memory) {
        if (m.write != write || m.last < m.first) continue;
        auto& region = regions[static_cast<std::size_t>(m.region)];
        if (write) region.write(m, layer_of[i]);
        else region.read(m, layer_of[i], edges);
      }
  }
  return edges.edges();
}

}  // namespace macaw::report
