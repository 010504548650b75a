#include "app/sequence/sim.hpp"

#include <algorithm>

#include "app/command.hpp"
#include "workflow/energy/energy.hpp"
#include "workflow/sequence/figures.hpp"
#include "workflow/sequence/sim_engine.hpp"

namespace macaw::app {
namespace {

/// Sums up the energy of steps: from a record per step, or from one record for all.
class EnergyOfSteps {
 public:
  Result<void> load(const std::string& name) {
    if (name.empty()) return {};
    MACAW_ASSIGN(table_, energy::load_table(name));
    return {};
  }

  Result<void> add(const npu::RunRecord& record) {
    if (!table_) return {};
    MACAW_ASSIGN(const auto taken, energy::energy_of(record, *table_));
    sum_.low += taken.joules.low;
    sum_.high += taken.joules.high;
    for (const auto* event : taken.left_out)
      if (std::ranges::find(sum_.left_out, event->text) == sum_.left_out.end()) sum_.left_out.emplace_back(event->text);
    ++records_;
    return {};
  }

  [[nodiscard]] std::optional<npu::SequenceEnergy> mean() const {
    if (records_ == 0) return std::nullopt;
    return npu::SequenceEnergy{sum_.low / records_, sum_.high / records_, sum_.left_out};
  }

 private:
  std::optional<energy::Table> table_;
  npu::SequenceEnergy sum_;
  double records_ = 0;
};

}  // namespace

Result<npu::RunRecord> simulate_sequence(npu::Artifact artifact, const npu::Accelerator& accelerator, SimSequence setup,
                                         const SequenceOptions& options, const SequenceRun& run) {
  EnergyOfSteps energy;
  MACAW_CHECK(energy.load(setup.energy));
  sequence::SimSetup engine_setup{
      .mode = setup.mode, .options = std::move(setup.options), .events = std::move(setup.events), .on_record = {}};
  engine_setup.on_record = [&](const npu::RunRecord& record) { return energy.add(record); };
  MACAW_ASSIGN(const auto engine,
               sequence::SimEngine::create(std::move(artifact), accelerator, std::move(engine_setup)));
  sequence::Hooks hooks;
  if (setup.check) hooks.done = [&](const sequence::Step&) { return setup.check(); };
  SequenceOutputs outputs;
  MACAW_ASSIGN(const auto summary, run_sequence(*engine, options, run, &outputs, std::move(hooks)));
  auto record = *engine->record();
  if (setup.explain) MACAW_CHECK(setup.explain(record));
  record.sequence = sequence::figures(summary, record, engine->cycles());
  record.sequence->energy = energy.mean();
  for (std::size_t i = 0; i < record.outputs.size(); ++i) {
    record.outputs[i].shape = outputs.shapes[i];
    record.outputs[i].crc32 = outputs.crc32[i];
  }
  return record;
}

}  // namespace macaw::app
