#include "workflow/compare/trace/trace.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <macaw/npu/run.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/byte_runs.hpp"
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/output_rows.hpp"
#include "sim/isa/disasm.hpp"
#include "workflow/compare/trace/control_path.hpp"
#include "workflow/compare/trace/last_writers.hpp"

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

/// An operation that cannot be decoded is omitted: it faults.
RecordConstants constants_of(const npu::BlockOperation& op, const npu::Accelerator& accelerator,
                             const npu::MemoryMap& memory) {
  RecordConstants constants;
  if (op.has_weights() && !op.weights_from_ifm2)
    if (const auto weights = npu::load_weights(op, accelerator, memory))
      constants.weights.assign(weights->begin(), weights->end());
  if (op.has_scales())
    if (auto scales = npu::load_scales(op, memory)) constants.scales = std::move(*scales);
  if (const auto range = npu::activation_table(op, accelerator); range && range->last <= memory.internal.size()) {
    const auto table = std::as_bytes(memory.internal.subspan(range->first, range->last - range->first));
    constants.table.assign(table.begin(), table.end());
  }
  return constants;
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
      : artifact_(artifact), accelerator_(accelerator), constants_(constants), values_(values), path_(artifact) {
    for (std::size_t i = 0; i < artifact.inputs.size(); ++i) writers_.set(span_of(artifact.inputs[i]), kInput + i);
  }

  /// The operation may write over what it reads.
  void look_ahead(const npu::OperationEvent& event) {
    enter(event);
    const auto& op = *std::get<const npu::BlockOperation*>(event.operation);
    if (constants_) read_ = constants_of(op, accelerator_, *event.memory);
    if (!values_) return;
    emit_intermediate_values(op, accelerator_, *event.memory,
                             [&](const IntermediateValues& values) { values_(records_.size(), values); });
  }

  void observe(const npu::OperationEvent& event) {
    const Span written{event.written.memory, event.written.offset,
                       event.written.offset + std::max<std::uint64_t>(event.written.length, 1) - 1};
    enter(event);
    if (const auto* dma = std::get_if<const npu::DmaOperation*>(&event.operation)) copy(event, **dma, written);
    else block(event, *std::get<const npu::BlockOperation*>(event.operation), written);
    ++running_->second;
  }

  /// An operator of the CPU has run, and its results are about to be written.
  void observe(HostCall call) {
    follow(call.step);
    running_.reset();
    const auto& op = std::get<npu::HostOperator>(artifact_.steps[call.step]);
    for (const auto& input : op.inputs) {
      auto& writers = call.writers.emplace_back();
      if (input.memory < 0) continue;
      for (const auto owner : owners_of(writers_.parts(span_of(input))))
        if (owner < kInput) writers.push_back(owner);
    }
    for (const auto& output : op.outputs) writers_.set(span_of(output), kHost + host_outputs_++);
    host_calls_.push_back(std::move(call));
  }

  [[nodiscard]] std::vector<HostCall> take_host_calls() { return std::move(host_calls_); }

  [[nodiscard]] std::vector<Record> take() {
    for (const auto* tensors : {&artifact_.outputs, &artifact_.variables})
      for (const auto& tensor : *tensors) unread_.clear(span_of(tensor));
    for (const auto& part : unread_.all()) add_bytes(part, &Record::unread);
    if (std::ranges::any_of(artifact_.steps,
                            [](const auto& step) { return !std::holds_alternative<npu::CommandStream>(step); }))
      for (auto& record : records_) record.unread = record.overwritten = 0;
    return std::move(records_);
  }

 private:
  // Writers are numbered: records, network inputs, what the CPU wrote, and copies of what several wrote.
  static constexpr std::size_t kInput = std::size_t{1} << 29, kHost = std::size_t{1} << 30,
                               kCopy = std::size_t{1} << 31;

  /// Copies that were made since the operation before: of control steps, and of operands of a stream that starts.
  void enter(const npu::OperationEvent& event) {
    if (event.memory != nullptr) memory_ = event.memory;
    const bool again = running_ && event.command_index < running_->second && npu::has_control_flow(artifact_);
    const bool starts = !running_ || running_->first != event.step || again;
    running_ = {event.step, event.command_index};
    if (!starts) return;
    follow(event.step);
    for (const auto& operand : std::get<npu::CommandStream>(artifact_.steps[event.step]).copies) copy_bytes(operand);
  }

  void follow(std::size_t step) {
    for (const auto* control : path_.advance_to(step, [&](const auto& place) { return is_set(place); }))
      for (const auto& operand : control->copies) copy_bytes(operand);
  }

  /// Whether the byte at a place of a memory is other than 0, where a region of the stream that ran last shows it.
  [[nodiscard]] std::optional<bool> is_set(const npu::RegionBinding& place) const {
    if (memory_ == nullptr || !running_) return std::nullopt;
    const auto& regions = std::get<npu::CommandStream>(artifact_.steps[running_->first]).regions;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const auto bytes = memory_->regions[r].bytes;
      if (regions[r].memory != place.memory || place.offset < regions[r].offset) continue;
      if (const auto at = place.offset - regions[r].offset; at < bytes.size()) return bytes[at] != 0;
    }
    return std::nullopt;
  }

  void copy_bytes(const npu::OperandCopy& operand) {
    if (operand.from.memory < 0 || operand.to.memory < 0 || operand.to.size == 0) return;
    const auto span = [](const npu::RegionBinding& b) { return Span{b.memory, b.offset, b.offset + b.size - 1}; };
    unread_.clear(span(operand.from));
    unread_.clear(span(operand.to));
    move_owners(span(operand.from), span(operand.to));
  }

  /// The bytes of `to` get the writers of those of `from`.
  void move_owners(const Span& from, const Span& to) {
    const auto parts = writers_.parts(from);
    writers_.clear(to);
    for (const auto& [part, owner] : parts)
      writers_.set({to.memory, to.first + (part.first - from.first), to.first + (part.last - from.first)}, owner);
  }

  [[nodiscard]] Span in_memory(std::size_t step, int region, std::uint64_t first, std::uint64_t last) const {
    const auto& binding =
        std::get<npu::CommandStream>(artifact_.steps[step]).regions.at(static_cast<std::size_t>(region));
    return {binding.memory, binding.offset + first, binding.offset + last};
  }

  /// The bytes that a map of the operation reads, and their writers.
  Span take_map(Record& record, const npu::OperationEvent& event, const npu::FeatureMap& map) {
    if (map.storage == npu::Storage::kNone) return {};
    if (map.storage == npu::Storage::kChained) {
      const auto found = chained_.find(map.region);
      if (found != chained_.end()) record.producers.push_back(found->second);
      return {};
    }
    const auto range = npu::byte_range(map, "IFM");
    const auto runs = npu::byte_runs(map, "IFM");
    if (!range || !runs || range->last <= range->first) return {};
    const auto all = in_memory(event.step, map.region, range->first, range->last - 1);
    for (const auto& run : *runs) {
      const auto span = in_memory(event.step, map.region, run.first, run.last - 1);
      for (const auto writer : owners_of(writers_.parts(span))) add_producer(record, writer);
      unread_.clear(span);
    }
    // Bytes between the rows and pixels of a map belong to other tensors or are skipped on purpose.
    if (map.layout == npu::Layout::kNHWC) {
      unread_.clear(all);
      skip_rest_of_element(map, all);
    }
    return all;
  }

  /// Where a map takes the low bytes of larger elements, the rest of the last one is skipped as well.
  void skip_rest_of_element(const npu::FeatureMap& map, const Span& all) {
    for (const auto& part : writers_.parts({all.memory, all.last, all.last})) {
      if (part.owner >= records_.size()) continue;
      const auto& writer = records_[part.owner];
      if (writer.bytes <= map.bytes() || !keeps_elements_apart(npu::stored_ofm(writer.operation))) continue;
      const auto size = static_cast<std::uint64_t>(writer.bytes);
      unread_.clear({all.memory, all.last, all.last + size - 1 - (all.last - writer.written.first) % size});
    }
  }

  static bool keeps_elements_apart(const npu::FeatureMap& map) {
    const auto row = std::int64_t{map.c} * map.bytes();
    return map.layout == npu::Layout::kNHWC && (map.w == 1 || std::abs(map.stride_x) >= row) &&
           (map.h == 1 || std::abs(map.stride_y) >= row);
  }

  static void add_producer(Record& record, std::size_t writer) {
    if (writer >= kHost) record.host_outputs.push_back(writer - kHost);
    else if (writer >= kInput) record.inputs.push_back(writer - kInput);
    else record.producers.push_back(writer);
  }

  /// The writers without copies: whose bytes those are.
  [[nodiscard]] std::set<std::size_t> owners_of(const std::vector<LastWriters::Part>& parts) const {
    std::set<std::size_t> owners;
    for (const auto& part : parts)
      if (part.owner < kCopy) owners.insert(part.owner);
      else owners.insert(copies_[part.owner - kCopy].begin(), copies_[part.owner - kCopy].end());
    return owners;
  }

  void add_bytes(const LastWriters::Part& part, std::uint64_t Record::*count) {
    if (part.owner < records_.size()) records_[part.owner].*count += part.span.last - part.span.first + 1;
  }

  void copy(const npu::OperationEvent& event, const npu::DmaOperation& dma, const Span& written) {
    if (dma.src_internal) return;
    const auto length = std::max<std::uint64_t>(dma.len, 1);
    const auto source = in_memory(event.step, dma.src_region, dma.src, dma.src + length - 1);
    const bool is_plain = dma.dimensions == 1 && !dma.src_indexed && !dma.dst_indexed;
    unread_.clear(is_plain ? source : Span{source.memory, 0, UINT64_MAX});
    if (written.memory < 0) return;
    unread_.clear(written);
    if (!is_plain) {  // rows with gaps between them, in which what was there stays
      auto parts = writers_.parts(source);
      for (const auto& part : writers_.parts(written)) parts.push_back(part);
      writers_.set(written, kCopy + copies_.size());
      copies_.push_back(owners_of(parts));
      return;
    }
    move_owners(source, written);
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
    if (npu::reads_ifm(op)) record.read[0] = take_map(record, event, op.ifm);
    if (npu::reads_ifm2(op)) record.read[1] = take_map(record, event, op.ifm2);
    record.written = written;
    record.contents = written_elements(event);
    if (written.memory >= 0) write(event, map);
    else if (map.storage == npu::Storage::kChained) chained_[map.region] = records_.size();
    for (auto* list : {&record.producers, &record.inputs, &record.host_outputs}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    records_.push_back(std::move(record));
  }

  void write(const npu::OperationEvent& event, const npu::FeatureMap& map) {
    const auto runs = npu::byte_runs(map, "OFM");
    if (!runs) return;
    for (const auto& run : *runs) {
      const auto span = in_memory(event.step, map.region, run.first, run.last - 1);
      writers_.set(span, records_.size());
      for (const auto& part : unread_.parts(span)) add_bytes(part, &Record::overwritten);
      unread_.set(span, records_.size());
    }
  }

  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  bool constants_;
  const RecordValueSink& values_;
  ControlPath path_;
  const npu::MemoryMap* memory_ = nullptr;                        ///< as an operation saw it last
  std::optional<std::pair<std::size_t, std::uint32_t>> running_;  ///< stream, and least command that goes on in it
  RecordConstants read_;                                          ///< by the operation that is executed next
  LastWriters writers_;
  std::vector<std::set<std::size_t>> copies_;
  LastWriters unread_;  ///< records whose bytes were not read yet
  std::map<int, std::size_t> chained_;
  std::vector<HostCall> host_calls_;
  std::size_t host_outputs_ = 0;
  std::vector<Record> records_;
};

}  // namespace

Span span_of(const npu::TensorBinding& tensor) {
  std::uint64_t size = tensor.element_size;
  for (const auto extent : tensor.shape) size *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
  return {tensor.memory, tensor.offset, tensor.offset + std::max<std::uint64_t>(size, 1) - 1};
}

std::vector<std::byte> written_elements(const npu::OperationEvent& event) {
  const auto map = npu::stored_ofm(*std::get<const npu::BlockOperation*>(event.operation));
  if (event.written.memory >= 0) return elements(map, event.bytes);
  if (map.storage == npu::Storage::kChained) return dense_bytes(map, *event.memory);
  return {};
}

Result<Trace> trace_program(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                            const std::vector<npu::NamedTensor>& inputs, bool constants,
                            const RecordValueSink& values) {
  Tracer tracer(artifact, accelerator, constants, values);
  const RecordingHost host(artifact, tflite::host_operators(), [&](HostCall call) { tracer.observe(std::move(call)); });
  npu::FunctionalOptions options;
  options.host = &host;
  options.before = [&](const npu::OperationEvent& event) { tracer.look_ahead(event); };
  options.observer = [&](const npu::OperationEvent& event) { tracer.observe(event); };
  MACAW_ASSIGN(auto result, npu::execute({.artifact = artifact,
                                          .accelerator = accelerator,
                                          .inputs = inputs,
                                          .mode = npu::RunMode::kFunctional,
                                          .options = {.functional = std::move(options)}}));
  return Trace{tracer.take(), std::move(result.values.outputs), tracer.take_host_calls()};
}

}  // namespace macaw::compare
