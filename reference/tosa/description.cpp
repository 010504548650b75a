#include "reference/tosa/description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <macaw/npy.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "base/file.hpp"
#include "base/file_name.hpp"
#include "base/json_text.hpp"
#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/run_validated.hpp"

namespace macaw::tosa {
namespace {

tl::unexpected<Error> file_error(const std::filesystem::path& file, std::string message) {
  return fail(ErrorCode::kInvalidFile, std::move(message), Place{file.string(), "", {}, {}});
}

Result<std::vector<std::string>> strings(const nlohmann::json& json, const char* key,
                                         const std::filesystem::path& file) {
  std::vector<std::string> list;
  const auto it = json.find(key);
  if (it == json.end()) return list;
  if (!it->is_array()) return file_error(file, fmt::format("\"{}\" must be a list of strings", key));
  for (const auto& item : *it) {
    if (!item.is_string()) return file_error(file, fmt::format("\"{}\" must be a list of strings", key));
    list.push_back(item.get<std::string>());
  }
  return list;
}

/// Names of files that are written below a folder of the user's choice: a description may not lead out of it.
Result<std::vector<std::string>> written_files(const nlohmann::json& json, const char* key,
                                               const std::filesystem::path& file) {
  MACAW_ASSIGN(auto names, strings(json, key, file));
  for (const auto& name : names) {
    const auto path = std::filesystem::path(name).lexically_normal();
    if (path.is_absolute() || (!path.empty() && *path.begin() == ".."))
      return file_error(file, fmt::format("\"{}\" leads out of the output folder: \"{}\"", key, name));
  }
  return names;
}

/// Names and files that belong together, once both are known to be lists.
Result<void> check_pair(const nlohmann::json& json, const char* names, const char* files,
                        const std::filesystem::path& file) {
  const auto size = [&](const char* key) { return json.contains(key) ? json[key].size() : 0; };
  for (const auto& [absent, present] : {std::pair(names, files), {files, names}})
    if (!json.contains(absent) && size(present) > 0)
      return file_error(file, fmt::format("\"{}\" is missing, beside \"{}\"", absent, present));
  if (size(names) == size(files)) return {};
  return file_error(file, fmt::format("\"{}\" and \"{}\" must be of equal length", names, files));
}

std::vector<std::filesystem::path> below(const std::filesystem::path& dir, const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> paths;
  for (const auto& name : names) paths.push_back(dir / name);
  return paths;
}

Result<Tensor> read_input(const std::filesystem::path& file, const Value& value, InputFit fit) {
  MACAW_ASSIGN(const auto array, read_npy(file));
  return fit_input(array, port_of(value), fit, file.string());
}

}  // namespace

Result<TestDescription> read_description(const std::filesystem::path& file, const std::filesystem::path& folder) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(const auto json, io::parse_json(bytes, file.string()));
  if (!json.is_object()) return file_error(file, "not a JSON object");
  const auto graph = json.find("tosa_file");
  if (graph == json.end() || !graph->is_string()) return file_error(file, "\"tosa_file\" must be a string");

  TestDescription description;
  const auto dir = folder.empty() ? file.parent_path() : folder;
  description.graph = dir / graph->get<std::string>();
  description.output_dir = file.parent_path();
  MACAW_ASSIGN(description.input_names, strings(json, "ifm_name", file));
  MACAW_ASSIGN(const auto inputs, strings(json, "ifm_file", file));
  description.input_files = below(dir, inputs);
  MACAW_ASSIGN(description.output_names, strings(json, "ofm_name", file));
  MACAW_ASSIGN(description.output_files, written_files(json, "ofm_file", file));
  MACAW_ASSIGN(const auto variables, strings(json, "variable_name", file));
  MACAW_ASSIGN(const auto variable_files, written_files(json, "variable_file", file));
  for (const auto& [names, files] :
       {std::pair("ifm_name", "ifm_file"), {"ofm_name", "ofm_file"}, {"variable_name", "variable_file"}})
    MACAW_CHECK(check_pair(json, names, files, file));
  for (std::size_t i = 0; i < variables.size(); ++i)
    description.variable_files.emplace_back(variables[i], variable_files[i]);
  if (const auto it = json.find("expected_failure"); it != json.end()) {
    if (!it->is_boolean()) return file_error(file, "\"expected_failure\" must be true or false");
    description.expected_failure = it->get<bool>();
  }
  if (const auto it = json.find("test_requirements"); it != json.end() && it->is_object())
    if (const auto flag = it->find("bounds_file_required"); flag != it->end()) {
      if (!flag->is_boolean()) return file_error(file, "\"bounds_file_required\" must be true or false");
      description.bounds_required = flag->get<bool>();
    }
  const auto meta = json.find("meta");
  if (meta != json.end() && meta->is_object() && meta->contains("compliance"))
    description.compliance_json = io::json_text((*meta)["compliance"]);
  return description;
}

Result<std::size_t> find_port(const Graph& graph, const std::vector<ValueId>& list, const std::string& name,
                              const char* kind) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (graph.main().values[list[i]].name == name) return i;
  return fail(ErrorCode::kMismatch, fmt::format("the graph has no {} \"{}\"", kind, name));
}

Result<const Value*> find_variable(const Graph& graph, const std::string& name) {
  for (const auto& block : graph.blocks)
    for (const auto& op : block.operators)
      if (op.op == Op::kVARIABLE && !op.outputs.empty()) {
        const auto& value = block.values[op.outputs[0]];
        if (value.name == name || op.get_string(Attr::k_name) == name) return &value;
      }
  return fail(ErrorCode::kMismatch, fmt::format("the graph has no variable \"{}\"", name));
}

Result<RunResult> run_description(const TestDescription& description, const Options& options) {
  auto graph = load_graph(description.graph);
  if (!graph && graph.error().code == ErrorCode::kInvalidGraph) return error_result(graph.error());
  if (!graph) return tl::unexpected<Error>(graph.error());
  return run_description(description, *graph, options);
}

Result<RunResult> run_description(const TestDescription& description, const Graph& graph, const Options& options) {
  // A graph in ERROR has no use for inputs, which may not even fit it.
  RunCache cache;
  MACAW_ASSIGN(auto verdict, validate(graph, options, cache));
  if (verdict.status() == Status::kError) {
    RunResult result;
    result.verdict = std::move(verdict);
    return result;
  }
  const auto& main = graph.main();
  if (description.input_files.size() != main.inputs.size())
    return fail(ErrorCode::kMismatch, fmt::format("the graph has {} inputs, {} were given", main.inputs.size(),
                                                  description.input_files.size()));
  std::vector<Tensor> inputs(main.inputs.size());
  std::vector<bool> given(main.inputs.size());
  for (std::size_t i = 0; i < description.input_files.size(); ++i) {
    std::size_t port = i;
    if (i < description.input_names.size() && !description.input_names[i].empty()) {
      MACAW_ASSIGN(port, find_port(graph, main.inputs, description.input_names[i], "input"));
    }
    if (given[port])
      return fail(ErrorCode::kMismatch,
                  fmt::format("input \"{}\" is given twice", main.values[main.inputs[port]].name));
    given[port] = true;
    MACAW_ASSIGN(inputs[port], read_input(description.input_files[i], main.values[main.inputs[port]], description.fit));
  }
  Options with_variables = options;
  for (const auto& [name, file] : description.initial_variables) {
    MACAW_ASSIGN(const auto* variable, find_variable(graph, name));
    MACAW_ASSIGN(auto contents, read_input(file, *variable, description.fit));
    with_variables.variables.insert_or_assign(variable->variable_name, std::move(contents));
  }
  return run_validated(graph, std::move(verdict), std::move(cache), std::move(inputs), with_variables);
}

Result<std::vector<std::pair<std::string, std::size_t>>> output_files(const TestDescription& description,
                                                                      const Graph& graph) {
  const auto& main = graph.main();
  std::vector<std::pair<std::string, std::size_t>> files;
  if (description.output_names.empty())
    for (std::size_t i = 0; i < main.outputs.size(); ++i)
      files.emplace_back(io::file_name_of(main.values[main.outputs[i]].name) + ".npy", i);
  for (std::size_t i = 0; i < description.output_names.size(); ++i) {
    MACAW_ASSIGN(const auto port, find_port(graph, main.outputs, description.output_names[i], "output"));
    files.emplace_back(description.output_files[i], port);
  }
  return files;
}

RunResult error_result(const Error& error) {
  RunResult result;
  result.verdict.findings.push_back({Status::kError, error.place.op, "", "graph", error.message});
  return result;
}

Tensor as_reference(const Tensor& stored) { return to_precise(stored); }

Tensor as_declared(const Tensor& precise, DType dtype) {
  if (precise.dtype() != DType::kFP64 || !holds_floats(dtype)) return precise;
  Tensor rounded(dtype, precise.shape());
  store_floats(precise.data<double>(), rounded);
  return rounded;
}

Result<bool> is_error_before_evaluation(Graph graph, const Verdict& found, const Options& options) {
  for (auto& block : graph.blocks)
    for (auto& value : block.values)
      if (!value.variable) value.data = nullptr;
  MACAW_ASSIGN(const auto without_contents, validate(graph, options));
  return std::ranges::any_of(without_contents.findings, [&](const BrokenRule& finding) {
    const auto same = [&](const BrokenRule& f) { return f.place == finding.place && f.rule == finding.rule; };
    return finding.status == Status::kError && std::ranges::any_of(found.findings, same);
  });
}

}  // namespace macaw::tosa
