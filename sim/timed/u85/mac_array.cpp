#include "sim/timed/u85/mac_array.hpp"

#include "sim/blocks/window.hpp"

#include <algorithm>
#include <utility>

namespace macaw::npu::timed::u85 {

MacArray::MacArray(const sc_core::sc_module_name& name, Pmu& pmu) : sc_core::sc_module(name), pmu_(pmu) {
  SC_THREAD(run);
}

void MacArray::wait_for_weights(const BlockOperation& op) {
  std::uint64_t blocks = 0;
  const Ticks since = local_time();
  if (!decodes_weights(op) || weight_blocks->take_ahead(blocks, since)) return;
  pmu_.stalled(Cause::kMacNoWeights, since, [&] { weight_blocks->read_from(blocks, since); });
  ahead_ = {};
}

void MacArray::pass(Ticks time) {
  if (may_run_ahead()) ahead_ += time;
  else wait_for(time);
}

void MacArray::catch_up() { wait_until(now() + std::exchange(ahead_, {})); }

void MacArray::work(const KernelRun& run, Ticks time) {
  if (time == Ticks()) return;
  activity_.begin(run.command, local_time());
  pass(time);
  activity_.end(local_time());
}

// Waits for the input rows that the micro-blocks down to `row` need. A convolution starts when the whole block has
// arrived.
void MacArray::wait_for_ifm(const IfmStep& step, std::uint64_t row) {
  if (step.slot < 0) return;
  const BlockOperation& op = step.job->run->op;
  const Bands bands(step.job->block, op);
  const Box& box = step.ifm.box;
  Beats beats = ram->block(step.slot).beats;
  if (op.kind != OpKind::kConv && step.ifm.last && row + 1 < bands.rows()) {
    Box ofm = step.job->block.box;
    ofm.y1 = ofm.y0 + static_cast<int>(bands.lines_until(row + 1));
    const Box window = ifm_window(op, ofm, {0, op.kernel.taps_y(), 0, op.kernel.taps_x()}, box.c0, box.c1);
    beats = beats * static_cast<std::uint64_t>(std::clamp(window.y1 - box.y0, 0, box.h())) /
            static_cast<std::uint64_t>(box.h());
  }
  if (ram->has(step.slot, beats, local_time())) return;
  catch_up();
  pmu_.stalled(Cause::kMacNoIfm, [&] { ram->wait_for(step.slot, beats); });
}

bool MacArray::goes_by_rows(const IfmStep& step, std::uint64_t column) {
  return column == 0 && step.slot >= 0 && step.job->run->op.kind != OpKind::kConv;
}

void MacArray::multiply(const IfmStepRef& step) {
  KernelRun& run = *step->job->run;
  const MacUnits units(step->ifm, run.op);
  const Bands bands(step->job->block, run.op);
  Ticks busy;
  for (std::uint64_t unit = 0, taken = 1; unit < units.count(); unit += taken) {
    const std::uint64_t column = unit % units.columns();
    const Ticks length = ticks(units.cycles(unit));
    const bool ends = step->ifm.last && units.in_last_group(unit);
    taken = ends ? bands.columns_from(column) : 1;
    wait_for_weights(run.op);
    if (column == 0 && run.mac_pass > Ticks()) pass(run.mac_pass);
    busy += length * taken;
    if (ends) multiply_band(step, column, taken, length);
    else work(run, length);
  }
  step->job->spend(&UnitTimes::mac, busy);
  pmu_.add(mac_work(run.op), busy);
  catch_up();
}

// The weights of the first column have arrived. The first position uses those of the others as they are decoded.
void MacArray::multiply_band(const IfmStepRef& step, std::uint64_t column, std::uint64_t columns, Ticks column_time) {
  const OfmBlock& block = step->job->block;
  const BlockOperation& op = step->job->run->op;
  const Bands bands(block, op);
  const Ticks ublock = column_time / std::max<std::uint64_t>(block.ublocks_xy, 1);
  const Ticks all = column_time * columns;
  Ticks worked;
  const auto work_until = [&](Ticks until) {
    work(*step->job->run, until - worked);
    worked = until;
  };
  for (std::uint64_t i = 0; i < columns; ++i) {
    if (i > 0) wait_for_weights(op);
    work_until(ublock * (i + 1));
  }
  const std::uint64_t together = goes_by_rows(*step, column) ? 1 : bands.rows();
  for (std::uint64_t row = 0; row < bands.rows(); row += together) {
    if (together == 1) wait_for_ifm(*step, row);
    const Ticks start = local_time() - worked;
    AccumulatedRows rows{step->job, column, row, row + together, bands.rows(), start, worked, all};
    rows.ready = rows.done(row);
    if (!accumulated->write_ahead(rows, local_time())) {
      catch_up();
      accumulated->write(rows);
    }
    work_until(rows.done(rows.end - 1) - rows.start);
  }
}

void MacArray::run() {
  for (;;) {
    const IfmStepRef step = steps->read();
    if (step->ifm.first) pmu_.stalled(Cause::kMacNoAccumulator, [&] { ram->claim_accumulator(*step->job->run); });
    pmu_.stalled(Cause::kMacNoIfm, [&] { wait_until(step->ready); });
    wait_for_ifm(*step, 0);
    multiply(step);
    if (step->slot >= 0) ram->release(step->slot);
  }
}

}  // namespace macaw::npu::timed::u85
