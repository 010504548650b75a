#include "app/tosa_results.hpp"

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file_name.hpp"
#include "base/npy_file.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

using Files = std::vector<std::pair<fs::path, const Tensor*>>;

/// Contents of variables after the run; none for a variable that was never written.
Result<Files> variable_files(const tosa::TestDescription& description, const tosa::Graph& graph,
                             const TosaResults& results) {
  Files files;
  for (const auto& [name, file] : description.variable_files) {
    MACAW_ASSIGN(const auto* variable, tosa::find_variable(graph, name));
    const auto contents = results.run.variables.find(variable->variable_name);
    if (contents == results.run.variables.end())
      print_stderr("macaw: variable \"{}\" has no contents, {} is not written\n", name, file);
    else files.emplace_back(file, &contents->second);
  }
  if (results.all_variables)
    for (const auto& [name, tensor] : results.run.variables)
      files.emplace_back("variable_" + io::file_name_of(name) + ".npy", &tensor);
  return files;
}

}  // namespace

Result<std::vector<std::string>> write_tosa_results(const tosa::TestDescription& description, const tosa::Graph& graph,
                                                    const TosaResults& results) {
  MACAW_ASSIGN(const auto outputs, tosa::output_files(description, graph));
  Files files;
  for (const auto& [file, port] : outputs)
    if (port < results.run.outputs.size()) files.emplace_back(file, &results.run.outputs[port]);
  for (const auto& [name, port] : outputs) {
    if (!results.bounds || port >= results.bounds->outputs.size()) break;  // the run completed with a verdict
    const fs::path file = name;
    files.emplace_back(file.parent_path() / ("bounds_" + file.filename().string()), &results.bounds->outputs[port]);
  }
  MACAW_ASSIGN(const auto variables, variable_files(description, graph, results));
  files.insert(files.end(), variables.begin(), variables.end());
  const auto listed = files.size();
  for (const auto& [name, tensor] : results.run.intermediates)
    files.emplace_back("intermediate_" + io::file_name_of(name) + ".npy", &tensor);

  const auto dir = description.output_dir.empty() ? fs::path(".") : description.output_dir;
  MACAW_CHECK(io::make_directory(dir));
  std::vector<fs::path> paths;
  for (auto& [file, tensor] : files) {
    paths.push_back(file = dir / file);
    MACAW_CHECK(io::check_inside(dir, file));
  }
  MACAW_CHECK(check_outputs(paths, results.overwrite));
  io::FileSet set(existing(results.overwrite));
  for (const auto& [file, tensor] : files) MACAW_CHECK(io::add_tensor(set, file, *tensor));
  MACAW_CHECK(set.publish());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < listed; ++i) names.push_back(paths[i].string());
  return names;
}

}  // namespace macaw::app
