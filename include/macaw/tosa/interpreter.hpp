#pragma once
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/kernels.hpp>
#include <macaw/tosa/profile.hpp>
#include <macaw/tosa/verdict.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace macaw::tosa {

struct Options {
  Level level = kLevel8K;
  /// Profiles and extensions that a graph may use; what is outside is an ERROR. Without EXT-DYNAMIC, inputs that the
  /// specification calls compile-time constants must be constants of the graph.
  ProfileMask profiles = kAllProfiles;
  /// Reference run of the compliance rules: floating-point values are computed and handed back as FP64. Inputs are
  /// of the declared types all the same.
  bool precise = false;
  /// With `precise`: operators give the bound that their compliance rule needs (sums of magnitudes, and so on) instead
  /// of their result. Only of use for a graph of one operator.
  bool bounds = false;
  bool keep_intermediates = false;  ///< fill RunResult::intermediates
  /// Called for every tensor an operator of the main block has computed, in execution order.
  std::function<void(const Value&, const Tensor&)> on_tensor;
  /// So that every run ends: multiply-accumulates at most, and 16 for an element written or reduced, 2^19 for an
  /// operator executed or a body of a loop begun; more is kUnsupported.
  std::int64_t max_work = std::int64_t{1} << 40;
  /// Contents of variables before the run, by variable name; overrides initial values.
  std::map<std::string, Tensor> variables;
  Kernels kernels = Kernels::kBest;
  /// Threads that share the work of a large operator, at most 256; 0: as many as the machine has. Results are the same
  /// bytes for any number.
  int threads = 0;
  /// Share even the smallest operator between the threads, which makes it slower: for tests.
  bool share_all = false;
};

struct Stats {
  /// Most bytes of tensors and of the kernels' scratch that were alive at once: inputs, constants, intermediates.
  std::int64_t peak_bytes = 0;
};

struct RunResult {
  std::vector<Tensor> outputs;  ///< in the graph's order; empty unless the run got to its end
  Verdict verdict;
  std::map<std::string, Tensor> intermediates;  ///< by tensor name, main block only
  /// After the run, of those that have contents; FP64 for floating-point variables of a precise run.
  std::map<std::string, Tensor> variables;
  Stats stats;
};

/// Checks a graph against the specification as far as that can be done without inputs. kUnsupported if it uses an
/// operator that Macaw does not have.
[[nodiscard]] Result<Verdict> validate(const Graph& graph, const Options& options = {});

/// Runs a graph on inputs in the order of its main block. A graph or inputs that break the specification are a verdict,
/// not an Error; an Error says that the call was wrong (number, type or shape of the inputs: kMismatch) or that Macaw
/// cannot do it (kUnsupported). BOOL inputs may hold any byte; non-zero is true.
[[nodiscard]] Result<RunResult> run(const Graph& graph, std::vector<Tensor> inputs, const Options& options = {});

/// Runs a graph again and again; its variables keep their contents from one run to the next. The graph is checked once,
/// and threads and memory stay for the next run.
class Interpreter {
 public:
  explicit Interpreter(Graph graph, Options options = {});
  Interpreter(Interpreter&& other) noexcept;
  Interpreter& operator=(Interpreter&& other) noexcept;
  ~Interpreter();

  /// As tosa::run(). A run that ends in a verdict keeps what it has written until then.
  [[nodiscard]] Result<RunResult> run(std::vector<Tensor> inputs);
  /// Contents of the variables, by name.
  [[nodiscard]] const std::map<std::string, Tensor>& variables() const { return options_.variables; }
  /// Sets the contents for the next run, as Options::variables; those that are missing have their initial values.
  void set_variables(std::map<std::string, Tensor> contents) { options_.variables = std::move(contents); }

 private:
  struct Kept;

  Graph graph_;
  Options options_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace macaw::tosa
