#include <algorithm>
#include <cstring>

#include <macaw/npu/element_type.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "base/tflite/options.hpp"
#include "sim/datapath/memory.hpp"
#include "sim/isa/parsed_stream.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

using npu::DmaOperation;

bool is_indexed(const DmaOperation& dma) { return dma.src_indexed || dma.dst_indexed; }

/// Whether a DMA job of the network takes indices.
bool has_indexed_jobs(const npu::Artifact& artifact) {
  const auto indexed = [](const npu::StreamOperation& operation) {
    const auto* dma = std::get_if<DmaOperation>(&operation.action);
    return dma != nullptr && is_indexed(*dma);
  };
  return std::ranges::any_of(artifact.steps, [&](const auto& step) {
    const auto* stream = std::get_if<npu::CommandStream>(&step);
    return stream != nullptr &&
           std::ranges::any_of(npu::ParsedStream(*artifact.accelerator, stream->words).operations(), indexed);
  });
}

/// The indices of the jobs of one run, in their order.
struct Job {
  std::vector<std::int32_t> indices;
  std::int64_t most = 0;
  bool writes = false;  ///< to rows by index
};

std::vector<std::int32_t> indices_of(const DmaOperation& dma, const npu::MemoryMap& memory) {
  const auto bytes = memory.regions[static_cast<std::size_t>(dma.idx_region)].bytes;
  std::vector<std::int32_t> indices(dma.size0);
  const auto size = indices.size() * sizeof(std::int32_t);
  if (dma.idx > bytes.size() || size > bytes.size() - dma.idx) return {};
  std::memcpy(indices.data(), bytes.data() + dma.idx, size);
  return indices;
}

/// The jobs of a run in which the elements of one input are ones and of all others zeros.
Result<std::vector<Job>> jobs_of(const npu::Artifact& artifact, std::optional<std::size_t> ones) {
  std::vector<npu::NamedTensor> inputs;
  for (std::size_t i = 0; i < artifact.inputs.size(); ++i) {
    const auto& input = artifact.inputs[i];
    auto tensor = Tensor::create(npu::element_type(input), input.shape);
    if (!tensor) return tl::unexpected<Error>(tensor.error());
    if (size_of(tensor->dtype()) != input.element_size)
      return fail(ErrorCode::kUnsupported, "an input without a type of its size");
    if (ones == i)
      for (std::size_t at = 0; at < tensor->bytes().size(); at += input.element_size)
        tensor->bytes()[at] = std::byte{1};
    inputs.push_back({"", *std::move(tensor)});
  }
  std::vector<Job> jobs;
  npu::FunctionalOptions options;
  options.host = &tflite::host_operators();
  options.observer = [&](const npu::OperationEvent& event) {
    const auto* const* dma = std::get_if<const DmaOperation*>(&event.operation);
    if (dma != nullptr && is_indexed(**dma))
      jobs.push_back({indices_of(**dma, *event.memory), (*dma)->idx_max, (*dma)->dst_indexed});
  };
  MACAW_CHECK(npu::run_functional(artifact, *artifact.accelerator, inputs, options));
  return jobs;
}

/// The range of an input whose ones change indices by one.
std::optional<IndexRange> range_of(const std::vector<Job>& zeros, const std::vector<Job>& ones) {
  std::optional<IndexRange> range;
  for (std::size_t j = 0; j < std::min(zeros.size(), ones.size()); ++j) {
    const auto &before = zeros[j].indices, &after = ones[j].indices;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (after[i] != before[i] + 1) continue;
      const IndexRange own{-std::int64_t{before[i]}, zeros[j].most - before[i], zeros[j].writes && before.size() > 1};
      if (!range) range = own;
      range->least = std::max(range->least, own.least);
      range->most = std::min(range->most, own.most);
      range->distinct |= own.distinct;
    }
  }
  return range;
}

void add_dma_ranges(const npu::Artifact& artifact, IndexRanges& ranges) {
  if (artifact.accelerator == nullptr || !has_indexed_jobs(artifact)) return;
  const auto zeros = jobs_of(artifact, std::nullopt);
  if (!zeros) return;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& input = artifact.inputs[i];
    if (input.memory < 0 || input.element_size < 2 || is_float(npu::element_type(input))) continue;
    const auto ones = jobs_of(artifact, i);
    if (ones) ranges[i] = range_of(*zeros, *ones);
    // An index of a one leads outside a table of one row.
    else if (ones.error().code == ErrorCode::kHardwareFault) ranges[i] = IndexRange{};
  }
}

/// Rows that an operator of the CPU picks from, and the operand that picks them.
struct Picked {
  std::size_t operand = 0;
  std::int64_t rows = 0;
};

std::optional<Picked> picked(const npu::HostOperator& host) {
  if (host.inputs.size() < 2) return std::nullopt;
  if (host.name == "EMBEDDING_LOOKUP" && !host.inputs[1].shape.empty()) return Picked{0, host.inputs[1].shape[0]};
  if (host.name != "GATHER" || !host.options) return std::nullopt;
  const auto* options = host.options->value.AsGatherOptions();
  const auto& shape = host.inputs[0].shape;
  const auto axis = options == nullptr ? 0 : options->axis < 0 ? options->axis + std::ssize(shape) : options->axis;
  if (axis < 0 || axis >= std::ssize(shape)) return std::nullopt;
  return Picked{1, shape[static_cast<std::size_t>(axis)]};
}

void add_host_ranges(const npu::Artifact& artifact, IndexRanges& ranges) {
  for (const auto& step : artifact.steps) {
    const auto* host = std::get_if<npu::HostOperator>(&step);
    const auto rows = host ? picked(*host) : std::nullopt;
    if (!rows || rows->rows <= 0) continue;
    const auto& operand = host->inputs[rows->operand];
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto& input = artifact.inputs[i];
      if (input.memory < 0 || input.memory != operand.memory || input.offset != operand.offset) continue;
      ranges[i] = IndexRange{0, ranges[i] ? std::min(ranges[i]->most, rows->rows - 1) : rows->rows - 1};
    }
  }
}

}  // namespace

IndexRanges index_ranges(const npu::Artifact& artifact) {
  IndexRanges ranges(artifact.inputs.size());
  add_dma_ranges(artifact, ranges);
  add_host_ranges(artifact, ranges);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& input = artifact.inputs[i];
    auto& range = ranges[i];
    const auto limits = integer_limits(npu::element_type(input), !input.dtype);
    if (range && limits) {
      range->least = std::max(range->least, limits->least);
      range->most = std::min(range->most, limits->most);
    }
    if (range && range->least > range->most) range.reset();
  }
  return ranges;
}

}  // namespace macaw::compare
