#include <macaw/interruption.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/bools.hpp"
#include "base/large_memory.hpp"
#include "reference/tosa/arith/float_tensor.hpp"
#include "reference/tosa/kernels/fusion.hpp"
#include "reference/tosa/kernels/workers.hpp"
#include "reference/tosa/op/def.hpp"
#include "reference/tosa/operator_rules.hpp"
#include "reference/tosa/plan.hpp"
#include "reference/tosa/run_cache.hpp"
#include "reference/tosa/run_validated.hpp"
#include "reference/tosa/structure.hpp"
#include "reference/tosa/work.hpp"

namespace macaw::tosa {
namespace {

using Handle = std::shared_ptr<const Tensor>;

/// Operators that run as one: each has a tile of 8 KiB on its thread's stack while the next one takes it.
constexpr std::size_t kMostInChain = 16;

/// Moves the tensor out of a handle; a shared one is copied. Every tensor that only handles own was created mutable.
Tensor take(Handle handle) {
  if (handle.use_count() == 1) return std::move(const_cast<Tensor&>(*handle));
  return *handle;
}

/// Total of all blocks; a tensor that several values share counts once.
std::int64_t constant_bytes(const Graph& graph) {
  std::set<const Tensor*> seen;
  std::int64_t bytes = 0;
  for (const auto& block : graph.blocks)
    for (const auto& value : block.values)
      if (value.data && seen.insert(value.data.get()).second) bytes += std::ssize(value.data->bytes());
  return bytes;
}

/// `dtype` is the one that the run has the value in.
Result<void> check_input(const Value& value, DType dtype, const Tensor& tensor) {
  const auto wrong = [&](std::string text) {
    return fail(ErrorCode::kMismatch, fmt::format("input \"{}\" {}", value.name, text));
  };
  if (tensor.dtype() != dtype)
    return wrong(fmt::format("must be {}, not {}", to_string(dtype), to_string(tensor.dtype())));
  if (!value.shape) return {};
  bool fits = value.shape->size() == tensor.rank();
  for (std::size_t i = 0; fits && i < tensor.rank(); ++i)
    fits = (*value.shape)[i] < 0 || (*value.shape)[i] == tensor.shape()[i];
  if (!fits)
    return wrong(fmt::format("must have shape {}, not {}", to_string(*value.shape), to_string(tensor.shape())));
  return {};
}

/// An operator that is ready to run, or has run.
struct Execution {
  const Block& block;
  std::size_t index;
  const TypeRow& row;
  std::vector<const Tensor*> inputs;
  std::vector<std::shared_ptr<Tensor>> results;
  std::vector<BrokenRule> findings;
  Result<void> done;

  [[nodiscard]] const Operator& op() const { return block.operators[index]; }
};

/// Whether all inputs that an operator can take in tiles have the shape of its output, so that it computes element by
/// element (TypeRow::tiled_inputs).
bool is_elementwise(const Block& block, const Operator& op, const TypeRow& row) {
  for (unsigned i = 0; i < op.inputs.size() && i < 32; ++i)
    if ((row.tiled_inputs & value_of(i)) && block.values[op.inputs[i]].shape != block.values[op.outputs[0]].shape)
      return false;
  return true;
}

/// Everything of one run that its blocks share.
class Run {
 public:
  Run(const Graph& graph, const Options& options, Workers& workers, RunCache& cache, RunResult& result)
      : graph_(graph), options_(options), workers_(workers), cache_(cache), result_(result) {
    for (const auto& [name, contents] : options.variables)
      variables_.contents.emplace(name, options.precise ? to_precise(contents) : contents);
  }

  [[nodiscard]] std::map<std::string, Tensor> take_variables() { return std::move(variables_.contents); }

  /// Outputs of the block, or none if an ERROR or a broken REQUIRE ended it (see the verdict).
  Result<std::optional<std::vector<Handle>>> block(const Block& block, std::vector<Handle> inputs, bool is_main) {
    auto& plan = cache_.plans[&block];
    if (plan.free_after.empty()) plan = make_plan(block);
    std::vector<Handle> slots(block.values.size());
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = stored(block.values[i].data);
    for (std::size_t i = 0; i < inputs.size(); ++i) slots[block.inputs[i]] = std::move(inputs[i]);
    std::vector<Execution> chain;
    std::size_t freed = 0;
    for (std::size_t i = 0; i < block.operators.size(); ++i) {
      MACAW_ASSIGN(const bool finished, execute(block, plan, i, slots, chain));
      if (!finished) return std::optional<std::vector<Handle>>();
      if (is_main) show(block, block.operators[i], slots);
      if (!chain.empty()) continue;
      for (; freed <= i; ++freed)
        for (const auto id : plan.free_after[freed]) slots[id].reset();
    }
    std::vector<Handle> outputs;
    for (const auto id : block.outputs) outputs.push_back(slots[id]);
    return std::optional(std::move(outputs));
  }

 private:
  /// The types in which this run stores a type and a constant.
  DType stored(DType dtype) const { return options_.precise ? precise_type(dtype) : dtype; }
  Handle stored(const Handle& constant) const {
    if (!constant || stored(constant->dtype()) == constant->dtype()) return constant;
    return std::make_shared<Tensor>(to_precise(*constant));
  }

  void show(const Block& block, const Operator& op, const std::vector<Handle>& slots) {
    for (const auto id : op.outputs) {
      if (options_.on_tensor) options_.on_tensor(block.values[id], *slots[id]);
      if (options_.keep_intermediates) result_.intermediates.insert_or_assign(block.values[id].name, *slots[id]);
    }
  }

  bool stopped(std::size_t findings_before) const {
    const auto& findings = result_.verdict.findings;
    return std::any_of(findings.begin() + static_cast<std::ptrdiff_t>(findings_before), findings.end(),
                       [](const BrokenRule& f) { return f.status != Status::kValid; });
  }

  [[nodiscard]] static tl::unexpected<Error> unsupported(std::string what, const std::string& place) {
    return fail(ErrorCode::kUnsupported, std::move(what), Place{"", place, {}, {}});
  }

  template <class Place>
  Result<void> account(std::int64_t work, Place place) {
    if (work > options_.max_work - work_)
      return unsupported(fmt::format("more work than the limit of {} multiply-accumulates", options_.max_work),
                         place());
    work_ += work;
    return {};
  }

  /// Runs an operator, or appends it to a chain that is to run with the operator that reads its output.
  Result<bool> execute(const Block& block, const Plan& plan, std::size_t index, std::vector<Handle>& slots,
                       std::vector<Execution>& chain) {
    const auto& op = block.operators[index];
    MACAW_CHECK(Interruption::check());
    const bool constant = op.op == Op::kCONST || op.op == Op::kCONST_SHAPE;
    if (constant && std::ranges::all_of(op.outputs, [&](ValueId id) { return slots[id] != nullptr; })) return true;
    const auto* definition = find_definition(op.op);
    if (!definition)
      return unsupported(fmt::format("operator {} is not supported", to_string(op.op)), place_of(graph_, block, index));

    std::vector<const Tensor*> inputs;
    inputs.reserve(op.inputs.size() + 1);
    for (const auto id : op.inputs) inputs.push_back(slots[id].get());
    if (op.op == Op::kVARIABLE && slots[op.outputs[0]]) inputs.push_back(slots[op.outputs[0]].get());
    std::vector<Shape> shapes;
    auto& cached = cache_.operators[&op];
    const auto* row = cached.row;
    if (!row) {
      MACAW_ASSIGN(row, prepare(*definition, block, index, slots, shapes));
    }
    if (!row) return false;
    if (!row->kernel)
      return unsupported(fmt::format("{} with these types is not supported", to_string(op.op)),
                         place_of(graph_, block, index));

    if (!cached.fuses_with_next)
      cached.fuses_with_next = chain.size() + 1 < kMostInChain &&
                               fuses_with_next(block, plan, index, *row, chain.empty() ? op : chain.front().op());
    Execution execution{block, index, *row, std::move(inputs), {}, {}, {}};
    for (std::size_t k = 0; k < op.outputs.size(); ++k) {
      const auto& value = block.values[op.outputs[k]];
      const auto fill = *cached.fuses_with_next ? TensorMemory::ZeroFill::kNoAllocation : TensorMemory::ZeroFill::kLazy;
      MACAW_ASSIGN(auto tensor,
                   Tensor::create(stored(value.dtype), shapes.empty() ? *value.shape : std::move(shapes[k]), fill));
      execution.results.push_back(std::make_shared<Tensor>(std::move(tensor)));
    }
    const auto work = work_of(op, execution.inputs, execution.results, options_.bounds);
    MACAW_CHECK(account(work, [&] { return place_of(graph_, block, index); }));
    chain.push_back(std::move(execution));
    if (*cached.fuses_with_next) {
      slots[op.outputs[0]] = chain.back().results[0];
      return true;
    }
    return run_chain(std::exchange(chain, {}), slots);
  }

  /// Whether an operator passes its output tile by tile to the operator that reads it, which is the same in all runs.
  /// `first` is the first of the chain: the output of no later operator may be larger than its own, which is not
  /// allocated.
  bool fuses_with_next(const Block& block, const Plan& plan, std::size_t index, const TypeRow& row,
                       const Operator& first) {
    const auto& next = plan.next_reader[index];
    if (!next || !may_fuse_ || !row.produces_tiles || !is_elementwise(block, block.operators[index], row)) return false;
    const auto& reader = block.operators[*next];
    const auto* reader_row = cache_.operators[&reader].row;
    if (!reader_row || !reader_row->kernel || !is_elementwise(block, reader, *reader_row)) return false;
    const auto input = std::ranges::find(reader.inputs, block.operators[index].outputs[0]) - reader.inputs.begin();
    return input < 32 && (reader_row->tiled_inputs & value_of(static_cast<unsigned>(input))) &&
           size_of(block.values[reader.outputs[0]].dtype) <= size_of(block.values[first.outputs[0]].dtype);
  }

  /// Runs the last of some operators, each of which reads the output of the one before it.
  void run_last(std::span<Execution> chain, Fusion* after) {
    auto& last = chain.back();
    if (chain.size() == 1) return call_kernel(last, nullptr, after);
    const auto before = chain.first(chain.size() - 1);
    const auto input = std::ranges::find(last.inputs, before.back().results[0].get()) - last.inputs.begin();
    Fusion fusion(static_cast<std::size_t>(input), [&](Fusion* joined) {
      run_last(before, joined);
      if (!joined || !joined->produces_tiles())
        (void)before.back().results[0]->bytes();  // zeros, if it was not written
    });
    call_kernel(last, &fusion, after);
    fusion.finish();
  }

  void call_kernel(Execution& execution, Fusion* before, Fusion* after) {
    std::vector<Tensor*> outputs;
    for (const auto& result : execution.results) outputs.push_back(result.get());
    const RunBlock run_block = [&](const std::string& name, std::span<const Tensor* const> arguments) {
      return body(name, arguments, execution);
    };
    Call call{execution.op(),
              execution.inputs,
              outputs,
              options_.precise,
              options_.precise && options_.bounds,
              run_block,
              variables_,
              execution.findings,
              options_.kernels,
              &workers_,
              before,
              after};
    execution.done = execution.row.kernel(call);
  }

  /// Runs operators as one; false after a finding that ends the run.
  Result<bool> run_chain(std::vector<Execution> chain, std::vector<Handle>& slots) {
    const auto before = result_.verdict.findings.size();
    run_last(chain, nullptr);
    for (auto& execution : chain) {
      const auto place = [&] { return place_of(graph_, execution.block, execution.index); };
      for (auto& finding : execution.findings) {
        finding.place = place();
        result_.verdict.findings.push_back(std::move(finding));
      }
      if (execution.done) continue;
      // A body that ended in a verdict has no results.
      if (stopped(before) && execution.done.error().code == ErrorCode::kUnpredictable) return false;
      auto error = execution.done.error();
      if (error.place.op.empty()) error.place.op = place();
      return tl::unexpected<Error>(std::move(error));
    }
    auto& last = chain.back();
    for (std::size_t k = 0; k < last.results.size(); ++k) {
      (void)last.results[k]->bytes();  // zeros, if the kernel did not write it
      slots[last.op().outputs[k]] = std::move(last.results[k]);
    }
    return true;
  }

  /// Infers the output shapes and applies all rules; null after a finding that ends the run.
  Result<const TypeRow*> prepare(const Definition& definition, const Block& block, std::size_t index,
                                 const std::vector<Handle>& slots, std::vector<Shape>& shapes) {
    const auto& op = block.operators[index];
    const auto place = place_of(graph_, block, index);
    auto& findings = result_.verdict.findings;
    bool open = false;
    for (const auto id : op.outputs) {
      const auto& value = block.values[id];
      open |= !value.is_static();
      shapes.push_back(value.is_static() ? *value.shape : Shape());
    }
    std::vector<Operand> inputs, outputs;
    for (const auto id : op.inputs)
      inputs.push_back(make_operand(op, block.values[id].dtype, &slots[id]->shape(), slots[id].get()));
    for (const auto id : op.outputs) outputs.push_back(make_operand(op, block.values[id].dtype, nullptr, nullptr));
    if (open) {
      const auto before = findings.size();
      const View view{op, inputs, outputs, options_.level, options_.profiles};
      if (!check_operator(definition, view, graph_.version, place, findings)) return nullptr;
      findings.resize(before);
      auto found = infer_shapes(definition, view);
      if (!found && note_wrong_shape(op, place, found.error(), findings)) return nullptr;
      MACAW_ASSIGN(auto inferred, std::move(found));
      if (!inferred)
        return unsupported(fmt::format("cannot infer the output shape of {} from its inputs", to_string(op.op)), place);
      if (note_contradiction(block, op, place, *inferred, findings)) return nullptr;
      shapes = std::move(*inferred);
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k].shape = &shapes[k];
    std::vector<BrokenRule> found;
    const View view{op, inputs, outputs, options_.level, options_.profiles};
    const auto* row = check_operator(definition, view, graph_.version, place, found);
    // Warnings were given by validate().
    std::erase_if(found, [](const BrokenRule& f) { return f.status == Status::kValid; });
    findings.insert(findings.end(), found.begin(), found.end());
    if (row && found.empty() && rules_read_graph_alone(definition, block, op)) cache_.operators[&op].row = row;
    return row;
  }

  Result<std::vector<Tensor>> body(const std::string& name, std::span<const Tensor* const> arguments,
                                   const Execution& caller) {
    const Block* block = graph_.find_block(name);
    if (!block) return fail(ErrorCode::kInvalidGraph, fmt::format("block \"{}\" does not exist", name));
    if (depth_ >= options_.level.max_nesting) {
      result_.verdict.findings.push_back({Status::kError, place_of(graph_, caller.block, caller.index), "", "nesting",
                                          fmt::format("graphs are nested deeper than level {}'s {}",
                                                      options_.level.name, options_.level.max_nesting)});
      return fail(ErrorCode::kUnpredictable, "nested too deep");
    }
    if (arguments.size() != block->inputs.size())
      return fail(ErrorCode::kInvalidGraph,
                  fmt::format("block \"{}\" needs {} inputs, not {}", name, block->inputs.size(), arguments.size()));
    // A body need not have an operator.
    MACAW_CHECK(Interruption::check());
    const auto work = work_of_body(arguments) + kWorkPerTensor * static_cast<std::int64_t>(block->values.size());
    MACAW_CHECK(account(work, [&] { return place_of(graph_, caller.block, caller.index); }));
    std::vector<Handle> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& value = block->values[block->inputs[i]];
      MACAW_CHECK(check_input(value, stored(value.dtype), *arguments[i]));
      inputs.push_back(Handle(Handle(), arguments[i]));  // the caller keeps it
    }
    ++depth_;
    auto outputs = this->block(*block, std::move(inputs), false);
    --depth_;
    if (!outputs) return tl::unexpected<Error>(outputs.error());
    if (!*outputs) return fail(ErrorCode::kUnpredictable, fmt::format("block \"{}\" ended in a verdict", name));
    std::vector<Tensor> tensors;
    for (auto& handle : **outputs) tensors.push_back(take(std::move(handle)));
    return tensors;
  }

  const Graph& graph_;
  const Options& options_;
  Workers& workers_;
  RunCache& cache_;
  RunResult& result_;
  Variables variables_;
  std::int64_t depth_ = 0;
  std::int64_t work_ = 0;
  /// The tensors between operators are not shown, and the kernels are those that produce and take tiles.
  const bool may_fuse_ =
      options_.kernels == Kernels::kBest && !options_.precise && !options_.on_tensor && !options_.keep_intermediates;
};

/// run_validated() on existing threads; adds results that later runs can use to `cache`.
Result<RunResult> run_on(Workers& workers, RunCache& cache, const Graph& graph, Verdict verdict,
                         std::vector<Tensor> inputs, const Options& options) {
  const KeepFreedMemory keep_freed_memory;
  RunResult result;
  result.verdict = std::move(verdict);
  if (result.verdict.status() == Status::kError) return result;
  // A condition that is unpredictable before the run is found again during it and stops it.
  std::erase_if(result.verdict.findings, [](const BrokenRule& f) { return f.status == Status::kUnpredictable; });
  const auto& main = graph.main();
  if (inputs.size() != main.inputs.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("the graph has {} inputs, {} were given", main.inputs.size(), inputs.size()));
  std::vector<Handle> handles;
  auto& memory = memory_use();
  const auto outer_peak = memory.peak, before = memory.now;
  memory.peak = before;
  if (!cache.constant_bytes) cache.constant_bytes = constant_bytes(graph);
  auto held = *cache.constant_bytes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& value = main.values[main.inputs[i]];
    held += std::ssize(inputs[i].bytes());
    MACAW_CHECK(check_input(value, value.dtype, inputs[i]));
    normalise_bools(inputs[i]);
    if (options.precise) inputs[i] = to_precise(inputs[i]);
    handles.push_back(std::make_shared<Tensor>(std::move(inputs[i])));
  }
  inputs.clear();
  Run execution(graph, options, workers, cache, result);
  MACAW_ASSIGN(auto outputs, execution.block(main, std::move(handles), true));
  result.variables = execution.take_variables();
  if (outputs)
    for (auto& handle : *outputs) result.outputs.push_back(take(std::move(handle)));
  result.stats.peak_bytes = held + memory.peak - before;
  memory.peak = std::max(memory.peak, outer_peak);
  return result;
}

}  // namespace

Result<RunResult> run(const Graph& graph, std::vector<Tensor> inputs, const Options& options) {
  RunCache cache;
  MACAW_ASSIGN(auto verdict, validate(graph, options, cache));
  return run_validated(graph, std::move(verdict), std::move(cache), std::move(inputs), options);
}

Result<RunResult> run_validated(const Graph& graph, Verdict verdict, RunCache cache, std::vector<Tensor> inputs,
                                const Options& options) {
  Workers workers(options.threads, options.share_all);
  return run_on(workers, cache, graph, std::move(verdict), std::move(inputs), options);
}

struct Interpreter::Kept {
  Verdict verdict;
  Workers workers;
  RunCache cache;
  KeepFreedMemory freed_memory;
};

Interpreter::Interpreter(Graph graph, Options options) : graph_(std::move(graph)), options_(std::move(options)) {}
Interpreter::Interpreter(Interpreter&& other) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&& other) noexcept = default;
Interpreter::~Interpreter() = default;

Result<RunResult> Interpreter::run(std::vector<Tensor> inputs) {
  if (!kept_) {
    RunCache cache;
    MACAW_ASSIGN(auto verdict, validate(graph_, options_, cache));
    kept_.reset(new Kept{std::move(verdict), Workers(options_.threads, options_.share_all), std::move(cache), {}});
  }
  MACAW_ASSIGN(auto result, run_on(kept_->workers, kept_->cache, graph_, kept_->verdict, std::move(inputs), options_));
  options_.variables = result.variables;
  return result;
}

}  // namespace macaw::tosa
