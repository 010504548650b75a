#include "workflow/report/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace macaw::report {
namespace {

using npu::OperationTiming;
using npu::RunRecord;

/// A unit of an operation in words.
struct UnitWords {
  std::string_view unit, words;
};
constexpr UnitWords kUnits[] = {{"mac", "MAC array"},
                                {"weight_decoder", "weight decoder"},
                                {"output_unit", "output unit"},
                                {"ifm_read", "feature maps read on"},
                                {"weight_read", "weights read on"},
                                {"ofm_write", "feature maps written on"},
                                {"dependency", "operation before"},
                                {"command_processor", "command stream"},
                                {"dma", "DMA"}};

constexpr std::string_view kPortUnits[] = {"ifm_read", "weight_read", "ofm_write"};

/// The source operator; without one the operation, with its place so that names differ.
std::string name_of(const OperationTiming& o, bool one_stream) {
  if (!o.source.empty()) return o.source;
  if (one_stream) return fmt::format("{} (command {})", operation_label(o), o.command);
  return fmt::format("{} (stream {} command {})", operation_label(o), o.step, o.command);
}

std::string map_text(const std::array<int, 3>& map) { return fmt::format("{}x{}x{}", map[0], map[1], map[2]); }

/// "3x3", "3x3/2" with strides of 2, "3x3/2x1" with others, "3x3 dilated 2".
std::string kernel_text(const npu::OperationDetails& d) {
  auto text = fmt::format("{}x{}", d.kernel[0], d.kernel[1]);
  if (d.stride != std::array{1, 1})
    text +=
        d.stride[0] == d.stride[1] ? fmt::format("/{}", d.stride[0]) : fmt::format("/{}x{}", d.stride[0], d.stride[1]);
  if (d.dilation != std::array{1, 1}) text += fmt::format(" dilated {}", std::max(d.dilation[0], d.dilation[1]));
  return text;
}

/// Sums over the operations of a layer what their registers and streams say.
void add_details(Layer& layer, const RunRecord& run) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, const npu::WeightFigures*> streams;
  const auto rank = [&](std::size_t i) {
    return std::pair(!run.operations[i].is_dma(), run.operations[i].exclusive.cycles());
  };
  layer.main_operation = layer.operations.front();
  for (const auto i : layer.operations) {
    if (rank(i) > rank(layer.main_operation)) layer.main_operation = i;
    const auto& o = run.operations[i];
    for (const auto& [unit, cycles] : o.busy)
      if (unit == "weight_decoder") layer.decoder_cycles += cycles;
    if (!o.details) continue;
    layer.mac_cycles += o.details->mac_cycles;
    if (const auto& weights = o.details->weights) {
      streams[{weights->checksum, weights->encoded}] = &*weights;
      layer.decoded += weights->count;
    }
  }
  if (streams.empty()) return;
  auto& sum = layer.weights.emplace();
  for (const auto& [key, weights] : streams) {
    sum.encoded += weights->encoded;
    sum.count += weights->count;
    sum.zeros += weights->zeros;
  }
}

/// The layer of every operation, by the name of its source or else by itself.
std::vector<std::size_t> group(const RunRecord& run, std::vector<Layer>& layers) {
  std::vector<std::size_t> layer_of(run.operations.size());
  std::map<std::string, std::size_t> named;
  const bool one_stream = std::ranges::all_of(
      run.operations, [&](const OperationTiming& o) { return o.step == run.operations.front().step; });
  std::size_t first_waiting = 0;  // DMA jobs since then go with the next operation
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    const bool joins_next =
        o.is_dma() && o.source.empty() && i + 1 < run.operations.size() && run.operations[i + 1].step == o.step;
    if (joins_next) continue;
    std::size_t place = layers.size();
    if (!o.source.empty()) place = named.try_emplace(o.source, place).first->second;
    if (place == layers.size()) {
      auto& layer = layers.emplace_back();
      layer.name = name_of(o, one_stream);
      layer.kind = o.kind.empty() ? o.name : o.kind;
      layer.shape = o.shape;
      if (!layer.shape && o.details) layer.shape = o.details->ofm;
    }
    for (; first_waiting <= i; ++first_waiting) {
      layer_of[first_waiting] = place;
      layers[place].operations.push_back(first_waiting);
    }
  }
  return layer_of;
}

std::uint64_t in_progress(const RunRecord& run, const std::vector<std::size_t>& operations) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const auto i : operations) spans.emplace_back(run.operations[i].start, run.operations[i].end);
  std::ranges::sort(spans);
  std::uint64_t cycles = 0, until = 0;
  for (const auto& [start, end] : spans) {
    const auto from = std::max(start, until);
    if (end <= from) continue;
    cycles += end - from;
    until = end;
  }
  return cycles;
}

/// Most that a memory held from `start` to `end`.
std::uint64_t most_alive(const MemoryUse& use, std::uint64_t start, std::uint64_t end) {
  auto at = std::ranges::upper_bound(use.curve, start, {}, [](const auto& point) { return point.first; });
  std::uint64_t most = at == use.curve.begin() ? 0 : std::prev(at)->second;
  for (; at != use.curve.end() && at->first < end; ++at) most = std::max(most, at->second);
  return most;
}

using Cycles = std::map<Bound, std::uint64_t>;

void add_held(Cycles& cycles, const OperationTiming& o) {
  if (o.exclusive.working != 0) cycles[bound_of(o)] += o.exclusive.working;
  if (o.exclusive.waiting != 0) cycles[{"command_processor", {}}] += o.exclusive.waiting;
}

void fill(Layer& layer, const RunRecord& run, const std::array<MemoryUse, 2>& memory) {
  Cycles bounds;
  for (const auto i : layer.operations) {
    const auto& o = run.operations[i];
    layer.exclusive += o.exclusive.cycles();
    layer.macs += o.macs;
    add_held(bounds, o);
    for (const auto& m : o.memory)
      layer.bytes[static_cast<std::size_t>(run.region_side[static_cast<std::size_t>(m.region)])][m.purpose] += m.bytes;
    for (const std::size_t side : {0, 1})
      layer.alive[side] = std::max(layer.alive[side], most_alive(memory[side], o.start, o.end));
  }
  layer.inclusive = in_progress(run, layer.operations);
  add_details(layer, run);
  const auto most = std::ranges::max_element(bounds, {}, [](const auto& row) { return row.second; });
  layer.bound = most != bounds.end() ? most->first : bound_of(run.operations[layer.operations.back()]);
}

}  // namespace

std::string operation_label(const OperationTiming& o) {
  constexpr std::string_view kPrefix = "NPU_OP_";
  std::string text(o.name.starts_with(kPrefix) ? std::string_view(o.name).substr(kPrefix.size()) : o.name);
  if (!o.details) return text;
  const auto& d = *o.details;
  if (!d.mode.empty()) text += " " + d.mode;
  if (d.kernel != std::array{1, 1} || d.stride != std::array{1, 1} || d.mode.empty()) text += " " + kernel_text(d);
  text += ", " + map_text(d.ifm);
  if (d.ifm2 && d.ifm2 != d.ifm) text += " and " + map_text(*d.ifm2);
  if (d.ofm != d.ifm) text += " -> " + map_text(d.ofm);
  if (d.ifm_bits != 8 || d.ofm_bits != 8)
    text += d.ifm_bits == d.ofm_bits ? fmt::format(", {} bits", d.ifm_bits)
                                     : fmt::format(", {} -> {} bits", d.ifm_bits, d.ofm_bits);
  return text;
}

std::string Bound::to_string() const {
  const auto* found = std::ranges::find(kUnits, unit, &UnitWords::unit);
  const std::string words(found == std::end(kUnits) ? std::string_view(unit) : found->words);
  return port.empty() ? words : words + " " + port;
}

Bound bound_of(const OperationTiming& operation) {
  const auto most = std::ranges::max_element(operation.busy, {}, [](const auto& unit) { return unit.second; });
  if (most == operation.busy.end()) return {operation.bound, {}};
  const bool has_port = std::ranges::find(kPortUnits, most->first) != std::end(kPortUnits);
  return {most->first, has_port ? operation.bound : std::string()};
}

std::uint64_t Layer::moved(int side) const {
  std::uint64_t sum = 0;
  for (const auto& [purpose, count] : bytes[static_cast<std::size_t>(side)]) sum += count;
  return sum;
}

std::vector<std::size_t> Summary::longest() const {
  std::vector<std::size_t> order(layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return layers[i].exclusive; });
  return order;
}

Summary summarise(const RunRecord& run) {
  Summary summary;
  summary.lifetimes = lifetimes_of(run);
  for (const int side : {0, 1})
    summary.memory[static_cast<std::size_t>(side)] = memory_use(run, summary.lifetimes, side);
  summary.layer_of = group(run, summary.layers);
  summary.edges = edges_of(run, summary.layer_of);
  for (auto& layer : summary.layers) fill(layer, run, summary.memory);
  Cycles bounds;
  for (const auto& o : run.operations) add_held(bounds, o);
  if (run.operations.empty() && run.cycles != 0) bounds[{"command_processor", {}}] = run.cycles;
  summary.bounds.assign(bounds.begin(), bounds.end());
  std::ranges::stable_sort(summary.bounds, std::greater{}, [](const auto& row) { return row.second; });
  return summary;
}

}  // namespace macaw::report
