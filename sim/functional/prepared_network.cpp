#include <macaw/npu/prepared_network.hpp>

#include "sim/functional/located.hpp"
#include "sim/functional/machine.hpp"
#include "sim/functional/streams.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace macaw::npu {
namespace {

/// The memories and threads of a run.
struct Session {
  std::optional<Workers> workers;
  std::optional<Machine> machine;
};

bool same_threads(const Session& session, int threads) {
  return threads == 1 ? !session.workers : session.workers && session.workers->requested() == threads;
}

Result<void> prepare(Machine& machine, const CommandStream& stream, const ParsedStream& parsed) {
  MACAW_CHECK(machine.start(stream));
  for (const StreamOperation& operation : parsed.operations()) {
    const auto* block = std::get_if<BlockOperation>(&operation.action);
    if (!block) continue;
    if (const auto done = machine.prepare(*block); !done) return located(done.error(), machine, stream, &operation);
  }
  return {};
}

}  // namespace

struct PreparedNetwork::State {
  State(Artifact network, const Accelerator& target, std::size_t max_weight_bytes)
      : artifact(std::move(network)),
        accelerator(target),
        streams(parse_streams(artifact, accelerator)),
        weights(max_weight_bytes) {}

  /// Returns a session that is not in use, with a new or reset machine.
  Result<std::unique_ptr<Session>> take(const FunctionalOptions& options) {
    std::unique_ptr<Session> session;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        session = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!session) session = std::make_unique<Session>();
    if (!same_threads(*session, options.threads)) {
      session->workers.reset();
      if (options.threads != 1) session->workers.emplace(options.threads);
    }
    const Execution execution{.scalar = options.scalar,
                              .workers = session->workers ? &*session->workers : nullptr,
                              .share_all = options.share_all,
                              .weights = &weights};
    if (session->machine) {
      session->machine->reset(execution);
      return session;
    }
    MACAW_ASSIGN(session->machine, Machine::create(artifact, accelerator, execution));
    return session;
  }

  void give_back(std::unique_ptr<Session> session) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(session));
  }

  const Artifact artifact;
  const Accelerator& accelerator;
  const ParsedStreams streams;
  WeightCache weights;
  std::mutex mutex;
  std::vector<std::unique_ptr<Session>> idle;
};

PreparedNetwork::PreparedNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedNetwork::PreparedNetwork(PreparedNetwork&&) noexcept = default;
PreparedNetwork& PreparedNetwork::operator=(PreparedNetwork&&) noexcept = default;
PreparedNetwork::~PreparedNetwork() = default;

const Artifact& PreparedNetwork::artifact() const { return state_->artifact; }
const Accelerator& PreparedNetwork::accelerator() const { return state_->accelerator; }

Result<PreparedNetwork> PreparedNetwork::create(Artifact artifact, const Accelerator& accelerator,
                                                std::size_t max_weight_bytes) {
  auto state = std::make_unique<State>(std::move(artifact), accelerator, max_weight_bytes);
  MACAW_ASSIGN(auto session, state->take({}));
  for (std::size_t i = 0; i < state->streams.size(); ++i) {
    // Commands after a branch depend on values: they are prepared when they are executed.
    const auto& parsed = state->streams[i];
    if (!parsed || parsed->branches()) continue;
    MACAW_CHECK(prepare(*session->machine, std::get<CommandStream>(state->artifact.steps[i]), *parsed));
  }
  state->give_back(std::move(session));
  return PreparedNetwork(std::move(state));
}

Result<FunctionalResult> PreparedNetwork::run(std::span<const NamedTensor> inputs,
                                              const FunctionalOptions& options) const {
  MACAW_ASSIGN(auto session, state_->take(options));
  auto result = run_streams(*session->machine, state_->streams, inputs, options, {});
  state_->give_back(std::move(session));
  return result;
}

Result<std::vector<Tensor>> PreparedNetwork::initial_variables() const {
  MACAW_ASSIGN(auto session, state_->take({}));
  std::vector<Tensor> variables;
  for (std::size_t i = 0; i < artifact().variables.size(); ++i) variables.push_back(session->machine->variable(i));
  state_->give_back(std::move(session));
  return variables;
}

bool PreparedNetwork::cycles_depend_on_values() const {
  const auto is_indexed = [](const StreamOperation& operation) {
    const auto* dma = std::get_if<DmaOperation>(&operation.action);
    return dma && (dma->src_indexed || dma->dst_indexed);
  };
  return has_control_flow(artifact()) || std::ranges::any_of(state_->streams, [&](const auto& stream) {
           if (!stream) return false;
           // The rest of a stream that is parsed as it is executed is unknown.
           const auto operations = stream->operations();
           const bool is_known = !operations.empty() && std::holds_alternative<StreamStop>(operations.back().action);
           return !is_known || std::ranges::any_of(operations, is_indexed);
         });
}

}  // namespace macaw::npu
