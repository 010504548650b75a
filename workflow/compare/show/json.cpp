#include "workflow/compare/comparison.hpp"

#include <algorithm>

namespace macaw::compare {
namespace {

using Json = nlohmann::json;

const char* name_of(ConstantDifference::What what) {
  switch (what) {
    case ConstantDifference::What::kWeight: return "weight";
    case ConstantDifference::What::kBias: return "bias";
    case ConstantDifference::What::kScale: return "scale";
    case ConstantDifference::What::kTable: return "table";
  }
  return "";
}

Json constant_json(const ConstantDifference& d, const Reference& reference) {
  Json json{{"what", name_of(d.what)}, {"operator", d.op},     {"kind", reference.operators[d.op].kind},
            {"stream", d.step},        {"command", d.command}, {"offset", d.offset},
            {"expected", d.expected},  {"sim", d.actual},      {"different", d.different}};
  json[d.what == ConstantDifference::What::kTable ? "byte" : "channel"] = d.channel;
  if (d.what == ConstantDifference::What::kWeight) json["tap"] = d.tap;
  if (d.what == ConstantDifference::What::kScale) {
    json["expected_shift"] = d.expected_shift;
    json["sim_shift"] = d.actual_shift;
  }
  return json;
}

Json wrong_json(const WrongOperator& wrong, const Reference& reference) {
  Json json{{"name", wrong.name},
            {"certain", wrong.certain},
            {"candidates", wrong.candidates},
            {"fused", wrong.fused},
            {"commands", Json::array()}};
  if (!wrong.tensor.empty()) {
    json["tensor"] = wrong.tensor;
    json["recognised_by"] = to_string(wrong.method);
    json["elements"] = wrong.elements;
    json["different"] = wrong.different;
    json["pattern"] = wrong.pattern;
    json["first"] = {{"index", wrong.position}, {"expected", wrong.expected}, {"sim", wrong.actual}};
  }
  if (wrong.index) {
    json["operator"] = *wrong.index;
    json["kind"] = reference.operators[*wrong.index].kind;
  }
  if (wrong.constant) json["constant"] = constant_json(*wrong.constant, reference);
  for (const auto& c : wrong.commands) {
    Json command{{"stream", c.step},     {"command", c.command},         {"offset", c.offset},
                 {"meaning", c.meaning}, {"disassembly", Json::array()}, {"registers", Json::array()}};
    for (const auto& line : c.registers) {
      if (line.changed) command["disassembly"].push_back(line.text);
      command["registers"].push_back({{"text", line.text}, {"changed", line.changed}});
    }
    json["commands"].push_back(std::move(command));
  }
  return json;
}

Json run_json(const Comparison& comparison, const ComparedRun& run) {
  Json entry{{"inputs", run.inputs}, {"equal", comparison.equal(run)}, {"outputs", Json::array()}};
  for (const auto& o : run.outputs) {
    Json output{{"name", o.name}, {"elements", o.elements}, {"different", o.different}};
    if (o.different > 0) output["first"] = {{"index", o.index}, {comparison.kind, o.expected}, {"sim", o.actual}};
    entry["outputs"].push_back(std::move(output));
  }
  if (run.location.wrong) entry["first_wrong"] = wrong_json(*run.location.wrong, comparison.reference);
  entry["recognised"] = Json::array();
  for (const auto& tensor : run.location.matched)
    entry["recognised"].push_back({{"tensor", tensor.name},
                                   {"by", to_string(tensor.method)},
                                   {"commands", tensor.commands},
                                   {"elements", tensor.elements},
                                   {"different", tensor.different}});
  entry["not_found"] = Json::array();
  for (const auto& tensor : run.location.unmatched) entry["not_found"].push_back(tensor.name);
  return entry;
}

Json constants_json(const ConstantCheck& check, const Reference& reference) {
  const auto share = [](const ConstantCoverage& c) {
    return Json{{"operators", c.operators}, {"compared", c.compared}};
  };
  Json json{{"weights", share(check.weights)}, {"biases", share(check.biases)}, {"scales", share(check.scales)},
            {"tables", share(check.tables)},   {"not_found", check.not_found},  {"differences", Json::array()}};
  for (const auto& d : check.differences) json["differences"].push_back(constant_json(d, reference));
  return json;
}

Json coverage_json(const Coverage& coverage) {
  Json json{{"compared", Json::array()}, {"not_compared", Json::object()}};
  json["operators"] = {{"compared", coverage.operators_that_are(OperatorCoverage::kCompared)},
                       {"fused", coverage.operators_that_are(OperatorCoverage::kFused)},
                       {"left_to_cpu", coverage.operators_that_are(OperatorCoverage::kLeftToCpu)},
                       {"not_found", coverage.operators_that_are(OperatorCoverage::kNotFound)}};
  for (const auto& [id, tensor] : coverage.not_compared) json["not_compared"][tensor.name] = tensor.reason;
  for (const auto& [tensor, name] : coverage.compared) {
    Json entry{{"tensor", name}};
    if (const auto e = coverage.exercised.find(tensor); e != coverage.exercised.end()) {
      entry["lowest"] = e->second.lowest;
      entry["highest"] = e->second.highest;
      entry["saturated_low"] = e->second.low;
      entry["saturated_high"] = e->second.high;
      if (e->second.table > 0) {
        entry["table_entries"] = e->second.table;
        entry["table_entries_used"] = e->second.entries.size();
      }
    }
    json["compared"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  auto runs = Json::array();
  for (const auto& run : comparison.runs) runs.push_back(run_json(comparison, run));
  return {{"schema_version", 1},
          {"equal", comparison.equal()},
          {"runs", std::move(runs)},
          {"notes", comparison.notes()},
          {"counterexamples_tried", comparison.tried},
          {"constants", constants_json(comparison.constants, comparison.reference)},
          {"coverage", coverage_json(comparison.coverage)}};
}

namespace {

using Json = nlohmann::json;

Json values(const Tensor& tensor) {
  auto list = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) list.push_back(integer_at(tensor, i));
  return list;
}

}  // namespace

Json page_json(const Comparison& comparison) {
  auto page = to_json(comparison);
  page["expected"] = comparison.kind;
  page["accelerator"] = comparison.accelerator;
  page["text"] = to_text(comparison, false);
  page["pictures"] = Json::array();
  for (const auto& run : comparison.runs)
    for (const auto& picture : run.pictures)
      page["pictures"].push_back({{"run", run.inputs},
                                  {"tensor", picture.tensor},
                                  {"shape", picture.expected.shape()},
                                  {"expected", values(picture.expected)},
                                  {"sim", values(picture.actual)}});
  return page;
}

}  // namespace macaw::compare
