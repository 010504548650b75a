#include "workflow/accuracy/npu_network.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/run.hpp>

#include "workflow/compare/match/match.hpp"
#include "workflow/compare/program.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::accuracy {
namespace {

/// The operations that write a tensor, by number, and how their elements make it up.
struct Writers {
  std::size_t tensor = 0;
  std::vector<std::size_t> records;
  bool are_slices = false;  ///< of its last axis; else consecutive parts
};

/// The results of the operations of interest in a run.
using Written = std::map<std::size_t, std::vector<std::byte>>;

bool equal_parts(const Writers& writers, const Written& written, std::span<const std::byte> expected) {
  std::size_t at = 0;
  for (const auto record : writers.records) {
    const auto found = written.find(record);
    if (found == written.end() || found->second.size() > expected.size() - at) return false;
    if (!std::ranges::equal(found->second, expected.subspan(at, found->second.size()))) return false;
    at += found->second.size();
  }
  return at == expected.size();
}

bool equal_slices(const Writers& writers, const Written& written, const Tensor& value) {
  const auto expected = value.bytes();
  const auto row = static_cast<std::size_t>(value.shape().back()) * size_of(value.dtype());
  if (row == 0) return false;
  const auto rows = expected.size() / row;
  std::size_t at = 0;
  for (const auto record : writers.records) {
    const auto found = written.find(record);
    if (found == written.end() || found->second.size() % rows != 0) return false;
    const auto own = found->second.size() / rows;
    if (own > row - at) return false;
    for (std::size_t i = 0; i < rows; ++i)
      if (std::memcmp(found->second.data() + i * own, expected.data() + i * row + at, own) != 0) return false;
    at += own;
  }
  return at == row;
}

/// Matches of tensors that commands wrote without a change of form.
std::vector<Writers> find_writers(const compare::Reference& reference, const npu::Artifact& artifact,
                                  const std::vector<compare::Record>& records) {
  std::map<std::size_t, Writers> writers;
  for (auto& match : compare::match_by_contents(reference, records))
    writers.emplace(match.tensor,
                    Writers{match.tensor, std::move(match.records), match.method == compare::MatchMethod::kSlices});
  for (auto& match : compare::match_by_database(reference, artifact, records)) {
    const auto bytes = std::as_const(*reference.tensors[match.tensor].value).bytes().size();
    if (match.records.size() == 1 && match.contents.size() == bytes)
      writers.emplace(match.tensor, Writers{match.tensor, std::move(match.records), false});
  }
  std::vector<Writers> list;
  for (auto& [tensor, found] : writers) list.push_back(std::move(found));
  return list;
}

/// Every cycle belongs to one command, and every command to the first tensor that it or a later one writes.
std::vector<std::optional<std::uint64_t>> cycles_of(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                                    const std::vector<npu::NamedTensor>& inputs,
                                                    const std::vector<Writers>& writers, std::size_t tensors) {
  std::vector<std::optional<std::uint64_t>> cycles(tensors);
  const auto run =
      npu::execute({.artifact = artifact, .accelerator = accelerator, .inputs = inputs, .mode = npu::RunMode::kTiming});
  if (!run) return cycles;                       // no model of this accelerator or system: the layers have no time
  std::map<std::size_t, std::size_t> tensor_of;  // by record; of several tensors the first
  for (const auto& writer : writers)
    for (const auto record : writer.records) tensor_of.emplace(record, writer.tensor);
  std::uint64_t sum = 0;
  std::size_t record = 0;
  for (const auto& op : run->operations) {
    sum += op.exclusive.cycles();
    if (op.is_dma()) continue;
    const auto found = tensor_of.find(record++);
    if (found == tensor_of.end()) continue;
    auto& total = cycles[found->second];
    total = total.value_or(0) + std::exchange(sum, 0);
  }
  return cycles;
}

}  // namespace

struct NpuNetwork::State {
  State(npu::PreparedNetwork prepared, const tflite::Network& of)
      : npu(std::move(prepared)), program(of), network(&of) {}

  npu::PreparedNetwork npu;
  compare::Program program;
  const tflite::Network* network;
  std::vector<Writers> writers;
  std::vector<bool> wanted;  ///< by number of the operation
  std::vector<bool> visible;
  std::vector<std::optional<std::uint64_t>> cycles;  ///< by tensor
};

Result<NpuNetwork> NpuNetwork::create(npu::Artifact artifact, const std::string& accelerator_name,
                                      const tflite::Network& network, const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, accelerator_name));
  const compare::Program program(network);
  MACAW_ASSIGN(const auto reference, program.reference(inputs));
  MACAW_ASSIGN(const auto named, program.network_inputs(inputs, artifact));
  std::vector<Writers> writers;
  // Where commands depend on values, their numbers are not the same in every run.
  if (!npu::has_control_flow(artifact)) {
    MACAW_ASSIGN(const auto trace, compare::trace_program(artifact, *accelerator, named, false));
    writers = find_writers(reference, artifact, trace.records);
  }
  if (artifact.outputs.size() != network.main().outputs.size())
    return fail(
        ErrorCode::kMismatch,
        fmt::format("{} outputs, but the network has {}", artifact.outputs.size(), network.main().outputs.size()),
        {.file = artifact.file});
  auto cycles = cycles_of(artifact, *accelerator, named, writers, network.main().tensors.size());
  MACAW_ASSIGN(auto prepared, npu::PreparedNetwork::create(std::move(artifact), *accelerator));
  auto state = std::make_unique<State>(std::move(prepared), network);
  state->cycles = std::move(cycles);
  state->visible.resize(network.main().tensors.size());
  for (const auto& writer : writers) {
    state->visible[writer.tensor] = true;
    for (const auto record : writer.records) {
      state->wanted.resize(std::max(state->wanted.size(), record + 1));
      state->wanted[record] = true;
    }
  }
  for (const int output : network.main().outputs) state->visible[static_cast<std::size_t>(output)] = true;
  state->writers = std::move(writers);
  return NpuNetwork(std::move(state));
}

Result<NpuDifferences> NpuNetwork::run(const std::vector<Tensor>& inputs, std::span<const Tensor* const> values) const {
  Written written;
  std::size_t number = 0;
  npu::FunctionalOptions options;
  options.observer = [&](const npu::OperationEvent& event) {
    if (!std::holds_alternative<const npu::BlockOperation*>(event.operation)) return;
    if (number < state_->wanted.size() && state_->wanted[number])
      written.emplace(number, compare::written_elements(event));
    ++number;
  };
  MACAW_ASSIGN(const auto named, state_->program.network_inputs(inputs, state_->npu.artifact()));
  MACAW_ASSIGN(const auto result, npu::execute(state_->npu, named, options));
  NpuDifferences differences;
  for (const auto& writer : state_->writers) {
    const Tensor* value = values[writer.tensor];
    if (!value) continue;
    const bool equal =
        writer.are_slices ? equal_slices(writer, written, *value) : equal_parts(writer, written, value->bytes());
    if (!equal) differences.tensors.push_back(writer.tensor);
  }
  const auto& outputs = state_->network->main().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto tensor = static_cast<std::size_t>(outputs[i]);
    if (!values[tensor] || std::ranges::equal(values[tensor]->bytes(), result.outputs[i].bytes())) continue;
    differences.outputs_equal = false;
    if (std::ranges::find(differences.tensors, tensor) == differences.tensors.end())
      differences.tensors.push_back(tensor);
  }
  return differences;
}

const std::vector<bool>& NpuNetwork::visible() const { return state_->visible; }
const std::vector<std::optional<std::uint64_t>>& NpuNetwork::cycles() const { return state_->cycles; }
const std::string& NpuNetwork::file() const { return state_->npu.artifact().file; }
std::string_view NpuNetwork::accelerator_name() const { return state_->npu.accelerator().name; }

NpuNetwork::NpuNetwork(std::unique_ptr<State> state) : state_(std::move(state)) {}
NpuNetwork::NpuNetwork(NpuNetwork&&) noexcept = default;
NpuNetwork& NpuNetwork::operator=(NpuNetwork&&) noexcept = default;
NpuNetwork::~NpuNetwork() = default;

}  // namespace macaw::accuracy
