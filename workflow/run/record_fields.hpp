#pragma once
#include <macaw/npu/run.hpp>

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

// The members of report.json, each once, for the writer and the reader of record_json.cpp:
//   io(NAME, member)               is in every report;
//   io.may(NAME, member)           is written always and may be missing from a file;
//   io.when(WRITTEN, NAME, member) is written where the condition holds;
//   io.some(NAME, member)          is written unless it is empty;
//   io.written(NAME, member)       is written and not read;
//   io.made({NAME, ...})           is added by the caller of the writer, from the other members;
//   io.on_off(NAME, member)        is "on" or "off" and may be missing;
//   io.cycles(NAME, ticks)         is a number of cycles; io.column(), io.cycle_column(): lists of one member of all
//   elements.
// A number after a member is the most that a file may say.
namespace macaw::run {

template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

inline constexpr std::uint64_t kMostRegion = 7, kMostChainBuffer = 7, kMostSide = 1, kMostExtent = 1 << 24,
                               kMostInstruction = INT32_MAX;

void describe(auto& io, Is<npu::Movement> auto& m) {
  io("purpose", m.purpose);
  io("region", m.region, kMostRegion);
  io("bytes", m.bytes);
  io("first", m.first);
  io("last", m.last);
  io("write", m.write);
}

void describe(auto& io, Is<npu::BlockTiming> auto& b) {
  io("start", b.start);
  io("end", b.end);
  io.check(b.start <= b.end, "end", "is before its start");
  io.may("busy", b.busy);
  io("bound", b.bound);
}

void describe(auto& io, Is<npu::OperationTiming::Scheduled> auto& s) {
  io("id", s.id);
  io("kind", s.kind);
  io("name", s.name);
}

void describe(auto& io, Is<npu::WeightFigures> auto& w) {
  io("encoded", w.encoded);
  io("count", w.count);
  io("zeros", w.zeros);
  io.check(w.zeros <= w.count, "zeros", "must be at most count");
  io("checksum", w.checksum);
}

void describe(auto& io, Is<npu::LaneShares> auto& l) {
  io("channels", l.channels);
  io("positions", l.positions);
  io("inputs", l.inputs);
  io("bits", l.bits);
  io("kernel", l.kernel);
  for (const auto& [name, share] : {std::pair("channels", l.channels), std::pair("positions", l.positions),
                                    std::pair("inputs", l.inputs), std::pair("bits", l.bits)})
    io.check(share > 0 && share <= 1, name, "must be a share above 0");
}

void describe(auto& io, Is<npu::OperationDetails> auto& d) {
  io.some("mode", d.mode);
  io("ifm", d.ifm, kMostExtent);
  io.some("ifm2", d.ifm2, kMostExtent);
  io("ofm", d.ofm, kMostExtent);
  io("ifm_bits", d.ifm_bits, kMostExtent);
  io("ofm_bits", d.ofm_bits, kMostExtent);
  io("kernel", d.kernel, kMostExtent);
  io("stride", d.stride, kMostExtent);
  io("dilation", d.dilation, kMostExtent);
  io.some("upscale", d.upscale);
  io("table", d.table);
  io("block", d.block, kMostExtent);
  io("ublock", d.ublock, kMostExtent);
  io("granule", d.granule, kMostExtent);
  io("mac_cycles", d.mac_cycles);
  io.some("lanes", d.lanes);
  io("output_cycles", d.output_cycles);
  io("output_rule", d.output_rule);
  io("output_lanes", d.output_lanes, kMostExtent);
  io.some("weights", d.weights);
}

void describe(auto& io, Is<npu::OperationTiming> auto& o) {
  io("step", o.step);
  io("command", o.command);
  io.may("offset", o.offset);
  io("name", o.name);
  io.some("source", o.source);
  io.some("kind", o.kind);
  io.some("shape", o.shape, kMostExtent);
  io.some("scheduled", o.scheduled);
  io("issued", o.issued);
  io("start", o.start);
  io("end", o.end);
  io.check(o.start <= o.end, "end", "is before its start");
  io("busy", o.busy);
  io("bound", o.bound);
  io.may("macs", o.macs);
  io.some("mac_bits", o.mac_bits);
  io.may("memory", o.memory);
  io.some("chain_reads", o.chain_reads, kMostChainBuffer);
  io.some("chain_write", o.chain_write, kMostChainBuffer);
  io.some("blocks", o.blocks);
  io.some("details", o.details);
  io.made({"exclusive", "cycles_interval"});
}

void describe(auto& io, Is<npu::UnitActivity> auto& a) {
  using Span = npu::ActivitySpan;
  io("step", a.step);
  io("unit", a.unit);
  io.cycles("resolution", a.resolution);
  io.column("command", a.spans, &Span::command);
  io.cycle_column("start", a.spans, &Span::start);
  io.cycle_column("end", a.spans, &Span::end);
  io.cycle_column("busy", a.spans, &Span::busy);
  for (std::size_t i = 0; i < a.spans.size(); ++i) {
    const Span& span = a.spans[i];
    io.check(span.start <= span.end && span.busy <= span.end - span.start, "end", "is before its start", i);
    io.check(i == 0 || a.spans[i - 1].end <= span.start, "start", "is before the end of the span before it", i);
  }
}

void describe(auto& io, Is<npu::ErrorBar> auto& e) {
  io("mean", e.mean);
  io("worst", e.worst);
  io("networks", e.networks);
}

void describe(auto& io, Is<npu::CyclesInterval> auto& c) {
  io("low", c.low);
  io("high", c.high);
  io("coverage", c.coverage);
  io("basis", c.basis);
}

void describe(auto& io, Is<npu::PmuCounter> auto& c) {
  io("event", c.event);
  io("number", c.number);
  io("value", c.value);
  io("overflow", c.overflow);
}

void describe(auto& io, Is<npu::Advice> auto& a) {
  io.some("kind", a.kind);
  io("change", a.change);
  io("command", a.command);
  io("cycles", a.cycles);
  io.made({"gain"});
}

void describe(auto& io, Is<npu::RunOrigin> auto& o) {
  io.some("version", o.version);
  io.some("timing_model", o.timing_model);
  io.some("command", o.command);
  io.some("artifact_bytes", o.artifact_bytes);
  io.some("artifact_crc32", o.artifact_crc32);
  io.some("system_confidence", o.system_confidence);
  io.some("system_source", o.system_source);
  io.some("system_checked_against", o.system_checked_against);
}

void describe(auto& io, Is<npu::HostStep> auto& h) {
  io("step", h.step);
  io("operator", h.index, kMostInstruction);
  io("name", h.name);
  io.may("elements", h.elements);
  io.written("inputs", h.inputs);
  io.written("outputs", h.outputs);
  io.may("macs", h.macs);
}

void describe(auto& io, Is<npu::TensorBinding> auto& t) {
  io("name", t.name);
  io("shape", t.shape);
  io("dtype", t.dtype ? std::optional(to_string(*t.dtype)) : std::nullopt);
}

void describe(auto& io, Is<npu::InferenceRow> auto& r) {
  io("kind", r.kind);
  io("name", r.name);
  io("ms", r.ms);
  io("low_ms", r.low_ms);
  io("high_ms", r.high_ms);
  io("source", r.source);
}

void describe(auto& io, Is<npu::InferenceSaving> auto& s) {
  io("change", s.change);
  io("ms", s.ms);
}

void describe(auto& io, Is<npu::Inference> auto& i) {
  io("ms", i.ms);
  io("low_ms", i.low_ms);
  io("high_ms", i.high_ms);
  io("lower_bound", i.lower_bound);
  io("cpu", i.cpu);
  io("basis", i.basis);
  io("notes", i.notes);
  io("rows", i.rows);
  io("savings", i.savings);
}

void describe(auto& io, Is<npu::SequenceScore> auto& s) {
  io("classes", s.classes);
  io("negative_log_likelihood", s.negative_log_likelihood);
  io("perplexity", s.perplexity);
  io("top1", s.top1);
}

void describe(auto& io, Is<npu::SequenceCycles> auto& c) {
  io("min", c.min);
  io("median", c.median);
  io("max", c.max);
  io("trend", c.trend);
  io("steps", c.steps);
}

void describe(auto& io, Is<npu::SequenceEnergy> auto& e) {
  io("low", e.low);
  io("high", e.high);
  io("left_out", e.left_out);
}

void describe(auto& io, Is<npu::Sequence> auto& s) {
  io("steps", s.steps);
  io("host_operators", s.host_operators);
  io.some("cycles", s.cycles);
  io.some("steps_per_second", s.steps_per_second);
  io.some("joules", s.energy);
  io.some("score", s.score);
}

void describe(auto& io, Is<npu::RunOutput> auto& o) {
  io("name", o.name);
  io("file", o.file);
  io("shape", o.shape);
  io("dtype", to_string(o.dtype));
  io("crc32", fmt::format("{:08X}", o.crc32));
}

void describe(auto& io, Is<npu::MemoryRange> auto& r) {
  io("memory", r.memory);
  io("offset", r.offset);
  io("length", r.length);
}

void describe(auto& io, Is<npu::Finding> auto& f) {
  io("kind", to_string(f.kind));
  io("step", f.step);
  io("command", f.command_index);
  io("byte_offset", f.byte_offset);
  io("disassembly", f.command);
  io("message", f.message);
  io.some("operator", f.source);
  io.when(f.range.memory >= 0, "range", f.range);
}

void describe(auto& io, Is<npu::RunRecord> auto& r) {
  io.made({"schema_version"});
  io("network", r.network);
  io("accelerator", r.accelerator);
  io("mode", r.mode);
  io("pmu", r.pmu.counts);
  io.may("host_operators", r.host_operators);
  io.written("outputs", r.outputs);
  io.written("findings", r.findings);
  io.some("sequence", r.sequence);
  if (r.mode == npu::RunMode::kFunctional) return;

  io("system", r.system);
  io("memory_mode", r.memory_mode);
  io.on_off("timing_adapter", r.timing_adapter);
  io("cycles", r.cycles);
  io.may("cycles_error", r.error_bar);
  io.may("cycles_interval", r.interval);
  io.when(!r.interval, "cycles_interval_reason", r.no_interval);
  io.may("pmu_unmodelled", r.pmu.unmodelled);
  io.some("pmu_counters", r.counters);
  io("clock_hz", r.clock_hz);
  io.check(r.clock_hz > 0, "clock_hz", "must be positive");
  io("bytes_per_cycle", r.bytes_per_cycle);
  io("region_side", r.region_side, kMostSide);
  io("operations", r.operations);
  io.may("activity", r.activity);
  io.some("advice", r.advice);
  io.some("origin", r.origin);
  io.some("inference", r.inference);
  io.made({"milliseconds", "layers", "edges", "edges_cut", "bounds", "bottlenecks", "padded_channels", "compute",
           "memory"});
}

}  // namespace macaw::run
