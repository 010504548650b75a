#include "sim/timed/breakdown.hpp"

#include "sim/functional/machine.hpp"
#include "sim/isa/disasm.hpp"
#include "sim/timed/movements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macaw::npu::timed {
namespace {

constexpr int kNarrowPixel = 8;  // bytes of all channels; a beat of AXI holds several

struct Unit {
  const char* name;
  Ticks UnitTimes::*member;
};
constexpr Unit kUnits[] = {{"mac", &UnitTimes::mac},
                           {"weight_decoder", &UnitTimes::weight_decoder},
                           {"output_unit", &UnitTimes::output_unit},
                           {"ifm_read", &UnitTimes::ifm_read},
                           {"weight_read", &UnitTimes::weight_read},
                           {"ofm_write", &UnitTimes::ofm_write}};

UnitCycles unit_cycles(const UnitTimes& times) {
  UnitCycles busy;
  for (const Unit& unit : kUnits) busy.emplace_back(unit.name, whole_cycles(times.*unit.member).count());
  return busy;
}

/// The name under which a unit bounds an operation: units that move data, by their port.
std::string resource(const std::string& unit, const BlockOperation& op, const CoreConfig& config) {
  int region = 0;
  if (unit == "ifm_read") region = op.ifm.region;
  else if (unit == "weight_read") region = op.weights[0].region;
  else if (unit == "ofm_write") region = op.ofm.region;
  else return unit;
  const auto side = static_cast<std::size_t>(config.mode.side(region));
  return std::string(traits(config.accelerator.family).ports[side]);
}

std::string bound(const UnitCycles& busy, const BlockOperation& op, const CoreConfig& config) {
  const auto most = std::ranges::max_element(busy, {}, [](const auto& unit) { return unit.second; });
  return resource(most->first, op, config);
}

std::string_view kind_name(const BlockOperation& op) {
  switch (op.kind) {
    case OpKind::kConv: return op.weights_from_ifm2 ? "matrix product" : "convolution";
    case OpKind::kDepthwise: return "depthwise convolution";
    case OpKind::kPool: return "pooling";
    case OpKind::kElementwise: return "elementwise";
    case OpKind::kResize: return "resize";
  }
  return {};
}

/// OperationTiming::work.
std::string work_of(const BlockOperation& op) {
  std::string work(kind_name(op));
  if (op.ifm.bits > 8) work += fmt::format(" of {} bits", op.ifm.bits);
  if (op.upscale != Upscale::kNone) work += ", upscaled";
  if (op.transpose != 0 || op.reverse != 0) work += ", transposed";
  if (op.ofm.layout == Layout::kNHWC && op.ofm.c * op.ofm.bytes() < kNarrowPixel && op.ofm.w * op.ofm.h > 1)
    work += ", pixels below 8 bytes";
  return work;
}

OperationTiming timing_of(const KernelRun& run, const CoreConfig& config, Ticks idle, Cycles offset) {
  OperationTiming timing;
  timing.command = static_cast<std::uint32_t>(run.command);
  timing.offset = run.byte_offset;
  timing.name = command_name(run.op);
  timing.work = work_of(run.op);
  timing.issued = (offset + whole_cycles(run.issued)).count();
  timing.start = (offset + whole_cycles(run.start.value_or(run.issued))).count();
  timing.end = (offset + whole_cycles(run.end)).count();
  timing.busy = unit_cycles(run.busy);
  timing.busy.emplace_back("dependency", whole_cycles(run.dependency).count());
  timing.busy.emplace_back("command_processor", whole_cycles(idle).count());
  timing.bound = bound(timing.busy, run.op, config);
  for (const BlockRecord& record : run.records) {
    BlockTiming block{(offset + whole_cycles(record.start)).count(),
                      (offset + whole_cycles(record.end)).count(),
                      unit_cycles(record.busy),
                      {}};
    block.bound = bound(block.busy, run.op, config);
    timing.blocks.push_back(std::move(block));
  }
  return timing;
}

OperationTiming timing_of(const DmaRun& run, Cycles offset) {
  OperationTiming timing;
  timing.command = static_cast<std::uint32_t>(run.command);
  timing.offset = run.byte_offset;
  timing.name = "NPU_OP_DMA_START";
  timing.work = "DMA";
  timing.issued = (offset + whole_cycles(run.issued)).count();
  timing.start = (offset + whole_cycles(run.start)).count();
  timing.end = (offset + whole_cycles(run.end)).count();
  timing.busy = {{"dma", whole_cycles(run.end - run.start).count()}};
  timing.bound = "dma";
  return timing;
}

}  // namespace

void Breakdown::add(const Instruction& instruction) {
  while (!under_way_.empty() && std::visit([](const auto& run) { return run->is_finished(); }, under_way_.front())) {
    append(under_way_.front());
    under_way_.pop_front();
  }
  if (const auto* kernel = std::get_if<KernelRef>(&instruction.action)) under_way_.emplace_back(*kernel);
  else if (const auto* dma = std::get_if<DmaRef>(&instruction.action)) under_way_.emplace_back(*dma);
}

void Breakdown::finish() {
  for (const Run& run : under_way_) append(run);
  under_way_.clear();
}

void Breakdown::append(const Run& run) {
  OperationTiming timing;
  if (const auto* kernel = std::get_if<KernelRef>(&run)) {
    const KernelRun& done = **kernel;
    timing = timing_of(done, config_, done.issued - std::min(done.issued, busy_until_), options_.offset);
    if (options_.movements && done.keep_totals && done.is_finished())
      add_movements(timing, done.op, done.totals, config_.accelerator);
    else if (options_.movements) add_movements(timing, done.op, config_.accelerator);
    if (options_.movements) add_output_cost(timing, done.op, config_.params);
    busy_until_ = std::max(busy_until_, done.end);
  } else {
    const DmaRun& done = *std::get<DmaRef>(run);
    timing = timing_of(done, options_.offset);
    if (options_.movements) add_movements(timing, done.traffic, config_.accelerator);
    busy_until_ = std::max(busy_until_, done.end);
  }
  timing.step = options_.step;
  operations_.push_back(std::move(timing));
}

void append_activity(std::vector<UnitActivity>& activity, const std::vector<Activity*>& units, std::size_t stream_step,
                     Cycles offset) {
  static_assert(kTicksPerCycle == kCycle.count());
  for (const Activity* unit : units) {
    if (unit->spans().empty()) continue;
    UnitActivity row{stream_step, unit->unit(), unit->resolution().count(), {}};
    for (const Activity::Span& span : unit->spans())
      row.spans.push_back(
          {span.command, (span.start + ticks(offset)).count(), (span.end + ticks(offset)).count(), span.busy.count()});
    activity.push_back(std::move(row));
  }
}

}  // namespace macaw::npu::timed
