#include "workflow/golden/sequence.hpp"

#include <fmt/format.h>

#include <macaw/npy.hpp>

#include "workflow/compare/inputs.hpp"
#include "workflow/sequence/loop.hpp"
#include "workflow/sequence/sim_engine.hpp"

namespace macaw::golden {
namespace {

/// Element `step` along the first axis.
Result<Tensor> part(const NpyArray& all, std::size_t step, std::size_t steps, const InputPort& port,
                    const std::string& file) {
  if (all.shape.empty() || all.shape[0] < static_cast<std::int64_t>(steps))
    return fail(ErrorCode::kMismatch, fmt::format("expected {} steps along the first axis", steps), {.file = file});
  const auto size = all.bytes.size() / static_cast<std::size_t>(all.shape[0]);
  const auto first = all.bytes.begin() + static_cast<std::ptrdiff_t>(step * size);
  return fit_input({all.descr, Shape(all.shape.begin() + 1, all.shape.end()),
                    {first, first + static_cast<std::ptrdiff_t>(size)}},
                   port, {}, file);
}

}  // namespace

Result<void> for_each_step(const Network& network, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                           const std::filesystem::path& folder,
                           const std::function<Result<void>(const GoldenStep&)>& record) {
  sequence::SimSetup setup{.mode = npu::RunMode::kFunctional};
  MACAW_ASSIGN(const auto engine, sequence::SimEngine::create(artifact, accelerator, std::move(setup)));
  auto joining = network.joining;
  for (auto& text : joining.initial)
    if (const auto equals = text.rfind('='); equals != text.npos)
      text = text.substr(0, equals + 1) + (folder / text.substr(equals + 1)).string();
  MACAW_ASSIGN(const auto wiring, sequence::resolve(*engine, joining));
  const auto given = wiring.given();
  if (!network.inputs.empty() && network.inputs.size() != given.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} files of inputs, {} inputs have no other source", network.inputs.size(), given.size()));
  std::vector<NpyArray> arrays;
  for (const auto& file : network.inputs) {
    MACAW_ASSIGN(arrays.emplace_back(), read_npy(folder / file));
  }
  IndexRanges ranges;
  if (arrays.empty()) ranges = compare::index_ranges(artifact);
  sequence::Hooks hooks;
  hooks.given = [&](std::size_t step) -> Result<std::vector<Tensor>> {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      MACAW_ASSIGN(auto tensor, part(arrays[i], step, network.steps, wiring.inputs[given[i]].tensor,
                                     (folder / network.inputs[i]).string()));
      tensors.push_back(std::move(tensor));
    }
    if (!arrays.empty()) return tensors;
    MACAW_ASSIGN(auto random,
                 compare::random_inputs(artifact, network.seed + static_cast<std::uint32_t>(step), ranges));
    // The engine leaves out inputs that nothing reads.
    std::vector<Tensor> read;
    for (std::size_t i = 0; i < random.size(); ++i)
      if (artifact.inputs[i].memory >= 0) read.push_back(std::move(random[i]));
    for (const auto input : given) tensors.push_back(std::move(read[input]));
    return tensors;
  };
  MACAW_ASSIGN(auto before, engine->state());
  hooks.done = [&](const sequence::Step& step) -> Result<void> {
    GoldenStep golden{.index = step.index, .inputs = {}, .variables = std::move(before)};
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      golden.inputs.push_back({wiring.inputs[i].tensor.name, step.inputs[i]});
    for (auto& variable : golden.variables) variable.name.clear();  // they are in the network's order
    MACAW_CHECK(record(golden));
    MACAW_ASSIGN(before, engine->state());
    return {};
  };
  MACAW_CHECK(sequence::run(*engine, wiring, network.steps, hooks));
  return {};
}

}  // namespace macaw::golden
