#include "workflow/report/bottlenecks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/readable_number.hpp"

namespace macaw::report {
namespace {

using npu::RunRecord;

int side_of(const RunRecord& run, const std::string& port) { return port == run.side_name(1) ? 1 : 0; }

std::uint64_t bytes_for(const Layer& layer, int side, std::initializer_list<const char*> purposes) {
  const auto& bytes = layer.bytes[static_cast<std::size_t>(side)];
  std::uint64_t sum = 0;
  for (const auto* purpose : purposes)
    if (const auto found = bytes.find(purpose); found != bytes.end()) sum += found->second;
  return sum;
}

std::string utilisation(const RunRecord& run, const Layer& layer) {
  return fmt::format("{:.1f} % of its peak",
                     percent(layer.macs, static_cast<double>(layer.inclusive) * run.accelerator->macs));
}

std::string limited_by_array(const RunRecord& run, const Layer& layer) {
  return layer.macs == 0 ? "is limited by the MAC array"
                         : "is limited by the MAC array, which runs at " + utilisation(run, layer);
}

/// Describes a layer whose bottleneck is this unit.
struct Sentence {
  std::string_view unit;
  std::string (*text)(const RunRecord& run, const Layer& layer);
};
constexpr Sentence kSentences[] = {
    {"weight_read",
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("waits for {} of weights on {}",
                          io::size_text(bytes_for(l, side_of(run, l.bound.port), {"weights", "scales"})), l.bound.port);
     }},
    {"ifm_read",
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("waits for {} of feature maps on {}",
                          io::size_text(bytes_for(l, side_of(run, l.bound.port), {"ifm", "ifm2"})), l.bound.port);
     }},
    {"ofm_write",
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("writes {} of feature maps on {}",
                          io::size_text(bytes_for(l, side_of(run, l.bound.port), {"ofm"})), l.bound.port);
     }},
    {"mac", [](const RunRecord& run, const Layer& l) { return limited_by_array(run, l); }},
    {"weight_decoder",
     [](const RunRecord& run, const Layer& l) {
       return "waits for its weights to be decoded; MAC array at " + utilisation(run, l);
     }},
    {"output_unit",
     [](const RunRecord& run, const Layer& l) {
       return "waits for the output unit" + (l.macs == 0 ? std::string() : "; MAC array at " + utilisation(run, l));
     }},
    {"dependency", [](const RunRecord&, const Layer&) { return std::string("waits for the operation before it"); }},
    {"command_processor",
     [](const RunRecord&, const Layer& l) {
       return fmt::format("waits for the command stream to issue its {} operations", l.operations.size());
     }},
    {"dma",
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("waits for DMA, which moves {} on {} and {} on {}", io::size_text(l.moved(0)),
                          run.side_name(0), io::size_text(l.moved(1)), run.side_name(1));
     }},
};

/// Channels that the MAC array computes at once at least.
int channel_granule(const npu::Accelerator& accelerator) {
  int granule = accelerator.ofm_ublock.c * accelerator.cores;
  for (const auto& block : accelerator.ofm_ublocks)
    if (block.c != 0) granule = std::min(granule, block.c * accelerator.cores);
  return granule;
}

}  // namespace

std::vector<std::string> bottlenecks(const RunRecord& run, const Summary& summary, std::size_t most) {
  std::vector<std::string> sentences;
  for (const auto i : summary.longest()) {
    const auto& layer = summary.layers[i];
    if (sentences.size() == most || layer.exclusive == 0) break;
    const auto* found = std::ranges::find(kSentences, layer.bound.unit, &Sentence::unit);
    const auto what =
        found == std::end(kSentences) ? "is bound by " + layer.bound.to_string() : found->text(run, layer);
    sentences.push_back(fmt::format("{} {}: {:.1f} % of total time", layer.name, what,
                                    percent(layer.exclusive, static_cast<double>(run.cycles))));
  }
  return sentences;
}

std::vector<std::string> padded_channels(const RunRecord& run, const Summary& summary) {
  const int granule = channel_granule(*run.accelerator);
  std::vector<std::string> sentences;
  for (const auto& layer : summary.layers) {
    if (!layer.shape || layer.macs == 0) continue;
    const int channels = (*layer.shape)[2];
    const int padded = (channels + granule - 1) / granule * granule;
    // One channel is not a choice of the network's author, and a small part of many is not a loss.
    if (channels <= 1 || 8 * (padded - channels) < padded) continue;
    sentences.push_back(
        fmt::format("{}: {} output channels are padded to {} ({:.0f} % of the MAC array's work on it is padding)",
                    layer.name, channels, padded, percent(padded - channels, padded)));
  }
  return sentences;
}

}  // namespace macaw::report
