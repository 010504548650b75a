#include <macaw/interruption.hpp>

#include "sim/datapath/dma.hpp"
#include "sim/datapath/work.hpp"
#include "sim/functional/findings/inspector.hpp"
#include "sim/functional/located.hpp"
#include "sim/functional/machine.hpp"
#include "sim/functional/streams.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

template <class... Fn>
struct Overload : Fn... {
  using Fn::operator()...;
};
template <class... Fn>
Overload(Fn...) -> Overload<Fn...>;

/// Executes streams and CPU operators on a machine in program order. Waits need no action, since every operation is
/// complete when the next one starts; the inspector tracks what the NPU would do.
class StreamRun {
 public:
  StreamRun(Machine& machine, const FunctionalOptions& options, const ExecutionSink& executed, FunctionalResult& result)
      : machine_(machine), options_(options), executed_(executed), result_(result), work_(options.max_work) {
    if (options.findings) inspector_.emplace(machine.artifact(), machine.accelerator(), options.findings);
  }

  Result<void> run(const CommandStream& stream, const ParsedStream& parsed, std::size_t index) {
    MACAW_CHECK(machine_.start(stream));
    if (inspector_) inspector_->start(stream, index);
    StreamReader reader(parsed);
    for (;;) {
      const auto operation = reader.next();
      if (!operation) return located(operation.error(), machine_, stream, nullptr);
      jumped_ = false;
      MACAW_CHECK(Interruption::check());
      auto done = work_.issue(**operation);
      if (done) done = work_.execute(**operation);
      if (done) done = act(**operation, index, reader);
      if (done && executed_) done = executed_(index, **operation, jumped_);
      if (!done) return located(done.error(), machine_, stream, *operation);
      if (std::holds_alternative<StreamStop>((*operation)->action)) return {};
    }
  }

  Result<void> run(const HostOperator& host) {
    MACAW_ASSIGN(const std::int64_t work, machine_.execute(host, options_.host, work_.left()));
    MACAW_CHECK(work_.add(work));
    ++result_.host_operations;
    skip(host);
    return {};
  }

  /// Returns the next step.
  Result<std::size_t> run(const ControlStep& step, std::size_t index) {
    constexpr std::size_t kMostNested = 32;
    MACAW_CHECK(Interruption::check());
    MACAW_CHECK(work_.add(Work::kOperation));
    for (const auto& copy : step.copies) MACAW_CHECK(work_.add(copy.to.size, Work::kElement));
    machine_.copy(step.copies);
    if (inspector_) inspector_->copied(step.copies);
    switch (step.kind) {
      case ControlStep::Kind::kGoOn: return index + 1;
      case ControlStep::Kind::kJump: {
        const bool stays = step.unless && machine_.bytes({step.unless->memory, step.unless->offset, 1})[0] != 0;
        return stays ? index + 1 : step.target;
      }
      case ControlStep::Kind::kCall:
        if (returns_.size() == kMostNested)
          return fail(ErrorCode::kUnsupported, fmt::format("subgraphs {} deep in each other", kMostNested),
                      {.file = machine_.artifact().file});
        returns_.push_back(index + 1);
        return step.target;
      case ControlStep::Kind::kReturn: break;
    }
    if (returns_.empty()) return machine_.artifact().steps.size();
    const auto next = returns_.back();
    returns_.pop_back();
    return next;
  }

  [[nodiscard]] std::int64_t work() const { return work_.done(); }

  /// Its outputs count as written.
  void skip(const HostOperator& host) {
    if (inspector_) inspector_->ran(host);
  }
  /// All steps are visited in the order of the file.
  void skip(const ControlStep& step) {
    if (inspector_) inspector_->copied(step.copies);
  }

 private:
  Result<void> act(const StreamOperation& at, std::size_t index, StreamReader& reader) {
    OperationEvent event{index, at.index, at.offset, {}, {}, {}};
    return std::visit(Overload{[&](const BlockOperation& op) -> Result<void> {
                                 if (inspector_) inspector_->before(at, op, machine_.memory_map());
                                 event.operation = &op;
                                 event.memory = &machine_.memory_map();
                                 if (options_.before) options_.before(event);
                                 const auto footprint = machine_.execute(op);
                                 if (!footprint && inspector_) inspector_->failed(at, op, machine_.memory_map());
                                 MACAW_CHECK(footprint);
                                 ++result_.block_operations;
                                 if (footprint->ofm) event.written = machine_.locate(op.ofm.region, *footprint->ofm);
                                 observe(event);
                                 return {};
                               },
                               [&](const DmaOperation& op) -> Result<void> {
                                 if (inspector_) inspector_->before(at, op);
                                 MACAW_ASSIGN(const ByteRange range, machine_.execute(op));
                                 ++result_.dma_operations;
                                 event.operation = &op;
                                 if (!op.dst_internal) event.written = machine_.locate(op.dst_region, range);
                                 observe(event);
                                 return {};
                               },
                               [&](const Branch& branch) -> Result<void> {
                                 if (branch.conditional && !machine_.result_flag()) return {};
                                 jumped_ = true;
                                 return reader.branch(branch.target);
                               },
                               [&](const Wait& wait) -> Result<void> {
                                 if (inspector_) inspector_->wait(wait);
                                 return {};
                               },
                               [](const auto&) -> Result<void> { return {}; }},
                      at.action);
  }

  void observe(OperationEvent& event) const {
    if (!options_.observer) return;
    event.bytes = machine_.bytes(event.written);
    event.memory = &machine_.memory_map();
    options_.observer(event);
  }

  Machine& machine_;
  const FunctionalOptions& options_;
  const ExecutionSink& executed_;
  FunctionalResult& result_;
  Work work_;
  bool jumped_ = false;
  std::vector<std::size_t> returns_;  ///< return steps of the subgraphs in progress
  std::optional<Inspector> inspector_;
};

/// Resources of a single run. Operations of the same layer, one per stripe, share its weights.
class RunExecution {
 public:
  explicit RunExecution(const FunctionalOptions& options, bool values = true) : weights_(kMaxWeightBytes) {
    execution_ = {.values = values, .scalar = options.scalar, .share_all = options.share_all, .weights = &weights_};
    if (options.threads != 1) execution_.workers = &workers_.emplace(options.threads);
  }
  RunExecution(const RunExecution&) = delete;
  RunExecution& operator=(const RunExecution&) = delete;
  [[nodiscard]] const Execution& get() const { return execution_; }

 private:
  static constexpr std::size_t kMaxWeightBytes = std::size_t{1} << 24;

  WeightCache weights_;
  std::optional<Workers> workers_;
  Execution execution_;
};

}  // namespace

ParsedStreams parse_streams(const Artifact& artifact, const Accelerator& accelerator) {
  ParsedStreams streams(artifact.steps.size());
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]))
      streams[i].emplace(accelerator, stream->words);
  return streams;
}

Result<FunctionalResult> run_streams(Machine& machine, const ParsedStreams& streams,
                                     std::span<const NamedTensor> inputs, const FunctionalOptions& options,
                                     const ExecutionSink& executed) {
  const Artifact& artifact = machine.artifact();
  MACAW_CHECK(machine.set_variables(options.variables));
  MACAW_CHECK(machine.set_inputs(inputs));
  FunctionalResult result;
  StreamRun run(machine, options, executed, result);
  for (std::size_t i = 0; i < artifact.steps.size();) {
    if (const auto* control = std::get_if<ControlStep>(&artifact.steps[i])) {
      MACAW_ASSIGN(i, run.run(*control, i));
      continue;
    }
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[i])) MACAW_CHECK(run.run(*host));
    else MACAW_CHECK(run.run(std::get<CommandStream>(artifact.steps[i]), *streams[i], i));
    ++i;
  }
  result.work = run.work();
  for (std::size_t i = 0; i < artifact.outputs.size(); ++i) result.outputs.push_back(machine.output(i));
  for (std::size_t i = 0; i < artifact.variables.size(); ++i) result.variables.push_back(machine.variable(i));
  return result;
}

Result<FunctionalResult> run_streams(const Artifact& artifact, const Accelerator& accelerator,
                                     const ParsedStreams& streams, std::span<const NamedTensor> inputs,
                                     const FunctionalOptions& options, const ExecutionSink& executed) {
  RunExecution execution(options);
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator, execution.get()));
  return run_streams(machine, streams, inputs, options, executed);
}

Result<void> inspect_streams(const Artifact& artifact, const Accelerator& accelerator, const ParsedStreams& streams,
                             const FunctionalOptions& options, const ExecutionSink& executed) {
  // The target of a branch depends on values.
  RunExecution execution(options, std::ranges::any_of(streams, [](const auto& s) { return s && s->branches(); }));
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator, execution.get()));
  FunctionalResult result;
  StreamRun run(machine, options, executed, result);
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[i])) run.skip(*host);
    else if (const auto* control = std::get_if<ControlStep>(&artifact.steps[i])) run.skip(*control);
    else MACAW_CHECK(run.run(std::get<CommandStream>(artifact.steps[i]), *streams[i], i));
  }
  return {};
}

Result<FunctionalResult> run_functional(const Artifact& artifact, const Accelerator& accelerator,
                                        std::span<const NamedTensor> inputs, const FunctionalOptions& options) {
  return run_streams(artifact, accelerator, parse_streams(artifact, accelerator), inputs, options, {});
}

Result<void> inspect_streams(const Artifact& artifact, const Accelerator& accelerator,
                             const FunctionalOptions& options) {
  return inspect_streams(artifact, accelerator, parse_streams(artifact, accelerator), options, {});
}

}  // namespace macaw::npu
