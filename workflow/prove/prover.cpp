#include "workflow/prove/prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <macaw/npu/run.hpp>

#include "sim/datapath/output_rows.hpp"
#include "workflow/compare/tensor_difference.hpp"
#include "workflow/prove/elementwise.hpp"
#include "workflow/prove/sum.hpp"

namespace macaw::prove {
namespace {

/// Whether each element of the result depends on those at its place only: also a pool of one tap.
bool is_elementwise(const npu::BlockOperation& op) {
  if (op.kind == npu::OpKind::kElementwise) return true;
  using Mode = npu::PoolMode;
  const auto& k = op.kernel;
  return op.kind == npu::OpKind::kPool &&
         (op.pool == Mode::kAverage || op.pool == Mode::kSum || op.pool == Mode::kNone) && k.taps_y() == 1 &&
         k.taps_x() == 1 && k.stride_y == 1 && k.stride_x == 1 && k.pad_top == 0 && k.pad_left == 0 &&
         op.upscale == npu::Upscale::kNone && op.acc_input == npu::AccInput::kReset && op.acc_output &&
         !op.scale_per_channel;
}

}  // namespace

Prover::Prover(Model model, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
               const std::vector<Record>& records, const std::vector<compare::HostCall>& host_calls)
    : model_(std::move(model)), artifact_(artifact), accelerator_(accelerator), records_(records) {
  choose_host_tensors(host_calls);
  targets_.emplace(model_.graph, model_.reference, model_.given, records);
}

Result<void> Prover::follow(const std::vector<npu::NamedTensor>& inputs, const std::function<void()>& on_operation) {
  ElementTags tags(artifact_);
  for (std::size_t i = 0; i < artifact_.inputs.size(); ++i) {
    const auto named = std::ranges::find(inputs, artifact_.inputs[i].name, &npu::NamedTensor::name);
    tags.place(artifact_.inputs[i],
               input_writer(named == inputs.end() ? i : static_cast<std::size_t>(named - inputs.begin())));
  }
  std::size_t record = 0, step = 0;
  const auto run_hosts_before = [&](std::size_t next) {
    for (; step < next; ++step) host_operator(tags, step);
  };
  npu::FunctionalOptions options;
  options.observer = [&](const npu::OperationEvent& event) {
    run_hosts_before(event.step);
    if (const auto* dma = std::get_if<const npu::DmaOperation*>(&event.operation)) tags.move(event.step, **dma);
    else operation(tags, event.step, record++);
    if (on_operation) on_operation();
  };
  MACAW_CHECK(npu::execute({.artifact = artifact_,
                            .accelerator = accelerator_,
                            .inputs = inputs,
                            .mode = npu::RunMode::kFunctional,
                            .options = {.functional = std::move(options)}}));
  run_hosts_before(artifact_.steps.size());
  for (std::size_t i = 0; i < std::min(artifact_.outputs.size(), model_.reference.outputs.size()); ++i)
    outputs_.push_back(judge_output(tags.read(artifact_.outputs[i]), model_.reference.outputs[i]));
  return {};
}

std::optional<std::size_t> Prover::input_number(TensorId tensor) const {
  const auto& inputs = model_.reference.inputs;
  const auto found = std::ranges::find(inputs, tensor);
  if (found == inputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - inputs.begin());
}

Proof Prover::proof() const {
  Proof proof;
  for (const auto& [order, tensor] : targets_->order()) {
    if (model_.given.contains(tensor)) continue;
    const auto& target = targets_->of(tensor);
    TensorProof entry;
    entry.tensor = model_.reference.tensors[tensor].name;
    for (const auto op : target.operators) entry.operators.push_back(model_.reference.operators[op].text);
    const auto main = target.convolution ? target.convolution->constants->op
                      : target.pool ? static_cast<std::size_t>(target.pool->op - model_.graph.main().operators.data())
                                    : target.operators.back();
    entry.kind = model_.reference.operators[main].kind;
    entry.reason = target.reason;
    entry.verdict = target.reason.empty() ? Verdict::kProved : Verdict::kNotProved;
    proof.tensors.push_back(std::move(entry));
  }
  for (const auto& [tensor, given] : model_.given)
    proof.tensors.push_back(
        {model_.reference.tensors[tensor].name, {given.op}, given.kind, Verdict::kNotProved, given.reason});
  proof.tensors.insert(proof.tensors.end(), outputs_.begin(), outputs_.end());
  return proof;
}

void Prover::choose_host_tensors(const std::vector<compare::HostCall>& calls) {
  for (const auto& call : calls)
    for (std::size_t i = 0; i < call.outputs.size(); ++i) choose_host_tensor(call, i);
}

void Prover::choose_host_tensor(const compare::HostCall& call, std::size_t output) {
  const auto& reference = model_.reference;
  const auto& host = std::get<npu::HostOperator>(artifact_.steps[call.step]);
  // If several have the same contents, the result of such an operator is preferred.
  std::optional<TensorId> chosen;
  for (TensorId t = 0; t < reference.tensors.size(); ++t) {
    if (!reference.is_computed(t) ||
        !std::ranges::equal(reference.tensors[t].value->bytes(), call.outputs[output].bytes()))
      continue;
    const auto given = model_.given.find(t);
    const bool is_its_own = given != model_.given.end() && !given->second.by_host && given->second.kind == host.name;
    if (!chosen || is_its_own) chosen = t;
    if (is_its_own) break;
  }
  if (!chosen) return;
  host_tensors_.push_back({call.step, output, *chosen});
  auto& given = model_.given[*chosen];
  if (given.kind.empty())
    given = {host.name, fmt::format("operator {} ({}) of the compiled network", host.index, host.name),
             "the CPU computes it"};
  given.by_host = true;
}

void Prover::host_operator(ElementTags& tags, std::size_t step) const {
  const auto* host = std::get_if<npu::HostOperator>(&artifact_.steps[step]);
  if (host == nullptr) return;
  for (std::size_t i = 0; i < host->outputs.size(); ++i) {
    const auto known = std::ranges::find_if(
        host_tensors_, [&](const auto& tensor) { return tensor.step == step && tensor.output == i; });
    constexpr std::uint32_t kUnknown = 0;
    tags.place(host->outputs[i], known == host_tensors_.end() ? kUnknown : host_writer(known - host_tensors_.begin()));
  }
}

void Prover::operation(ElementTags& tags, std::size_t step, std::size_t r) {
  const auto& record = records_[r];
  const auto map = npu::stored_ofm(record.operation);
  if (const auto* written = targets_->written(r)) {
    auto& target = targets_->of(written->tensor);
    if (target.reason.empty()) target.reason = judge(tags, step, record, *written, target);
  } else if (const auto copied = copied_elements(tags, step, record)) {
    tags.write(step, map, *copied);
    return;
  }
  tags.write(step, map, operation_writer(r));
}

std::optional<std::vector<ElementTag>> Prover::copied_elements(ElementTags& tags, std::size_t step,
                                                               const Record& record) const {
  const auto& op = record.operation;
  if (!is_elementwise(op) || op.ifm_broadcast.scalar || op.ifm.h != op.ofm.h || op.ifm.w != op.ofm.w ||
      op.ifm.c != op.ofm.c || !is_copy(record, accelerator_))
    return std::nullopt;
  auto read = tags.read(step, op.ifm);
  if (!read || op.transpose == 0) return read;
  // In the order in which they are stored.
  const auto map = npu::stored_ofm(op);
  const auto axes = npu::stored_axes(op.transpose);
  std::vector<ElementTag> stored;
  stored.reserve(read->size());
  for (int y = 0; y < map.h; ++y)
    for (int x = 0; x < map.w; ++x)
      for (int c = 0; c < map.c; ++c) {
        std::array<int, 3> at{};
        at[static_cast<std::size_t>(axes[0])] = y;
        at[static_cast<std::size_t>(axes[1])] = x;
        at[static_cast<std::size_t>(axes[2])] = c;
        stored.push_back((*read)[static_cast<std::size_t>((at[0] * op.ofm.w + at[1]) * op.ofm.c + at[2])]);
      }
  return stored;
}

std::string Prover::judge(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                          const Target& target) {
  // A tensor may be written again as a copy.
  if (judge_copy(tags, step, record, piece).empty()) return "";
  if (target.convolution) return judge_convolution(tags, step, record, piece, target);
  if (target.pool) {
    const auto input = static_cast<TensorId>(target.pool->op->inputs[0]);
    const auto read = tags.read(step, record.operation.ifm);
    if (!read) return "an input that is not in memory";
    return compare_pool(model_.graph, *target.pool, record, accelerator_, piece, *read,
                        [&](const ElementTag& tag, std::size_t element) {
                          return holds(tag, {input, element});
                        });
  }
  if (targets_->is_moved(target)) return "not a plain copy, or source unknown";
  return judge_elementwise(tags, step, record, piece, target);
}

std::string Prover::judge_convolution(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                      const Target& target) {
  const auto& convolution = *target.convolution;
  const auto input = static_cast<TensorId>(convolution.op->inputs[0]);
  const auto is_input = [&](const ElementTag& tag, std::size_t element) { return holds(tag, {input, element}); };
  const auto is_padding = [&](std::size_t element) {
    const auto origin = targets_->origin({input, element});
    const auto& tensor = model_.reference.tensors[origin.tensor];
    return tensor.constant && tensor.value &&
           compare::integer_at(*tensor.value, static_cast<std::int64_t>(origin.index)) == convolution.input_zero_point;
  };
  auto reason =
      compare_products(convolution, record, piece, tags.read(step, record.operation.ifm), is_input, is_padding);
  if (!reason.empty()) return reason;
  Chain chain{{static_cast<tosa::ValueId>(convolution.op->outputs[0])}, {}};
  for (const auto op : target.operators)
    if (op != convolution.constants->op) chain.operators.push_back(op);
  if (chain.operators.empty()) return "accumulators that are not scaled";
  const auto depth = static_cast<std::size_t>(convolution.output[3]);
  return compare_scaling(model_.graph, chain, record, accelerator_, piece.first % depth, depth,
                         accumulator_ranges(convolution, piece));
}

std::string Prover::judge_copy(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece) {
  const auto copied = copied_elements(tags, step, record);
  if (!copied) return "an operation that does more than copy";
  for (std::size_t i = 0; i < copied->size(); ++i)
    if (!holds((*copied)[i], {piece.tensor, piece.element(i / piece.channels, i % piece.channels)}))
      return fmt::format("element {} of the operation comes from an unexpected or untracked location", i);
  return "";
}

TensorProof Prover::judge_output(const std::vector<ElementTag>& tags, TensorId tensor) {
  TensorProof entry;
  entry.tensor = model_.reference.tensors[tensor].name;
  entry.operators = {"output"};
  entry.kind = "output";
  if (tags.size() != static_cast<std::size_t>(model_.reference.tensors[tensor].value->size()))
    entry.reason = "element count differs";
  for (std::size_t i = 0; i < tags.size() && entry.reason.empty(); ++i)
    if (!holds(tags[i], {tensor, i}))
      entry.reason = fmt::format("element {} comes from an unexpected or untracked location", i);
  entry.verdict = entry.reason.empty() ? Verdict::kProved : Verdict::kNotProved;
  return entry;
}

std::string Prover::judge_elementwise(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                      const Target& target) {
  const auto& op = record.operation;
  if (!is_elementwise(op)) return "operation kind differs";
  std::vector<const npu::FeatureMap*> maps;  // a scalar is none
  if (!op.ifm_broadcast.scalar) maps.push_back(&op.ifm);
  if (op.has_ifm2()) maps.push_back(&op.ifm2);
  if (maps.size() != target.inputs.size()) return "operand count differs";
  const auto reads = [&](const npu::FeatureMap& map, TensorId tensor) {
    const auto read = tags.read(step, map);
    if (!read || read->size() * static_cast<std::size_t>(record.bytes) != record.contents.size()) return false;
    for (std::size_t i = 0; i < read->size(); ++i)
      if (!holds((*read)[i], {tensor, piece.element(i / piece.channels, i % piece.channels)})) return false;
    return true;
  };
  const auto both = [&](std::size_t first, std::size_t second) {
    return reads(*maps.front(), target.inputs[first]) && (maps.size() == 1 || reads(*maps[1], target.inputs[second]));
  };
  const bool straight = both(0, target.inputs.size() - 1);
  if (!straight && (maps.size() == 1 || !both(1, 0))) return "operands that are not read element by element";
  Chain chain{{}, target.operators};
  for (const auto input : target.inputs) chain.inputs.push_back(static_cast<tosa::ValueId>(input));
  const bool swapped = !straight || op.ifm_broadcast.scalar;
  if (op.ifm.bits == 32) return compare_sum(model_.graph, chain, record, accelerator_, swapped);
  Example example{.tensor = target.tensor, .inputs = {}, .values = {}};
  auto reason = compare_pairs(model_.graph, chain, record, accelerator_, swapped, example.values);
  if (!example.values.empty()) {
    for (const auto input : target.inputs) example.inputs.push_back(targets_->origin({input, 0}));
    examples_.push_back(std::move(example));
  }
  return reason;
}

bool Prover::holds(const ElementTag& tag, const Element& wanted) {
  const auto found = element_of(tag);
  return found && tag.bytes == size_of(model_.reference.tensors[found->tensor].value->dtype()) &&
         targets_->origin(*found) == targets_->origin(wanted);
}

std::optional<Element> Prover::element_of(const ElementTag& tag) const {
  if (tag.writer == 0) return std::nullopt;
  if (tag.writer > records_.size()) {
    const auto input = tag.writer - records_.size() - 1;
    if (input < model_.reference.inputs.size()) return Element{model_.reference.inputs[input], tag.element};
    return Element{host_tensors_.at(input - model_.reference.inputs.size()).tensor, tag.element};
  }
  const auto* piece = targets_->written(tag.writer - 1);
  if (piece == nullptr) return std::nullopt;
  return Element{piece->tensor, piece->element(tag.element / piece->channels, tag.element % piece->channels)};
}

}  // namespace macaw::prove
