#include "workflow/compare/judge/constant_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "sim/datapath/weight_order.hpp"

namespace macaw::compare {
namespace {

using What = ConstantDifference::What;
using Filter = std::span<const std::int16_t>;

std::string_view text_of(Filter filter) { return {reinterpret_cast<const char*>(filter.data()), filter.size_bytes()}; }

/// Channels of an operator that an operation computes. Those of a depthwise operator with several to a channel of the
/// input may be computed by an operation for the first of each, one for the second and so on.
struct Place {
  const OperatorConstants* constants = nullptr;
  std::ptrdiff_t first_channel = 0, step = 1;
  auto operator<=>(const Place&) const = default;

  /// The operator's channel that is the operation's `c`.
  [[nodiscard]] std::size_t channel(std::size_t c) const {
    return static_cast<std::size_t>(first_channel + static_cast<std::ptrdiff_t>(c) * step);
  }
};

/// The filters of one operation.
struct Filters {
  explicit Filters(const Record& record)
      : weights(record.constants.weights),
        channels(static_cast<std::size_t>(record.operation.ofm.c)),
        length(channels == 0 ? 0 : weights.size() / channels) {}
  [[nodiscard]] Filter of(std::size_t channel) const { return weights.subspan(channel * length, length); }

  Filter weights;
  std::size_t channels, length;
};

bool covers(const Place& place, std::size_t channels, std::size_t length) {
  const auto& filters = place.constants->filters;
  return place.first_channel >= 0 && place.channel(channels - 1) < filters.size() && filters.front().size() == length;
}

/// How far apart the channels of an operation may be among the operator's.
std::vector<std::ptrdiff_t> steps_of(const OperatorConstants& op, std::size_t channels) {
  const auto step = op.filters.size() / channels;
  if (channels < 2 || step < 2 || op.filters.size() % channels != 0) return {1};
  return {1, static_cast<std::ptrdiff_t>(step)};
}

/// The same factor with an odd multiplier.
std::pair<std::int64_t, int> normal(ScaleFactor factor) {
  while (factor.multiplier != 0 && factor.multiplier % 2 == 0) {
    factor.multiplier /= 2;
    --factor.shift;
  }
  return {factor.multiplier, factor.multiplier == 0 ? 0 : factor.shift};
}

bool same_factor(ScaleFactor a, ScaleFactor b) { return normal(a) == normal(b); }

bool near_factor(ScaleFactor a, ScaleFactor b) {
  constexpr double kRounded = 1.0 / 8192;
  const double x = std::ldexp(static_cast<double>(a.multiplier), -a.shift);
  const double y = std::ldexp(static_cast<double>(b.multiplier), -b.shift);
  return std::abs(x - y) <= kRounded * std::abs(y);
}

/// Every sum of 32 bits by it is zero, as TensorFlow Lite's kernels have it as well.
bool vanishes(ScaleFactor factor) {
  return std::ldexp(static_cast<double>(factor.multiplier), -factor.shift) < std::ldexp(1.0, -32);
}

class Checker {
 public:
  Checker(const Reference& reference, const std::vector<Record>& records, const npu::Accelerator& accelerator)
      : reference_(reference), records_(records), accelerator_(accelerator), graph_(graph_constants(reference)) {
    for (const auto& op : graph_)
      for (std::size_t c = 0; c < op.filters.size(); ++c)
        channels_.emplace(text_of(op.filters[c]), Place{&op, static_cast<std::ptrdiff_t>(c)});
  }

  ConstantCheck run() {
    for (std::size_t r = 0; r < records_.size(); ++r) {
      const Filters filters(records_[r]);
      if (filters.length > 0)
        if (const auto places = find(filters, records_[r].constants.scales); !places.empty())
          compare_filters(r, filters, places);
      if (!records_[r].constants.table.empty()) compare_table(r);
    }
    count();
    return std::move(check_);
  }

 private:
  [[nodiscard]] ConstantDifference of(What what, std::size_t record, std::size_t op) const {
    const auto& r = records_[record];
    return {.what = what, .record = record, .step = r.step, .command = r.command, .offset = r.offset, .op = op};
  }

  /// Where most channels say that they belong, or else most values, or else all biases and scales: a stream of weights
  /// that is broken at its beginning leaves no filter as it was.
  [[nodiscard]] std::vector<Place> find(const Filters& filters, const std::vector<npu::ChannelScale>& scales) const {
    std::map<Place, std::size_t> votes;
    for (std::size_t c = 0; c < filters.channels; ++c) {
      const auto [first, last] = channels_.equal_range(text_of(filters.of(c)));
      if (std::distance(first, last) > kMostAlike) continue;
      for (auto hit = first; hit != last; ++hit) {
        auto place = hit->second;
        for (const auto step : steps_of(*place.constants, filters.channels)) {
          place.first_channel = hit->second.first_channel - static_cast<std::ptrdiff_t>(c) * step;
          place.step = step;
          if (covers(place, filters.channels, filters.length)) ++votes[place];
        }
      }
    }
    const auto most = std::ranges::max_element(votes, {}, [](const auto& v) { return v.second; });
    std::vector<Place> places;
    if (most != votes.end() && most->second * 2 >= filters.channels) {
      for (const auto& [place, count] : votes)
        if (count == most->second) places.push_back(place);
      std::ranges::stable_sort(places, std::greater{}, [&](const Place& p) { return equal_weights(filters, p); });
    } else if (const auto place = nearest(filters)) {
      places.push_back(*place);
    } else if (const auto only = with_scales(filters, scales)) {
      places.push_back(*only);
    }
    return places;
  }

  /// The only place with these biases and scales, which must be different for each channel.
  [[nodiscard]] std::optional<Place> with_scales(const Filters& filters,
                                                 const std::vector<npu::ChannelScale>& scales) const {
    std::set<std::int64_t> biases;
    for (const auto& own : scales) biases.insert(own.bias);
    if (scales.size() != filters.channels || biases.size() * 2 < scales.size() || biases.size() < 2)
      return std::nullopt;
    std::optional<Place> only;
    for (const auto& op : graph_) {
      if (op.filters.empty() || op.biases.empty() || op.scales.empty()) continue;
      for (Place place{&op}; covers(place, filters.channels, filters.length); ++place.first_channel) {
        std::size_t c = 0;
        while (c < scales.size() && scales[c].bias == op.biases[place.channel(c)] &&
               near_factor({scales[c].scale, scales[c].shift}, op.scales[place.channel(c)]))
          ++c;
        if (c < scales.size()) continue;
        if (only) return std::nullopt;
        only = place;
      }
    }
    return only;
  }

  [[nodiscard]] std::optional<Place> nearest(const Filters& filters) const {
    std::optional<Place> best;
    std::size_t most = 0, second = 0;
    for (const auto& op : graph_) {
      if (op.filters.empty() || op.filters.front().size() != filters.length) continue;
      for (Place place{&op}; covers(place, filters.channels, filters.length); place.first_channel += kChannelStep) {
        const auto same = equal_weights(filters, place);
        if (same > most) {
          second = most;
          most = same;
          best = place;
        } else {
          second = std::max(second, same);
        }
      }
    }
    // Filters of other operators agree in zeros and small values.
    if (most * 2 < filters.weights.size() || most < second + filters.weights.size() / 8) return std::nullopt;
    return best;
  }

  [[nodiscard]] static std::size_t equal_weights(const Filters& filters, const Place& place) {
    std::size_t same = 0;
    for (std::size_t c = 0; c < filters.channels; ++c) {
      const auto own = filters.of(c);
      const auto& expected = place.constants->filters[place.channel(c)];
      for (std::size_t i = 0; i < own.size(); ++i) same += own[i] == expected[i];
    }
    return same;
  }

  void compare_filters(std::size_t record, const Filters& filters, const std::vector<Place>& places) {
    // Among operators with the same filters, the next one without a matching command is chosen.
    const auto unused =
        std::ranges::find_if(places, [&](const Place& p) { return !found_weights_.contains(p.constants->op); });
    const auto& place = unused != places.end() ? *unused : places.front();
    const auto& op = *place.constants;
    auto& operators = check_.operators_of[record];
    operators.push_back(op.op);
    for (const auto& p : places)
      if (p.constants->op != op.op) operators.push_back(p.constants->op);
    found_weights_.insert(op.op);
    std::vector<std::int16_t> differs(filters.weights.size(), 0);
    std::set<std::size_t> channels;
    std::size_t different = 0;
    for (std::size_t i = 0; i < differs.size(); ++i)
      if (filters.weights[i] != op.filters[place.channel(i / filters.length)][i % filters.length]) {
        differs[i] = 1;
        ++different;
        channels.insert(i / filters.length);
      }
    if (different > 0) {
      const auto at = first_in_stream(record, differs);
      const auto channel = at / filters.length, tap = at % filters.length;
      const auto depth = static_cast<std::size_t>(op.window[2]), width = static_cast<std::size_t>(op.window[1]);
      auto difference = of(What::kWeight, record, op.op);
      difference.channel = static_cast<int>(place.channel(channel));
      difference.tap = {static_cast<int>(tap / depth / width), static_cast<int>(tap / depth % width),
                        static_cast<int>(tap % depth)};
      difference.expected = op.filters[place.channel(channel)][tap];
      difference.actual = filters.weights[at];
      difference.different = different;
      difference.channels = channels.size();
      check_.differences.push_back(difference);
    }
    compare_scales(record, place);
  }

  /// A broken stream spoils all that follows, so the first in the order of the stream is where it broke.
  [[nodiscard]] std::size_t first_in_stream(std::size_t record, const std::vector<std::int16_t>& differs) const {
    const auto by_index = static_cast<std::size_t>(std::ranges::find(differs, std::int16_t{1}) - differs.begin());
    const auto geometry = npu::weight_geometry(records_[record].operation, accelerator_);
    if (!geometry || static_cast<std::int64_t>(differs.size()) != geometry->weights()) return by_index;
    std::size_t best = by_index, earliest = SIZE_MAX;
    for (int stream = 0; stream < geometry->streams; ++stream) {
      const auto marks = npu::order_weights(*geometry, stream, differs);
      if (!marks) return by_index;
      const auto mark = std::ranges::find(*marks, std::int16_t{1});
      const auto at = static_cast<std::size_t>(mark - marks->begin());
      if (mark == marks->end() || at >= earliest) continue;
      std::vector<std::int16_t> symbols(marks->size(), 0), placed(differs.size(), 0);
      symbols[at] = 1;
      npu::place_weights(*geometry, stream, symbols, placed);
      earliest = at;
      best = static_cast<std::size_t>(std::ranges::find(placed, std::int16_t{1}) - placed.begin());
    }
    return std::min(best, differs.size() - 1);
  }

  /// Biases and scales that most channels hold as the graph does; where they do not, they are kept in another form.
  void compare_scales(std::size_t record, const Place& place) {
    const auto& op = *place.constants;
    const auto& own = records_[record].constants.scales;
    if (own.empty() || place.channel(own.size() - 1) >= op.filters.size()) return;
    const auto compare = [&](What what, bool known, std::set<std::size_t>& found, const auto& same) {
      if (!known) return false;
      std::vector<std::size_t> others;
      for (std::size_t c = 0; c < own.size(); ++c)
        if (!same(c)) others.push_back(c);
      if (others.size() * 2 > own.size() || others.size() == own.size()) return false;
      found.insert(op.op);
      if (others.empty()) return true;
      const auto c = others.front();
      auto difference = of(what, record, op.op);
      const auto channel = place.channel(c);
      difference.channel = static_cast<int>(channel);
      if (what == What::kBias) {
        difference.expected = op.biases[channel];
        difference.actual = own[c].bias;
      } else {
        difference.expected = op.scales[channel].multiplier;
        difference.expected_shift = op.scales[channel].shift;
        difference.actual = own[c].scale;
        difference.actual_shift = own[c].shift;
      }
      difference.different = difference.channels = others.size();
      check_.differences.push_back(difference);
      return true;
    };
    compare(What::kBias, !op.biases.empty(), found_biases_,
            [&](std::size_t c) { return own[c].bias == op.biases[place.channel(c)]; });
    const bool is_narrow = records_[record].operation.acc_format == npu::AccFormat::kI32;
    // A compiler may have rounded the factors to fewer bits.
    for (const auto same : {same_factor, near_factor})
      if (compare(What::kScale, !op.scales.empty(), found_scales_, [&](std::size_t c) {
            const ScaleFactor factor{own[c].scale, own[c].shift};
            const auto& expected = op.scales[place.channel(c)];
            return same(factor, expected) || (is_narrow && vanishes(factor) && vanishes(expected));
          }))
        return;
  }

  void compare_table(std::size_t record) {
    const auto& own = records_[record].constants.table;
    const OperatorConstants* best = nullptr;
    std::size_t most = 0;
    for (const auto& op : graph_) {
      if (op.table.empty() || op.table.size() != own.size()) continue;
      std::size_t same = 0;
      for (std::size_t i = 0; i < own.size(); ++i) same += own[i] == op.table[i];
      if (same > most) {
        most = same;
        best = &op;
      }
    }
    if (best == nullptr || most * 4 < own.size() * 3) return;
    found_tables_.insert(best->op);
    if (most == own.size()) return;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(own, best->table).in1 - own.begin());
    auto difference = of(What::kTable, record, best->op);
    difference.channel = static_cast<int>(at);
    difference.expected = std::to_integer<std::int8_t>(best->table[at]);
    difference.actual = std::to_integer<std::int8_t>(own[at]);
    difference.different = own.size() - most;
    check_.differences.push_back(difference);
  }

  /// Whether there is no other way to compute what the operator does: the NPU has limits and absolute values.
  [[nodiscard]] bool needs_table(std::size_t op) const {
    const auto& kind = reference_.operators[op].kind;
    return !kind.starts_with("RELU") && kind != "ABS" && kind != "NEG" && kind != "DIV" && kind != "LEAKY_RELU";
  }

  void count() {
    for (const auto& op : graph_) {
      const auto add = [&](ConstantCoverage& coverage, bool has, const std::set<std::size_t>& found) {
        coverage.operators += has;
        coverage.compared += has && found.contains(op.op);
        return has && !found.contains(op.op);
      };
      const bool missing = add(check_.weights, !op.filters.empty(), found_weights_);
      const bool has_table = !op.table.empty() && (found_tables_.contains(op.op) || needs_table(op.op));
      const bool no_table = add(check_.tables, has_table, found_tables_);
      if (missing || no_table) check_.not_found.push_back(reference_.operators[op.op].text);
      add(check_.biases, !op.biases.empty(), found_biases_);
      add(check_.scales, !op.scales.empty(), found_scales_);
    }
  }

  static constexpr std::ptrdiff_t kChannelStep = 4;
  static constexpr std::ptrdiff_t kMostAlike = 64;  ///< a filter that more channels share identifies none

  const Reference& reference_;
  const std::vector<Record>& records_;
  const npu::Accelerator& accelerator_;
  const std::vector<OperatorConstants> graph_;
  std::unordered_multimap<std::string_view, Place> channels_;
  std::set<std::size_t> found_weights_, found_biases_, found_scales_, found_tables_;
  ConstantCheck check_;
};

std::string place_text(const ConstantDifference& d) {
  switch (d.what) {
    case What::kWeight:
      return fmt::format("channel {}, tap [{}, {}], input channel {}: weight {} in the graph, {} in the stream",
                         d.channel, d.tap[0], d.tap[1], d.tap[2], d.expected, d.actual);
    case What::kBias:
      return fmt::format("channel {}: bias {} in the graph, {} in the stream", d.channel, d.expected, d.actual);
    case What::kScale:
      return fmt::format("channel {}: scale {} >> {} in the graph, {} >> {} in the stream", d.channel, d.expected,
                         d.expected_shift, d.actual, d.actual_shift);
    case What::kTable:
      return fmt::format("byte {} of the table: {} in the graph, {} in the stream", d.channel, d.expected, d.actual);
  }
  return "";
}

}  // namespace

std::string to_text(const ConstantDifference& difference, const Reference& reference) {
  auto text = fmt::format("{}: {}", reference.operators[difference.op].text, place_text(difference));
  if (difference.different > 1 && difference.what == What::kTable)
    text += fmt::format("; {} bytes differ", difference.different);
  else if (difference.different > 1)
    text += fmt::format("; {} differ, in {} channels", difference.different, difference.channels);
  return text;
}

ConstantCheck check_constants(const Reference& reference, const std::vector<Record>& records,
                              const npu::Accelerator& accelerator) {
  return Checker(reference, records, accelerator).run();
}

}  // namespace macaw::compare
