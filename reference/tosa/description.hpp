#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <macaw/input_fit.hpp>
#include <macaw/tosa/interpreter.hpp>

namespace macaw::tosa {

/// A graph with the files of its inputs and outputs: the test description (desc.json) of Arm's TOSA reference model, or
/// the same told on the command line. Paths are resolved, but for files that are relative to the output folder: those
/// of outputs, and those that variables are written to after a valid run.
struct TestDescription {
  std::filesystem::path graph;
  std::vector<std::string> input_names, output_names;
  std::vector<std::filesystem::path> input_files;
  std::vector<std::string> output_files;
  std::vector<std::pair<std::string, std::string>> variable_files;  ///< name, file
  /// Name and file of the contents of variables before the run; a description alone asks for none.
  std::vector<std::pair<std::string, std::filesystem::path>> initial_variables;
  InputFit fit = {.reshape = true, .reinterpret = true};  ///< as in the reference model, which compares sizes only
  std::filesystem::path output_dir;  ///< where outputs go unless told otherwise: the description's own folder
  bool expected_failure = false;     ///< the graph must end in ERROR
  bool bounds_required = false;      ///< test_requirements.bounds_file_required: its compliance rule needs bounds
  std::string compliance_json;       ///< meta.compliance, or empty
};

/// Reads a description. Unknown members are ignored, wrong types of known ones are kInvalidFile errors.
/// Files are below `dir`, or the description's own folder if that is empty.
[[nodiscard]] Result<TestDescription> read_description(const std::filesystem::path& file,
                                                       const std::filesystem::path& dir = {});

/// Loads the graph and the inputs and runs. A graph that is sound as a file and wrong as a graph is an ERROR verdict.
/// Inputs are matched by name; without names they are taken in order.
[[nodiscard]] Result<RunResult> run_description(const TestDescription& description, const Options& options = {});

/// Files for the outputs and the index of each in RunResult::outputs, in the order of the description, or of the graph
/// if the description names none.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::size_t>>> output_files(const TestDescription& description,
                                                                                    const Graph& graph);

/// Converts a stored result to a reference for judge(): floating-point numbers to FP64; other types are unchanged.
[[nodiscard]] Tensor as_reference(const Tensor& stored);

/// The opposite, for results that a graph declares as `dtype`: rounded to it.
[[nodiscard]] Tensor as_declared(const Tensor& precise, DType dtype);

/// Whether a graph that validate() finds in ERROR is so whatever its constants hold: Arm's model finds such before it
/// evaluates any operator.
[[nodiscard]] Result<bool> is_error_before_evaluation(Graph graph, const Verdict& found, const Options& options);

/// The result of a graph that was rejected while it was read.
[[nodiscard]] RunResult error_result(const Error& error);

/// The same run with the graph already loaded.
[[nodiscard]] Result<RunResult> run_description(const TestDescription& description, const Graph& graph,
                                                const Options& options);

/// The variable that a description names, by its tensor's name (as the reference model does) or its own.
[[nodiscard]] Result<const Value*> find_variable(const Graph& graph, const std::string& name);

/// Index of a named input or output in a list of the main block.
[[nodiscard]] Result<std::size_t> find_port(const Graph& graph, const std::vector<ValueId>& list,
                                            const std::string& name, const char* kind);

}  // namespace macaw::tosa
