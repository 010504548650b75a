#include "workflow/report/forms/joined_layers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace macaw::report {
namespace {

using Operation = npu::OperationTiming;

/// Bytes of a region.
struct Range {
  int region = 0;
  std::uint64_t first = 0, last = 0;
  friend auto operator<=>(const Range&, const Range&) = default;
};

/// The sources of bytes that DMA jobs copy.
class Copies {
 public:
  void add(const Operation& dma) {
    std::optional<Range> from, to;
    for (const auto& m : dma.memory) (m.write ? to : from) = Range{m.region, m.first, m.last};
    if (!from || !to || from->region < 0 || to->region < 0) return;  // into the NPU
    // Earlier copies in these bytes are overwritten.
    auto& copies = copies_[static_cast<std::size_t>(to->region)];
    for (auto at = copies.lower_bound(to->first); at != copies.end() && at->first <= to->last;) at = copies.erase(at);
    copies[to->first] = {to->last, origin(*from)};
  }

  /// The bytes themselves where they are not a copy.
  [[nodiscard]] Range origin(const Range& range) const {
    const auto& copies = copies_[static_cast<std::size_t>(range.region)];
    auto at = copies.upper_bound(range.first);
    if (at == copies.begin()) return range;
    --at;
    if (at->second.last < range.last) return range;
    const auto& from = at->second.from;
    const auto offset = range.first - at->first;
    return {from.region, from.first + offset, from.first + offset + range.last - range.first};
  }

 private:
  struct Copy {
    std::uint64_t last = 0;
    Range from;
  };
  std::array<std::map<std::uint64_t, Copy>, 8> copies_;  ///< by region and first byte
};

/// Which operation wrote bytes last.
class LastWriters {
 public:
  void write(const Range& range, std::size_t operation) {
    auto& pieces = pieces_[static_cast<std::size_t>(range.region)];
    split(pieces, range.first);
    split(pieces, range.last + 1);
    pieces.erase(pieces.lower_bound(range.first), pieces.upper_bound(range.last));
    pieces[range.first] = {range.last, operation};
  }

  /// Those that wrote some of the bytes, at most kMostPieces of them.
  [[nodiscard]] std::set<std::size_t> of(const Range& range) const {
    const auto& pieces = pieces_[static_cast<std::size_t>(range.region)];
    std::set<std::size_t> found;
    auto piece = pieces.upper_bound(range.first);
    if (piece != pieces.begin() && std::prev(piece)->second.first >= range.first) --piece;
    for (; piece != pieces.end() && piece->first <= range.last && found.size() < kMostPieces; ++piece)
      found.insert(piece->second.second);
    return found;
  }

 private:
  static constexpr std::size_t kMostPieces = 64;
  using Pieces = std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>>;  // by first byte: the last, the writer

  static void split(Pieces& pieces, std::uint64_t at) {
    auto piece = pieces.lower_bound(at);
    if (piece == pieces.begin() || (--piece)->second.first < at) return;
    pieces[at] = piece->second;
    piece->second.first = at - 1;
  }

  std::array<Pieces, 8> pieces_;
};

std::string kind_of(const Operation& operation) {
  constexpr std::string_view kPrefix = "NPU_OP_";
  const std::string_view name = operation.name;
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

std::vector<Range> ranges(const Operation& operation, std::string_view purpose, bool write) {
  std::vector<Range> found;
  for (const auto& m : operation.memory)
    if (m.write == write && m.purpose == purpose && m.region >= 0 && m.first <= m.last)
      found.push_back({m.region, m.first, m.last});
  return found;
}

/// The operands of an operation.
struct Work {
  std::vector<Range> weights;        ///< where they come from
  std::vector<Range> read, written;  ///< feature maps
  std::set<std::size_t> writers;     ///< operations that wrote what it reads
};

class Joiner {
 public:
  Joiner(const npu::RunRecord& run, const Summary& summary) : run_(run), summary_(summary) {}

  std::vector<JoinedLayer> join_all() {
    joined_of_.resize(summary_.layers.size());
    for (std::size_t l = 0; l < summary_.layers.size(); ++l) add(l);
    for (std::size_t j = 0; j < joined_.size(); ++j) joined_[j].reads.erase(j);
    return std::move(joined_);
  }

 private:
  /// A joined layer's latest operation.
  struct Latest {
    std::size_t joined = 0;
    Work work;
  };

  void add(std::size_t number) {
    const auto& layer = summary_.layers[number];
    const auto work = follow(layer);
    const auto place = work ? place_of(number, *work) : joined_.size();
    JoinedLayer own{.name = layer.name,
                    .kind = layer.operations.empty() ? layer.kind : kind_of(main_operation(layer)),
                    .is_named = is_named(layer),
                    .layers = {number},
                    .reads = {},
                    .exclusive = layer.exclusive,
                    .macs = layer.macs,
                    .written = written(layer),
                    .bound = layer.bound,
                    .bound_cycles = layer.exclusive};
    if (work) own.reads = sources_of(*work, number);
    if (place == joined_.size()) joined_.push_back(std::move(own));
    else join(joined_[place], own);
    joined_of_[number] = place;
    if (!work || joined_[place].is_named) return;
    if (!work->weights.empty()) by_weights_[{joined_[place].kind, work->weights}] = place;
    else latest_[{joined_[place].kind, sources_of(*work, number)}] = {place, *work};
  }

  [[nodiscard]] bool is_named(const Layer& layer) const {
    // A layer without operations has nothing but its name.
    return layer.operations.empty() ||
           std::ranges::any_of(layer.operations, [&](std::size_t i) { return !run_.operations[i].source.empty(); });
  }

  [[nodiscard]] const Operation& main_operation(const Layer& layer) const {
    const Operation* main = &run_.operations[layer.operations.back()];
    for (const auto i : layer.operations)
      if (run_.operations[i].macs > main->macs) main = &run_.operations[i];
    return *main;
  }

  [[nodiscard]] std::uint64_t written(const Layer& layer) const {
    std::uint64_t bytes = 0;
    for (const auto i : layer.operations)
      for (const auto& m : run_.operations[i].memory)
        if (m.write && m.purpose == "ofm") bytes += m.bytes;
    return bytes;
  }

  /// Goes on in memory by the operations of a layer; what its last one works on, if it is a block operation.
  std::optional<Work> follow(const Layer& layer) {
    std::optional<Work> work;
    for (const auto i : layer.operations) {
      const auto& operation = run_.operations[i];
      if (operation.is_dma()) {
        copies_.add(operation);
      } else {
        work.emplace();
        for (const auto& range : ranges(operation, "weights", false)) work->weights.push_back(copies_.origin(range));
        for (const char* map : {"ifm", "ifm2"})
          for (const auto& range : ranges(operation, map, false)) {
            work->read.push_back(range);
            work->writers.merge(writers_.of(range));
          }
        for (const auto buffer : operation.chain_reads)
          if (const auto writer = chain_writers_.find(buffer); writer != chain_writers_.end())
            work->writers.insert(writer->second);
        work->written = ranges(operation, "ofm", true);
      }
      for (const auto& m : operation.memory)
        if (m.write && m.region >= 0 && m.first <= m.last) writers_.write({m.region, m.first, m.last}, i);
      if (operation.chain_write) chain_writers_[*operation.chain_write] = i;
    }
    return work;
  }

  /// The joined layers that wrote what an operation of layer `number` reads.
  [[nodiscard]] std::set<std::size_t> sources_of(const Work& work, std::size_t number) const {
    std::set<std::size_t> sources;
    for (const auto writer : work.writers)
      if (const auto layer = summary_.layer_of[writer]; layer != number) sources.insert(joined_of_[layer]);
    return sources;
  }

  /// Which of the joined layers a layer goes on with; their number: none.
  [[nodiscard]] std::size_t place_of(std::size_t number, const Work& work) const {
    const auto& layer = summary_.layers[number];
    if (is_named(layer)) return joined_.size();
    const auto kind = kind_of(main_operation(layer));
    if (!work.weights.empty()) {
      const auto known = by_weights_.find({kind, work.weights});
      return known == by_weights_.end() ? joined_.size() : known->second;
    }
    const auto known = latest_.find({kind, sources_of(work, number)});
    if (known == latest_.end() || !goes_on(known->second.work, work)) return joined_.size();
    return known->second.joined;
  }

  /// Whether an operation does to other data what the one before did, and writes behind it. A buffer of some rows
  /// begins anew at its start.
  [[nodiscard]] static bool goes_on(const Work& before, const Work& now) {
    constexpr std::uint64_t kGap = 16;  // brick of channels
    if (before.read.size() != now.read.size() || before.written.size() != 1 || now.written.size() != 1) return false;
    if (before.read == now.read && before.writers == now.writers) return false;
    const auto &then = before.written.front(), &next = now.written.front();
    if (then.region != next.region || then == next) return false;
    return next.first < then.first || (next.first > then.last && next.first - then.last <= kGap);
  }

  const npu::RunRecord& run_;
  const Summary& summary_;
  std::vector<JoinedLayer> joined_;
  std::vector<std::size_t> joined_of_;  ///< by layer
  Copies copies_;
  LastWriters writers_;
  std::map<int, std::size_t> chain_writers_;
  std::map<std::pair<std::string, std::vector<Range>>, std::size_t> by_weights_;
  std::map<std::pair<std::string, std::set<std::size_t>>, Latest> latest_;
};

}  // namespace

void join(JoinedLayer& layer, const JoinedLayer& more) {
  if (more.bound_cycles > layer.bound_cycles) {
    layer.bound = more.bound;
    layer.bound_cycles = more.bound_cycles;
  }
  layer.layers.insert(layer.layers.end(), more.layers.begin(), more.layers.end());
  layer.reads.insert(more.reads.begin(), more.reads.end());
  layer.exclusive += more.exclusive;
  layer.macs += more.macs;
  layer.written += more.written;
}

std::vector<JoinedLayer> join_layers(const npu::RunRecord& run, const Summary& summary) {
  return Joiner(run, summary).join_all();
}

}  // namespace macaw::report
