#include "workflow/compare/program_trace.hpp"

#include <algorithm>
#include <macaw/tflite/host_operators.hpp>
#include <map>
#include <utility>

#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/output_rows.hpp"
#include "sim/isa/disasm.hpp"
#include "workflow/compare/unread_bytes.hpp"

namespace macaw::compare {
namespace {

/// The elements of an OFM from the bytes of its range.
std::vector<std::byte> elements(npu::FeatureMap map, std::span<const std::uint8_t> bytes) {
  const auto range = npu::byte_range(map, "OFM");
  if (!range) return {};
  // Tiles that the map does not reach keep bases of their own, which may lie before the range.
  for (auto& base : map.base) base -= range->first;
  map.zero_point = 0;
  std::vector<std::uint8_t> region(bytes.begin(), bytes.end());
  const auto view = npu::FeatureMapView::create(map, region, "OFM");
  if (!view) return {};
  const auto size = static_cast<std::size_t>(map.bytes());
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(map.h) * static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c) *
              size);
  std::vector<std::int64_t> row(static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c));
  for (int y = 0; y < map.h; ++y) {
    view->read_row(y, row.data(), map.c);
    for (const auto value : row)
      for (std::size_t i = 0; i < size; ++i)
        out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
  return out;
}

/// What cannot be decoded is left out: the operation faults.
RecordConstants constants_of(const npu::BlockOperation& op, const npu::Accelerator& accelerator,
                             const npu::MemoryMap& memory) {
  RecordConstants constants;
  if (op.has_weights() && !op.weights_from_ifm2)
    if (auto weights = npu::load_weights(op, accelerator, memory)) constants.weights = std::move(*weights);
  if (op.has_scales())
    if (auto scales = npu::load_scales(op, memory)) constants.scales = std::move(*scales);
  if (const auto range = npu::activation_table(op, accelerator); range && range->last <= memory.internal.size()) {
    const auto table = std::as_bytes(memory.internal.subspan(range->first, range->last - range->first));
    constants.table.assign(table.begin(), table.end());
  }
  return constants;
}

/// What of `written` a map fills: rows, if there are gaps between them; nothing is said of bricks that it leaves partly
/// empty.
std::vector<Span> rows_of(const npu::FeatureMap& map, const Span& written) {
  constexpr int kBrick = 16;
  if (map.layout == npu::Layout::kNHCWB16 && map.c % kBrick != 0) return {};
  const auto row = (map.w - 1) * map.stride_x + std::int64_t{map.c} * map.bytes();
  const bool one_tile = map.h <= map.height0 && map.w <= map.width0;
  if (map.layout != npu::Layout::kNHWC || !one_tile || map.stride_x < 0 || map.stride_y <= row) return {written};
  std::vector<Span> rows;
  for (int y = 0; y < map.h; ++y) {
    const auto first = written.first + static_cast<std::uint64_t>(y * map.stride_y);
    rows.push_back({written.memory, first, first + static_cast<std::uint64_t>(row) - 1});
  }
  return rows;
}

/// A map that stays in the NPU.
std::vector<std::byte> dense_bytes(const npu::FeatureMap& map, const npu::MemoryMap& memory) {
  const auto bytes = std::as_bytes(std::span(memory.core->chain.at(static_cast<std::size_t>(map.region)).bytes));
  return {bytes.begin(), bytes.end()};
}

class Tracer {
 public:
  Tracer(const npu::Artifact& artifact, const npu::Accelerator& accelerator, bool constants,
         const RecordValueSink& values)
      : artifact_(artifact), accelerator_(accelerator), constants_(constants), values_(values) {
    for (const auto& input : artifact.inputs) inputs_.push_back(span_of(input));
  }

  /// The operation may write over what it reads.
  void look_ahead(const npu::OperationEvent& event) {
    const auto& op = *std::get<const npu::BlockOperation*>(event.operation);
    if (constants_) read_ = constants_of(op, accelerator_, *event.memory);
    if (!values_) return;
    show_values(op, accelerator_, *event.memory,
                [&](const PassingValues& values) { values_(records_.size(), values); });
  }

  void observe(const npu::OperationEvent& event) {
    const Span written{event.written.memory, event.written.offset,
                       event.written.offset + std::max<std::uint64_t>(event.written.length, 1) - 1};
    if (const auto* dma = std::get_if<const npu::DmaOperation*>(&event.operation)) copy(event, **dma, written);
    else block(event, *std::get<const npu::BlockOperation*>(event.operation), written);
  }

  [[nodiscard]] std::vector<Record> take() {
    for (const auto* tensors : {&artifact_.outputs, &artifact_.variables})
      for (const auto& tensor : *tensors) unread_.read(span_of(tensor));
    const auto left = unread_.left(records_.size());
    const bool cpu = std::ranges::any_of(
        artifact_.steps, [](const auto& step) { return std::holds_alternative<npu::HostOperator>(step); });
    for (std::size_t i = 0; i < records_.size() && !cpu; ++i) records_[i].unread = left[i];
    return std::move(records_);
  }

 private:
  static constexpr std::size_t kNoRecord = SIZE_MAX;

  /// Who last wrote bytes of memory: a record, or a network input.
  struct Writer {
    Span span;
    std::vector<std::size_t> records, inputs;
  };

  [[nodiscard]] Span in_memory(std::size_t step, int region, std::uint64_t first, std::uint64_t last) const {
    const auto& binding =
        std::get<npu::CommandStream>(artifact_.steps[step]).regions.at(static_cast<std::size_t>(region));
    return {binding.memory, binding.offset + first, binding.offset + last};
  }

  void add_map(Record& record, const npu::OperationEvent& event, const npu::FeatureMap& map) const {
    if (map.storage == npu::Storage::kNone) return;
    if (map.storage == npu::Storage::kChained) {
      const auto found = chained_.find(map.region);
      if (found != chained_.end()) record.producers.push_back(found->second);
      return;
    }
    if (const auto range = npu::byte_range(map, "IFM"); range && range->last > range->first)
      record.read.push_back(in_memory(event.step, map.region, range->first, range->last - 1));
  }

  /// Newest writers first; one that covers the rest of the span ends the search.
  void find_producers(const Span& span, std::vector<std::size_t>& records, std::vector<std::size_t>& inputs) const {
    for (auto writer = writers_.rbegin(); writer != writers_.rend(); ++writer) {
      if (!writer->span.overlaps(span)) continue;
      records.insert(records.end(), writer->records.begin(), writer->records.end());
      inputs.insert(inputs.end(), writer->inputs.begin(), writer->inputs.end());
      if (writer->span.first <= span.first && span.last <= writer->span.last) return;
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].overlaps(span)) inputs.push_back(i);
  }

  void copy(const npu::OperationEvent& event, const npu::DmaOperation& dma, const Span& written) {
    if (written.memory < 0 || dma.src_internal) return;
    Writer writer{written, {}, {}};
    const auto length = std::max<std::uint64_t>(dma.len, 1);
    const auto source = in_memory(event.step, dma.src_region, dma.src, dma.src + length - 1);
    find_producers(source, writer.records, writer.inputs);
    unread_.read(source);
    unread_.write(written, kNoRecord);
    writers_.push_back(std::move(writer));
  }

  void block(const npu::OperationEvent& event, const npu::BlockOperation& op, const Span& written) {
    Record record;
    record.step = event.step;
    record.command = event.command_index;
    record.offset = event.byte_offset;
    record.name = npu::command_name(op);
    record.operation = op;
    record.constants = std::exchange(read_, {});
    const auto map = npu::stored_ofm(op);
    record.h = map.h;
    record.w = map.w;
    record.c = map.c;
    record.bytes = map.bytes();
    add_map(record, event, op.ifm);
    if (op.has_ifm2()) add_map(record, event, op.ifm2);
    for (const auto& span : record.read) {
      find_producers(span, record.producers, record.inputs);
      unread_.read(span);
    }
    unread_.read(written);
    for (const auto& row : rows_of(map, written)) unread_.write(row, records_.size());
    record.written = written;
    if (written.memory >= 0) {
      record.contents = elements(map, event.bytes);
      writers_.push_back({written, {records_.size()}, {}});
    } else if (map.storage == npu::Storage::kChained) {
      record.contents = dense_bytes(map, *event.memory);
      chained_[map.region] = records_.size();
    }
    for (auto* list : {&record.producers, &record.inputs}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    records_.push_back(std::move(record));
  }

  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  bool constants_;
  const RecordValueSink& values_;
  RecordConstants read_;  ///< by the operation that is executed next
  std::vector<Span> inputs_;
  std::vector<Writer> writers_;
  UnreadBytes unread_;
  std::map<int, std::size_t> chained_;
  std::vector<Record> records_;
};

}  // namespace

Span span_of(const npu::TensorBinding& tensor) {
  std::uint64_t size = tensor.element_size;
  for (const auto extent : tensor.shape) size *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
  return {tensor.memory, tensor.offset, tensor.offset + std::max<std::uint64_t>(size, 1) - 1};
}

Result<Trace> trace_program(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                            const std::vector<npu::NamedTensor>& inputs, bool constants,
                            const RecordValueSink& values) {
  Tracer tracer(artifact, accelerator, constants, values);
  npu::FunctionalOptions options;
  options.host = &tflite::host_operators();
  options.before = [&](const npu::OperationEvent& event) { tracer.look_ahead(event); };
  options.observer = [&](const npu::OperationEvent& event) { tracer.observe(event); };
  MACAW_ASSIGN(auto result, npu::run_functional(artifact, accelerator, inputs, options));
  return Trace{tracer.take(), std::move(result.outputs)};
}

}  // namespace macaw::compare
