#include "workflow/compare/compared_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace macaw::compare {
namespace {

std::string operator_text(const WrongOperator& wrong, const tosa::Block* block) {
  if (!wrong.index || block == nullptr)
    return wrong.source.empty() ? "an operator that the commands do not tell" : wrong.source;
  auto text = tosa::describe(*block, *wrong.index);
  std::vector<std::string> fused;
  for (const auto i : wrong.fused) fused.push_back(tosa::describe(*block, i));
  if (!fused.empty()) text += fmt::format(", with {} in the same commands", fmt::join(fused, ", "));
  return text;
}

std::string wrong_text(const WrongOperator& wrong, const tosa::Block* block) {
  auto text = fmt::format("first wrong: {}\n", operator_text(wrong, block));
  text += fmt::format("  tensor '{}' (recognised by {}): ", wrong.tensor, to_string(wrong.how));
  if (wrong.position.empty()) text += "the commands write another number of elements\n";
  else
    text +=
        fmt::format("{} of {} elements differ, the first at [{}]: {} {}, sim {}\n", wrong.different, wrong.elements,
                    fmt::join(wrong.position, ", "), block != nullptr ? "tosa" : "given", wrong.expected, wrong.actual);
  for (const auto& command : wrong.commands) {
    text += fmt::format("  stream {}, command {}, byte {}:\n", command.step, command.command, command.offset);
    for (const auto& line : command.lines) text += fmt::format("    {}\n", line);
  }
  return text;
}

std::string tensors_text(const Location& location) {
  std::map<std::string, std::vector<std::string>> by_how;
  for (const auto& tensor : location.matched) by_how[to_string(tensor.how)].push_back(tensor.name);
  std::string text;
  for (const auto& [how, names] : by_how)
    text += fmt::format("{} tensors recognised by {}: {}\n", names.size(), how, fmt::join(names, ", "));
  if (!location.unmatched.empty())
    text += fmt::format("{} tensors not found, fused or kept in another form: {}\n", location.unmatched.size(),
                        fmt::join(location.unmatched, ", "));
  return text;
}

nlohmann::json wrong_json(const WrongOperator& wrong, const tosa::Block* block) {
  nlohmann::json json{{"tensor", wrong.tensor},
                      {"recognised_by", to_string(wrong.how)},
                      {"elements", wrong.elements},
                      {"different", wrong.different},
                      {"first", {{"index", wrong.position}, {"expected", wrong.expected}, {"sim", wrong.actual}}},
                      {"fused", wrong.fused},
                      {"commands", nlohmann::json::array()}};
  if (wrong.index) {
    json["operator"] = *wrong.index;
    if (block != nullptr) json["kind"] = to_string(block->operators[*wrong.index].op);
  }
  if (!wrong.source.empty()) json["source"] = wrong.source;
  for (const auto& c : wrong.commands)
    json["commands"].push_back(
        {{"stream", c.step}, {"command", c.command}, {"offset", c.offset}, {"disassembly", c.lines}});
  return json;
}

}  // namespace

bool ComparedRun::equal() const {
  return std::ranges::all_of(outputs, [](const auto& o) { return o.different == 0; }) &&
         !(outputs.empty() && location && location->wrong);
}

Result<ComparedRun> compare_run(const Program& program, const npu::Artifact& artifact,
                                const npu::Accelerator& accelerator, std::string inputs,
                                const std::vector<Tensor>& tensors, bool matches) {
  ComparedRun run{std::move(inputs), {}, {}, program.kind()};
  MACAW_ASSIGN(run.outputs, compare_outputs(program, artifact, accelerator, tensors));
  if (run.equal() && !matches) return run;
  MACAW_ASSIGN(const auto network_inputs, program.network_inputs(tensors, artifact));
  MACAW_ASSIGN(const auto reference, program.reference(tensors));
  MACAW_ASSIGN(run.location, locate(reference, artifact, accelerator, network_inputs));
  if (run.equal()) run.location->wrong.reset();
  return run;
}

std::string compared_text(const ComparedRun& run, const tosa::Block* block, bool tensors) {
  std::string text;
  for (const auto& o : run.outputs) {
    if (o.different == 0)
      text += fmt::format("{}: output '{}': {} elements, bit-exact\n", run.inputs, o.name, o.elements);
    else
      text +=
          fmt::format("{}: output '{}': {} of {} elements differ, the first at [{}]: {} {}, sim {}\n", run.inputs,
                      o.name, o.different, o.elements, fmt::join(o.index, ", "), run.reference, o.expected, o.actual);
  }
  if (!run.location) return text;
  if (run.location->wrong) text += wrong_text(*run.location->wrong, block);
  else if (!run.equal()) text += "no operation wrote anything wrong that can be told: every tensor found is right\n";
  else if (run.outputs.empty()) text += fmt::format("{} tensors, bit-exact\n", run.location->matched.size());
  if (tensors) text += tensors_text(*run.location);
  return text;
}

nlohmann::json compared_json(const std::vector<ComparedRun>& runs, const tosa::Block* block) {
  auto list = nlohmann::json::array();
  for (const auto& run : runs) {
    nlohmann::json entry{{"inputs", run.inputs}, {"equal", run.equal()}, {"outputs", nlohmann::json::array()}};
    for (const auto& o : run.outputs) {
      nlohmann::json output{{"name", o.name}, {"elements", o.elements}, {"different", o.different}};
      if (o.different > 0) output["first"] = {{"index", o.index}, {run.reference, o.expected}, {"sim", o.actual}};
      entry["outputs"].push_back(std::move(output));
    }
    if (run.location) {
      if (run.location->wrong) entry["first_wrong"] = wrong_json(*run.location->wrong, block);
      for (const auto& tensor : run.location->matched)
        entry["recognised"].push_back(
            {{"tensor", tensor.name}, {"by", to_string(tensor.how)}, {"commands", tensor.commands}});
      entry["not_found"] = run.location->unmatched;
    }
    list.push_back(std::move(entry));
  }
  const bool equal = std::ranges::all_of(runs, &ComparedRun::equal);
  return {{"schema_version", 1}, {"equal", equal}, {"runs", std::move(list)}};
}

}  // namespace macaw::compare
