#include "app/sequence/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/batch/inputs.hpp"
#include "app/batch/outputs.hpp"
#include "app/command.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "base/crc32.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "workflow/report/progress.hpp"
#include "workflow/run/record_json.hpp"

namespace macaw::app {
namespace {

/// --input: tensors that are the same in every step; an unnamed one is assigned to the first input without a source.
Result<void> add_constants(sequence::Wiring& wiring, const SequenceRun& run) {
  MACAW_ASSIGN(const auto given, read_named_inputs(run.inputs));
  for (const auto& [name, tensor] : given) {
    const auto free = wiring.given();
    auto found =
        std::ranges::find_if(free, [&](std::size_t i) { return name.empty() || wiring.inputs[i].tensor.name == name; });
    if (const auto number = io::number_of<std::size_t>(name); found == free.end() && number)
      found = std::ranges::find(free, *number);
    if (found == free.end())
      return fail(ErrorCode::kMismatch,
                  name.empty() ? "--input: every input has a source"
                               : fmt::format("--input: no input without another source is called '{}'", name));
    MACAW_ASSIGN(auto fitted, fit_input(to_npy(tensor), wiring.inputs[*found].tensor, run.fit, ""));
    wiring.constants.emplace(*found, std::move(fitted));
  }
  return {};
}

/// The number of steps if --sequence is a number.
Result<std::optional<std::size_t>> step_count(const std::string& sets, const std::vector<std::string>& missing,
                                              bool needs_inputs) {
  std::error_code ignored;
  const auto number = io::number_of<std::size_t>(sets);
  const bool is_file = std::filesystem::exists(sets, ignored);
  if (!number && !is_file && io::number_of<double>(sets))
    return fail(ErrorCode::kUsage,
                fmt::format("--sequence {}: expected sets of inputs or a number of steps from 1 to {}", sets,
                            sequence::kMostSteps));
  if (!number || is_file) {
    if (!missing.empty()) return std::nullopt;
    return fail(ErrorCode::kUsage,
                fmt::format("--sequence {}: no input is left for it to feed; give the number of steps", sets));
  }
  if (!missing.empty() && needs_inputs)
    return fail(ErrorCode::kUsage,
                fmt::format("--sequence {}: nothing feeds {}; give sets of inputs in place of a number, or --input, "
                            "--feedback or --count",
                            sets, fmt::join(missing, ", ")));
  return number;
}

/// The files of the outputs, after checking that they may be written; none if no outputs are wanted.
Result<std::vector<std::filesystem::path>> targets(const SequenceRun& run, std::size_t outputs) {
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; !run.output_dir.empty() && i < outputs; ++i)
    files.push_back(run.output_dir / fmt::format("output_{}.npy", i));
  MACAW_CHECK(check_outputs(files, run.force));
  return files;
}

}  // namespace

Result<void> SequenceOptions::check() const {
  if (!sets.empty() || !joining.any()) return {};
  return fail(ErrorCode::kUsage,
              "--feedback, --initial, --count, --stop, --score, --scale and --requantize require --sequence");
}

void add_sequence_options(Command& command, SequenceOptions& options) {
  const std::string group = "Sequences";
  auto& joining = options.joining;
  command
      .add_option(
          "--sequence", options.sets,
          "run step after step and keep the state: inputs of each step as --inputs has sets, or a number of steps")
      .group(group)
      .excludes("--inputs");
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help).one_value().group(group);
  };
  list("--feedback", joining.feedback, "use an output as an input of the next step; repeatable");
  list("--initial", joining.initial, "first contents of an input that is fed back (default: its zero point)");
  list("--count", joining.counts, "give an input FIRST plus the number of the step");
  list("--scale", joining.scales, "scale[:zero point] of an input or output, where the file states none");
  command.add_option("--stop", joining.stop, "end after the step in which the whole output has this value")
      .group(group);
  command
      .add_option("--score", joining.score, "perplexity and top-1 of an output by the right class of each step (.npy)")
      .group(group);
  command
      .add_flag("--requantize", joining.requantize, "convert what is fed back where type, scale or zero point differ")
      .group(group);
}

Result<sequence::Summary> run_sequence(sequence::Engine& engine, const SequenceOptions& options, const SequenceRun& run,
                                       SequenceOutputs* written, sequence::Hooks hooks) {
  MACAW_ASSIGN(auto wiring, sequence::resolve(engine, options.joining));
  MACAW_CHECK(add_constants(wiring, run));
  std::vector<InputPort> ports;
  std::vector<std::string> missing;
  const auto given = wiring.given();
  for (const auto input : given) {
    ports.push_back(wiring.inputs[input].tensor);
    missing.push_back("'" + wiring.inputs[input].tensor.name + "'");
  }
  const std::size_t output_count = engine.has_values() ? wiring.outputs.size() : 0;
  MACAW_ASSIGN(const auto files, targets(run, output_count));
  MACAW_ASSIGN(auto steps, step_count(options.sets, missing, engine.has_values()));
  std::optional<BatchInputs> sets;
  if (!steps) {
    MACAW_ASSIGN(sets, BatchInputs::open(options.sets, ports, {.fit = run.fit, .raw = run.raw}));
    for (std::size_t i = 0; i < wiring.inputs.size(); ++i)
      if (const auto& name = wiring.inputs[i].tensor.name;
          std::ranges::find(given, i) == given.end() && sets->has_array(name))
        return fail(ErrorCode::kMismatch, fmt::format("input '{}' has another source as well", name),
                    {.file = options.sets});
    if (const auto note = sets->note()) print_stderr("macaw: {}\n", *note);
    steps = sets->size();
    hooks.given = [&](std::size_t step) { return sets->get(step); };
  }
  std::optional<BatchOutputs> outputs;
  if (!files.empty()) outputs.emplace(files, *steps, existing(run.force));
  std::vector<Shape> shapes(output_count);
  std::vector<std::uint32_t> checksums(output_count);
  sequence::Summary summary;
  {
    report::Progress progress(run.command, "steps", *steps);
    hooks.done = [&, done = std::move(hooks.done)](const sequence::Step& step) -> Result<void> {
      progress.add();
      if (done) MACAW_CHECK(done(step));
      const std::vector<Tensor> tensors(step.outputs.begin(), step.outputs.end());
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        shapes[i] = tensors[i].shape();
        checksums[i] = io::crc32(tensors[i].bytes(), checksums[i]);
      }
      return outputs ? outputs->add(step.index, tensors) : Result<void>();
    };
    MACAW_ASSIGN(summary, sequence::run(engine, wiring, *steps, hooks));
  }
  if (outputs) MACAW_CHECK(outputs->publish(summary.steps));
  if (!written) return summary;
  for (auto& shape : shapes) written->shapes.push_back(with_runs(std::move(shape), summary.steps));
  written->crc32 = std::move(checksums);
  return summary;
}

void print_sequence(const sequence::Summary& summary, bool json) {
  if (!json) return print_stdout("{}", sequence::to_text(summary));
  nlohmann::json object{{"steps", summary.steps}, {"seconds", summary.seconds}};
  if (summary.score) object["score"] = run::json_of(*summary.score);
  print_stdout("{}\n", io::json_text(object, 1));
}

}  // namespace macaw::app
