#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/compare/judge/coverage.hpp"
#include "workflow/compare/program.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {

/// A tensor that differs, with its expected and actual contents.
struct Picture {
  std::string tensor;
  Tensor expected, actual;
};

/// Results of both sides for one set of inputs.
struct ComparedRun {
  std::string inputs;  ///< "input files", "seed 7" or the name of a file
  std::vector<OutputComparison> outputs;
  Location location;                   ///< `wrong`: a difference for which there is evidence
  std::vector<Picture> pictures = {};  ///< of the first few tensors that differ, unless they are large

  [[nodiscard]] bool outputs_equal() const;
};

/// Side-by-side comparison of a program and its compiled form.
struct Comparison {
  std::string kind = "tosa";  ///< of the program: what computed the expected values
  bool outputs_only = false;  ///< tensors and constants inside the network are ignored
  std::string accelerator;    ///< by its name
  Reference reference;        ///< of the last run, without its values
  ConstantCheck constants;
  Coverage coverage;
  std::vector<ComparedRun> runs;
  bool doubtful = false;      ///< a tensor or constant inside the network could not be shown to be equal
  std::int64_t elements = 1;  ///< of all tensors of a run
  std::size_t tried = 0;      ///< runs of search_counterexample() in which all outputs were equal

  [[nodiscard]] bool equal() const;
  [[nodiscard]] bool equal(const ComparedRun& run) const;
  /// Unusual observations that are not differences, each once.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// Compares the outputs of a network with those of the program. kMismatch if their number or the size of one differs.
[[nodiscard]] Result<std::vector<OutputComparison>> compare_outputs(const Reference& reference,
                                                                    const std::vector<Tensor>& actual);

/// Runs both on `tensors` (in the program's order) and adds the result; `inputs` becomes ComparedRun::inputs. kMismatch
/// if the number of inputs or outputs or the size of an output differs. Other errors: those of Program::reference() and
/// trace_program().
[[nodiscard]] Result<void> add_run(Comparison& comparison, const Program& program, const npu::Artifact& artifact,
                                   const npu::Accelerator& accelerator, std::string inputs,
                                   const std::vector<Tensor>& tensors);
/// The same with tensors of another program in place of a graph; they may be incomplete. kMismatch if none of them was
/// found, or if only outputs count and none is among them.
[[nodiscard]] Result<void> add_run(Comparison& comparison, Reference reference, const npu::Artifact& artifact,
                                   const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs);

/// Adds a run of which only the outputs are known, after one of the same program. kMismatch as for add_run().
[[nodiscard]] Result<void> add_outputs(Comparison& comparison, std::string inputs, const std::vector<Tensor>& expected,
                                       const std::vector<Tensor>& actual, std::string note);

/// If all runs are equal although some constants or inner tensors could not be shown to be: runs both on more random
/// inputs and adds the first run in which an output differs. Inputs that a side cannot run are skipped.
[[nodiscard]] Result<void> search_counterexample(Comparison& comparison, const Program& program,
                                                 const npu::Artifact& artifact, const npu::Accelerator& accelerator);

/// `tensors`: also lists how each tensor was recognised.
[[nodiscard]] std::string to_text(const Comparison& comparison, bool tensors);
/// Describes the mismatch of one run; empty if there is none.
[[nodiscard]] std::string failure_text(const Comparison& comparison, const ComparedRun& run);
/// How much of the network was compared in all runs, and how well the inputs exercised it.
[[nodiscard]] std::string coverage_text(const Comparison& comparison);
[[nodiscard]] nlohmann::json to_json(const Comparison& comparison);
/// Contents of a comparison's page: the text's data and the pictures.
[[nodiscard]] nlohmann::json page_json(const Comparison& comparison);

}  // namespace macaw::compare
