#include "sim/timed/u85/weight_decoder.hpp"

#include "sim/timed/u85/mac_units.hpp"

namespace macaw::npu::timed::u85 {

// The weights of an operation are requested once its scales have filled their read buffer.
void WeightDecoder::prepare(const IfmStep& step) {
  const KernelRun& run = *step.job->run;
  if (!decodes_weights(run.op)) return;
  if (prepared_ != run.number && !step.job->block.scales.empty())
    scales->wait_for(*step.job, static_cast<std::uint64_t>(CoreConfig::count(config().params.read_buffer_scales)) *
                                    static_cast<std::uint64_t>(config().accelerator.beat_bytes));
  prepared_ = run.number;
}

Beats WeightDecoder::capacity(const BlockOperation& op) const {
  const Params& params = config().params;
  const double words = op.fast_weights ? params.read_buffer_fast_weights : params.read_buffer_weights;
  return Beats(static_cast<std::uint64_t>(CoreConfig::count(words * params.weight_buffer_share)));
}

void WeightDecoder::decode_groups(IfmStep& step) {
  const MacUnits units(step.ifm, step.job->run->op);
  const std::uint64_t all = units.weights_until(units.count());
  std::uint64_t before = 0;
  for (std::uint64_t unit = 0; unit < units.count(); ++unit) {
    const std::uint64_t until = units.weights_until(unit + 1);
    decode_group(step, {.blocks = 1, .cost = until - before, .until = until, .all = all});
    before = until;
  }
}

}  // namespace macaw::npu::timed::u85
