#include "sim/datapath/dma.hpp"
#include "sim/isa/disasm.hpp"
#include "sim/machine/findings/inspector.hpp"
#include "sim/machine/located.hpp"
#include "sim/machine/machine.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

template <class... Fn>
struct Overload : Fn... {
  using Fn::operator()...;
};

/// Streams and CPU operators on a machine, in program order. Waits need nothing: every operation is complete when the
/// next one starts; the inspector knows what the NPU would do.
class StreamRun {
 public:
  StreamRun(Machine& machine, const FunctionalOptions& options, FunctionalResult& result)
      : machine_(machine), options_(options), result_(result) {
    if (options.findings) inspector_.emplace(machine.artifact(), machine.accelerator(), options.findings);
  }

  Result<void> run(const CommandStream& stream, std::size_t index) {
    MACAW_CHECK(machine_.start(stream));
    if (inspector_) inspector_->start(stream, index);
    CommandParser parser(machine_.accelerator(), stream.words);
    for (;;) {
      auto step = parser.next();
      if (!step) return located(step.error(), machine_, stream, nullptr, {});
      if (std::holds_alternative<Stop>(step->action)) return {};
      std::string_view name;
      if (auto done = act(*step, index, parser, name); !done)
        return located(done.error(), machine_, stream, &*step, name);
    }
  }

  Result<void> run(const HostOperator& host) {
    MACAW_ASSIGN(const std::int64_t work, machine_.execute(host, options_.max_work - result_.work));
    result_.work += work;
    ++result_.host_operations;
    skip(host);
    return {};
  }

  /// Its outputs count as written, whatever they are.
  void skip(const HostOperator& host) {
    if (inspector_) inspector_->ran(host);
  }

 private:
  Result<void> act(const Step& step, std::size_t index, CommandParser& parser, std::string_view& name) {
    OperationEvent event{index, step.index, step.offset, {}, {}, {}};
    return std::visit(Overload{[&](const BlockOperation& op) -> Result<void> {
                                 name = command_name(op);
                                 MACAW_CHECK(account(work(op)));
                                 if (inspector_) inspector_->before(step, op, machine_.memory_map());
                                 const auto footprint = machine_.execute(op);
                                 if (!footprint && inspector_) inspector_->failed(step, op, machine_.memory_map());
                                 MACAW_CHECK(footprint);
                                 ++result_.block_operations;
                                 event.operation = &op;
                                 if (footprint->ofm) event.written = machine_.locate(op.ofm.region, *footprint->ofm);
                                 observe(event);
                                 return {};
                               },
                               [&](const DmaOperation& op) -> Result<void> {
                                 name = "NPU_OP_DMA_START";
                                 MACAW_CHECK(account(work(op)));
                                 if (inspector_) inspector_->before(step, op);
                                 MACAW_ASSIGN(const ByteRange range, machine_.execute(op));
                                 ++result_.dma_operations;
                                 event.operation = &op;
                                 if (!op.dst_internal) event.written = machine_.locate(op.dst_region, range);
                                 observe(event);
                                 return {};
                               },
                               [&](const Branch& branch) -> Result<void> {
                                 name = "NPU_OP_BRANCH";
                                 MACAW_CHECK(account(1));
                                 if (branch.conditional && !machine_.result_flag()) return {};
                                 return parser.branch(branch.target);
                               },
                               [&](const Wait& wait) -> Result<void> {
                                 if (inspector_) inspector_->wait(wait);
                                 return {};
                               },
                               [](const auto&) -> Result<void> { return {}; }},
                      step.action);
  }

  /// Limits of the run, so that a hostile stream ends.
  Result<void> account(std::int64_t amount) {
    if (++operations_ > options_.max_operations)
      return fail(ErrorCode::kUnsupported, fmt::format("more than {} operations", options_.max_operations));
    if (amount > options_.max_work - result_.work)
      return fail(ErrorCode::kUnsupported, fmt::format("more than {} multiply-accumulates", options_.max_work));
    result_.work += amount;
    return {};
  }

  void observe(OperationEvent& event) const {
    if (!options_.observer) return;
    event.bytes = machine_.bytes(event.written);
    options_.observer(event);
  }

  Machine& machine_;
  const FunctionalOptions& options_;
  FunctionalResult& result_;
  std::uint64_t operations_ = 0;
  std::optional<Inspector> inspector_;
};

}  // namespace

Result<FunctionalResult> run_functional(const Artifact& artifact, const Accelerator& accelerator,
                                        std::span<const NamedTensor> inputs, const FunctionalOptions& options) {
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  MACAW_CHECK(machine.set_variables(options.variables));
  MACAW_CHECK(machine.set_inputs(inputs));
  FunctionalResult result;
  StreamRun run(machine, options, result);
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[i])) MACAW_CHECK(run.run(*host));
    else MACAW_CHECK(run.run(std::get<CommandStream>(artifact.steps[i]), i));
  }
  for (std::size_t i = 0; i < artifact.outputs.size(); ++i) result.outputs.push_back(machine.output(i));
  for (std::size_t i = 0; i < artifact.variables.size(); ++i) result.variables.push_back(machine.variable(i));
  return result;
}

Result<void> inspect_streams(const Artifact& artifact, const Accelerator& accelerator,
                             const FunctionalOptions& options) {
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  FunctionalResult result;
  StreamRun run(machine, options, result);
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    if (const auto* host = std::get_if<HostOperator>(&artifact.steps[i])) run.skip(*host);
    else MACAW_CHECK(run.run(std::get<CommandStream>(artifact.steps[i]), i));
  }
  return {};
}

}  // namespace macaw::npu
