#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "python/native.hpp"
#include "python/session.hpp"
#include "workflow/sequence/loop.hpp"

namespace macaw::python {
namespace {

sequence::Options sequence_options(const Arguments& arguments) {
  sequence::Options options;
  options.feedback = arguments.bytes_list("feedback");
  options.counts = arguments.bytes_list("count");
  options.scales = arguments.bytes_list("scale");
  options.requantize = arguments.get<bool>("requantize");
  return options;
}

std::size_t input_named(const sequence::Wiring& wiring, const std::string& name) {
  for (std::size_t i = 0; i < wiring.inputs.size(); ++i)
    if (wiring.inputs[i].tensor.name == name) return i;
  throw Failure{{ErrorCode::kMismatch, fmt::format("no input is called \"{}\"", name), {}}};
}

void add_classes(sequence::Wiring& wiring, const Arguments& arguments) {
  if (!arguments.has("classes")) return;
  const auto name = arguments.bytes("scored");
  for (std::size_t i = 0; i < wiring.outputs.size(); ++i)
    if (wiring.outputs[i].tensor.name == name) wiring.scored = i;
  if (!wiring.scored) throw Failure{{ErrorCode::kMismatch, fmt::format("no output is called \"{}\"", name), {}}};
  wiring.targets = "score";
  wiring.classes =
      unwrap(macaw::to_tensor(unwrap(arguments.arrays("classes").at(0).contents("score")), std::nullopt, "score"));
}

/// Inputs that a caller gives for each step.
class GivenSteps {
 public:
  /// kMismatch for inputs that are missing or that no step takes.
  GivenSteps(const sequence::Wiring& wiring, const sequence::Engine& engine, const Arguments& arguments)
      : fit_(arguments.fit()) {
    std::map<std::string, const json*> by_name;
    for (const auto& item : arguments["given"]) by_name[bytes_of(item[0])] = &item;
    for (const auto input : wiring.given()) {
      Source source{wiring.inputs[input].tensor, false, {}};
      const auto found = by_name.find(source.port.name);
      if (found == by_name.end() && engine.has_values())
        throw Failure{{ErrorCode::kMismatch, fmt::format("input \"{}\" is not given", source.port.name), {}}};
      if (found != by_name.end()) {
        source.stacked = (*found->second)[1].get<bool>();
        source.arrays = arguments.arrays((*found->second)[2]);
      }
      sources_.push_back(std::move(source));
    }
    for (const auto& [name, item] : by_name)
      if (std::ranges::none_of(sources_, [&, &name = name](const Source& source) { return source.port.name == name; }))
        throw Failure{
            {ErrorCode::kMismatch, fmt::format("input \"{}\" does not exist or has another source", name), {}}};
  }

  [[nodiscard]] std::vector<Tensor> get(std::size_t step) const {
    std::vector<Tensor> tensors;
    for (const auto& [port, stacked, arrays] : sources_) {
      if (arrays.empty()) {
        tensors.emplace_back();
      } else if (stacked && !arrays[0].shape().empty()) {
        const auto name = "input \"" + port.name + "\"";
        tensors.push_back(unwrap(fit_input(arrays[0].part(step), port, fit_, name)));
      } else {
        tensors.push_back(input_of(arrays[stacked ? 0 : step], port, fit_));
      }
    }
    return tensors;
  }

 private:
  struct Source {
    InputPort port;
    bool stacked;
    std::vector<GivenArray> arrays;  ///< one of all steps, one of each, or none
  };
  InputFit fit_;
  std::vector<Source> sources_;
};

json question_of(Call& call, const char* kind, const sequence::Engine& engine, const sequence::Step& step) {
  auto outputs = json::array();
  for (std::size_t i = 0; i < step.outputs.size(); ++i)
    outputs.push_back(call.give(Tensor(step.outputs[i]), engine.outputs()[i].tensor.name));
  return {{"ask", kind}, {"step", step.index}, {"outputs", outputs}};
}

json sequence_result(Call& call, const sequence::Summary& summary, std::vector<std::vector<Tensor>> outputs) {
  json result = {{"steps", summary.steps}, {"seconds", text_of(summary.seconds)}, {"outputs", json::array()}};
  for (auto& tensors : outputs) result["outputs"].push_back(call.give(std::move(tensors)));
  if (const auto& score = summary.score)
    result["score"] = {{"classes", score->classes},
                       {"negative_log_likelihood", text_of(score->negative_log_likelihood)},
                       {"perplexity", text_of(score->perplexity)},
                       {"top1", score->top1}};
  return result;
}

}  // namespace

json run_sequence(const Arguments& arguments, Call& call) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  auto& engine = session.engine();
  const auto fit = arguments.fit();
  auto wiring = unwrap(sequence::resolve(engine, sequence_options(arguments)));
  for (const auto& array : arguments.arrays("first")) {
    const auto input = input_named(wiring, array.name());
    if (std::ranges::any_of(wiring.counts, [&](const sequence::Count& count) { return count.input == input; }))
      throw Failure{
          {ErrorCode::kUsage, fmt::format("input \"{}\" has a count and initial contents", array.name()), {}}};
    wiring.initial[input] = input_of(array, wiring.inputs[input].tensor, fit);
  }
  add_classes(wiring, arguments);
  const GivenSteps given(wiring, engine, arguments);
  const auto names = arguments.bytes_list("kept");
  const std::set<std::string> kept(names.begin(), names.end());
  std::vector<std::vector<Tensor>> results(wiring.outputs.size());
  sequence::Hooks hooks;
  hooks.given = [&](std::size_t step) -> Result<std::vector<Tensor>> { return given.get(step); };
  hooks.done = [&](const sequence::Step& step) -> Result<void> {
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      if (kept.contains(wiring.outputs[i].tensor.name)) results[i].push_back(step.outputs[i]);
    return {};
  };
  if (arguments.get<bool>("stop"))
    hooks.stop = [&](const sequence::Step& step) -> Result<bool> {
      bool stopped = false;
      call.ask(question_of(call, "stop", engine, step),
               [&](const Arguments& answer) { stopped = answer.get<bool>("stop"); });
      return stopped;
    };
  if (arguments.get<bool>("between"))
    hooks.between = [&](const sequence::Step& step) -> Result<sequence::InputTensors> {
      sequence::InputTensors tensors;
      call.ask(question_of(call, "between", engine, step), [&](const Arguments& answer) {
        for (const auto& array : answer.arrays("inputs")) {
          const auto input = input_named(wiring, array.name());
          tensors.emplace_back(input, input_of(array, wiring.inputs[input].tensor, fit));
        }
      });
      return tensors;
    };
  const auto steps = arguments.get<std::size_t>("steps");
  const auto summary = unwrap(run_unlocked([&] { return sequence::run(engine, wiring, steps, hooks); }));
  return sequence_result(call, summary, std::move(results));
}

}  // namespace macaw::python
