#include "workflow/prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include <macaw/tflite/host_operators.hpp>

#include "sim/datapath/output_rows.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/prove/convolution.hpp"
#include "workflow/prove/elementwise.hpp"
#include "workflow/prove/movement.hpp"
#include "workflow/prove/pool.hpp"
#include "workflow/prove/sum.hpp"

namespace macaw::prove {
namespace {

/// A tensor and what computes it from tensors that other operations write.
struct Target {
  TensorId tensor = 0;
  std::vector<std::size_t> operators;  ///< from the first to the last
  std::vector<TensorId> inputs;        ///< those tensors
  std::optional<Convolution> convolution;
  std::optional<Pool> pool;
  std::string reason;  ///< why it cannot be proved; empty so far
};

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

class Prover {
 public:
  Prover(const tosa::Graph& graph, const Reference& reference, const npu::Artifact& artifact,
         const npu::Accelerator& accelerator, const std::vector<Record>& records)
      : graph_(graph),
        reference_(reference),
        artifact_(artifact),
        accelerator_(accelerator),
        records_(records),
        constants_(compare::graph_constants(reference)),
        movement_(graph, reference),
        pieces_(pieces_of(reference, records)) {
    for (std::size_t i = 0; i < reference.operators.size(); ++i)
      for (const auto t : reference.operators[i].outputs) producer_[t] = i;
    for (const auto& [record, piece] : pieces_) writers_[piece.tensor].insert(record);
    choose_targets();
  }

  Result<void> follow(const std::vector<npu::NamedTensor>& inputs) {
    ElementTags tags(artifact_);
    for (std::size_t i = 0; i < artifact_.inputs.size(); ++i) tags.place(artifact_.inputs[i], input_writer(i));
    std::size_t record = 0;
    npu::FunctionalOptions options;
    options.host = &tflite::host_operators();
    options.observer = [&](const npu::OperationEvent& event) {
      if (const auto* dma = std::get_if<const npu::DmaOperation*>(&event.operation)) tags.move(event.step, **dma);
      else operation(tags, event.step, record++);
    };
    MACAW_CHECK(npu::run_functional(artifact_, accelerator_, inputs, options));
    for (std::size_t i = 0; i < std::min(artifact_.outputs.size(), reference_.outputs.size()); ++i)
      outputs_.push_back(judge_output(tags.read(artifact_.outputs[i]), reference_.outputs[i]));
    return {};
  }

  [[nodiscard]] Proof proof() const {
    Proof proof;
    for (const auto& [order, tensor] : order_) {
      const auto& target = targets_.at(tensor);
      TensorProof entry;
      entry.tensor = reference_.tensors[tensor].name;
      for (const auto op : target.operators) entry.operators.push_back(reference_.operators[op].text);
      const auto main = target.convolution ? target.convolution->constants->op
                        : target.pool      ? static_cast<std::size_t>(target.pool->op - graph_.main().operators.data())
                                           : target.operators.back();
      entry.kind = reference_.operators[main].kind;
      entry.reason = target.reason;
      entry.verdict = target.reason.empty() ? Verdict::kProved : Verdict::kNotProved;
      proof.tensors.push_back(std::move(entry));
    }
    proof.tensors.insert(proof.tensors.end(), outputs_.begin(), outputs_.end());
    return proof;
  }

 private:
  /// The tensor that an operation writes: of several with the same contents in this run the one computed last, but
  /// rather one that is computed than one whose elements are only moved.
  void choose_targets() {
    for (std::size_t r = 0; r < records_.size(); ++r) {
      const Piece* last = nullptr;
      const auto [first, end] = pieces_.equal_range(r);
      for (auto it = first; it != end; ++it)
        if (last == nullptr || rank(it->second.tensor) > rank(last->tensor)) last = &it->second;
      if (last == nullptr) continue;
      written_.emplace(r, *last);
      if (targets_.contains(last->tensor)) continue;
      targets_.emplace(last->tensor, target_of(last->tensor, r));
      order_.emplace(r, last->tensor);
    }
  }

  [[nodiscard]] std::pair<bool, std::size_t> rank(TensorId tensor) const {
    const auto producer = producer_.find(tensor);
    if (producer == producer_.end()) return {false, 0};
    return {!movement_.moves(producer->second), producer->second};
  }

  /// Whether other operations write the tensor or what it is made up of, or nobody has to.
  [[nodiscard]] bool is_given(TensorId tensor, std::size_t record) const {
    if (std::ranges::find(reference_.inputs, tensor) != reference_.inputs.end()) return true;
    const auto found = writers_.find(tensor);
    if (found != writers_.end() && !found->second.contains(record)) return true;
    const auto producer = producer_.find(tensor);
    return producer != producer_.end() && movement_.moves(producer->second) &&
           std::ranges::all_of(reference_.operators[producer->second].inputs, [&](TensorId input) {
             return reference_.tensors[input].constant || is_given(input, record);
           });
  }

  Target target_of(TensorId tensor, std::size_t record) {
    Target target;
    target.tensor = tensor;
    std::set<std::size_t> operators;
    std::vector<TensorId> open{tensor};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      if (at != tensor && is_given(at, record)) {
        if (std::ranges::find(target.inputs, at) == target.inputs.end()) target.inputs.push_back(at);
        continue;
      }
      const auto found = producer_.find(at);
      if (found == producer_.end()) {
        target.reason = "not computed by an operator";
        return target;
      }
      if (!operators.insert(found->second).second) continue;
      const auto filters = std::ranges::find(constants_, found->second, &compare::OperatorConstants::op);
      if (filters != constants_.end() && !filters->filters.empty() && !target.convolution) {
        target.convolution = convolution_of(found->second, *filters);
        if (target.convolution) continue;
      }
      if (!target.pool) {
        target.pool = pool_of(found->second);
        if (target.pool) continue;
      }
      for (const auto input : std::views::reverse(reference_.operators[found->second].inputs))
        if (!reference_.tensors[input].constant) open.push_back(input);
    }
    target.operators.assign(operators.begin(), operators.end());
    if (target.pool)
      for (const auto op : target.operators)
        if (&graph_.main().operators[op] != target.pool->op) target.pool->chain.operators.push_back(op);
    target.reason = unhandled(target);
    return target;
  }

  [[nodiscard]] bool is_view(std::size_t op) const {
    const auto& kind = reference_.operators[op].kind;
    return kind == "RESHAPE" || kind == "IDENTITY";
  }

  /// Why the operators of a target are none that can be proved; empty if they may be.
  [[nodiscard]] std::string unhandled(const Target& target) const {
    static const std::set<std::string> kElementwise = {
        "RESCALE", "CLAMP",       "TABLE",      "ADD",         "SUB",         "MUL",  "MAXIMUM", "MINIMUM", "ABS",
        "NEGATE",  "BITWISE_AND", "BITWISE_OR", "BITWISE_XOR", "BITWISE_NOT", "CAST", "RESHAPE", "IDENTITY"};
    if (is_moved(target)) return "";
    for (const auto op : target.operators) {
      const auto& kind = reference_.operators[op].kind;
      if (target.convolution && op == target.convolution->constants->op) continue;
      if (target.pool && &graph_.main().operators[op] == target.pool->op) continue;
      if (!kElementwise.contains(kind)) return fmt::format("{} is not handled", kind);
      if (target.convolution && kind != "RESCALE" && kind != "CLAMP" && !is_view(op))
        return fmt::format("{} behind the product", kind);
    }
    if (target.convolution || target.pool)
      return target.inputs.empty() ? "" : "more than one operator goes into the result";
    return target.inputs.size() == 1 || target.inputs.size() == 2 ? "" : "more than two tensors go into the result";
  }

  /// Whether the result is elements of other tensors.
  [[nodiscard]] bool is_moved(const Target& target) const {
    return std::ranges::all_of(target.operators, [&](std::size_t op) { return movement_.moves(op); });
  }

  [[nodiscard]] std::optional<Pool> pool_of(std::size_t index) const {
    const auto& op = graph_.main().operators[index];
    if (op.op != tosa::Op::kMAX_POOL2D && op.op != tosa::Op::kAVG_POOL2D) return std::nullopt;
    const auto& kernel = op.get_ints(tosa::Attr::k_kernel);
    return Pool{&op,
                {{static_cast<int>(kernel[0]), static_cast<int>(kernel[1])},
                 op.get_ints(tosa::Attr::k_stride),
                 op.get_ints(tosa::Attr::k_pad),
                 {1, 1},
                 reference_.tensors[op.inputs[0]].value->shape(),
                 reference_.tensors[op.outputs[0]].value->shape(),
                 true},
                {{op.outputs[0]}, {}}};
  }

  [[nodiscard]] std::optional<Convolution> convolution_of(std::size_t index,
                                                          const compare::OperatorConstants& constants) const {
    const auto& op = graph_.main().operators[index];
    if (op.op != tosa::Op::kCONV2D && op.op != tosa::Op::kDEPTHWISE_CONV2D) return std::nullopt;
    const auto& zero_point = reference_.tensors[op.inputs[3]];
    if (!zero_point.constant || !zero_point.value) return std::nullopt;
    Convolution c{&op,
                  &constants,
                  reference_.tensors[op.inputs[0]].value->shape(),
                  reference_.tensors[op.outputs[0]].value->shape(),
                  compare::integer_at(*zero_point.value, 0),
                  op.op == tosa::Op::kDEPTHWISE_CONV2D};
    // One filter for each channel is what the NPU calls depthwise.
    if (c.depthwise && c.output[3] != c.input[3]) return std::nullopt;
    return c;
  }

  void operation(ElementTags& tags, std::size_t step, std::size_t r) {
    const auto& record = records_[r];
    const auto map = npu::stored_ofm(record.operation);
    if (const auto written = written_.find(r); written != written_.end()) {
      auto& target = targets_.at(written->second.tensor);
      if (target.reason.empty()) target.reason = judge(tags, step, record, written->second, target);
    } else if (const auto copied = copied_elements(tags, step, record)) {
      tags.write(step, map, *copied);
      return;
    }
    tags.write(step, map, operation_writer(r));
  }

  /// What an operation reads and gives back as it is.
  std::optional<std::vector<ElementTag>> copied_elements(ElementTags& tags, std::size_t step,
                                                         const Record& record) const {
    const auto& op = record.operation;
    if (!is_elementwise(op) || op.ifm_broadcast.scalar || op.ifm.h != op.ofm.h || op.ifm.w != op.ofm.w ||
        op.ifm.c != op.ofm.c || !is_copy(record, accelerator_))
      return std::nullopt;
    return tags.read(step, op.ifm);
  }

  std::string judge(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                    const Target& target) {
    // A tensor may be written again as a copy.
    if (judge_copy(tags, step, record, piece).empty()) return "";
    if (target.convolution) return judge_convolution(tags, step, record, piece, target);
    if (target.pool) {
      const auto input = static_cast<TensorId>(target.pool->op->inputs[0]);
      const auto read = tags.read(step, record.operation.ifm);
      if (!read) return "an input that is not in memory";
      return compare_pool(graph_, *target.pool, record, accelerator_, piece, *read,
                          [&](const ElementTag& tag, std::size_t element) {
                            return holds(tag, {input, element});
                          });
    }
    if (is_moved(target)) return "elements that are not copied as they are, or not known";
    return judge_elementwise(tags, step, record, piece, target);
  }

  std::string judge_convolution(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                const Target& target) {
    const auto& convolution = *target.convolution;
    const auto input = static_cast<TensorId>(convolution.op->inputs[0]);
    const auto is_input = [&](const ElementTag& tag, std::size_t element) { return holds(tag, {input, element}); };
    const auto is_padding = [&](std::size_t element) {
      const auto origin = movement_.origin({input, element});
      const auto& tensor = reference_.tensors[origin.tensor];
      return tensor.constant && tensor.value &&
             compare::integer_at(*tensor.value, static_cast<std::int64_t>(origin.index)) ==
                 convolution.input_zero_point;
    };
    auto reason =
        compare_products(convolution, record, piece, tags.read(step, record.operation.ifm), is_input, is_padding);
    if (!reason.empty()) return reason;
    Chain chain{{static_cast<tosa::ValueId>(convolution.op->outputs[0])}, {}};
    for (const auto op : target.operators)
      if (op != convolution.constants->op) chain.operators.push_back(op);
    if (chain.operators.empty()) return "accumulators that are not scaled";
    const auto depth = static_cast<std::size_t>(convolution.output[3]);
    return compare_scaling(graph_, chain, record, accelerator_, piece.first % depth, depth,
                           accumulator_ranges(convolution, piece));
  }

  std::string judge_copy(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece) {
    const auto copied = copied_elements(tags, step, record);
    if (!copied) return "an operation that does more than copy";
    for (std::size_t i = 0; i < copied->size(); ++i)
      if (!holds((*copied)[i], {piece.tensor, piece.element(i / piece.channels, i % piece.channels)}))
        return fmt::format("element {} of the operation is another one, or not known", i);
    return "";
  }

  TensorProof judge_output(const std::vector<ElementTag>& tags, TensorId tensor) {
    TensorProof entry;
    entry.tensor = reference_.tensors[tensor].name;
    entry.operators = {"output"};
    entry.kind = "output";
    if (tags.size() != static_cast<std::size_t>(reference_.tensors[tensor].value->size()))
      entry.reason = "another number of elements";
    for (std::size_t i = 0; i < tags.size() && entry.reason.empty(); ++i)
      if (!holds(tags[i], {tensor, i})) entry.reason = fmt::format("element {} is another one, or not known", i);
    entry.verdict = entry.reason.empty() ? Verdict::kProved : Verdict::kNotProved;
    return entry;
  }

  std::string judge_elementwise(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                const Target& target) {
    const auto& op = record.operation;
    if (!is_elementwise(op)) return "an operation of another kind";
    if (op.ifm_broadcast.scalar || op.ifm2_broadcast.scalar) return "a scalar operand";
    if (op.has_ifm2() != (target.inputs.size() == 2)) return "another number of operands";
    const auto reads = [&](const npu::FeatureMap& map, TensorId tensor) {
      const auto read = tags.read(step, map);
      if (!read || read->size() * static_cast<std::size_t>(record.bytes) != record.contents.size()) return false;
      for (std::size_t i = 0; i < read->size(); ++i)
        if (!holds((*read)[i], {tensor, piece.element(i / piece.channels, i % piece.channels)})) return false;
      return true;
    };
    const auto both = [&](std::size_t first, std::size_t second) {
      return reads(op.ifm, target.inputs[first]) && (!op.has_ifm2() || reads(op.ifm2, target.inputs[second]));
    };
    const bool straight = both(0, target.inputs.size() - 1);
    if (!straight && (!op.has_ifm2() || !both(1, 0))) return "operands that are not read element by element";
    Chain chain{{}, target.operators};
    for (const auto input : target.inputs) chain.inputs.push_back(static_cast<tosa::ValueId>(input));
    return (op.ifm.bits == 32 ? compare_sum : compare_pairs)(graph_, chain, record, accelerator_, !straight);
  }

  /// Whether the tag stands for an element, wherever it was moved.
  [[nodiscard]] bool holds(const ElementTag& tag, const Element& wanted) {
    const auto found = element_of(tag);
    return found && tag.bytes == size_of(reference_.tensors[found->tensor].value->dtype()) &&
           movement_.origin(*found) == movement_.origin(wanted);
  }

  /// The element of the graph that a tag stands for, given that its writer is right.
  [[nodiscard]] std::optional<Element> element_of(const ElementTag& tag) const {
    if (tag.writer == 0) return std::nullopt;
    if (tag.writer > records_.size()) {
      const auto input = tag.writer - records_.size() - 1;
      if (input >= reference_.inputs.size()) return std::nullopt;
      return Element{reference_.inputs[input], tag.element};
    }
    const auto found = written_.find(tag.writer - 1);
    if (found == written_.end()) return std::nullopt;
    const auto& piece = found->second;
    return Element{piece.tensor, piece.element(tag.element / piece.channels, tag.element % piece.channels)};
  }

  [[nodiscard]] static std::uint32_t operation_writer(std::size_t record) {
    return static_cast<std::uint32_t>(record + 1);
  }
  [[nodiscard]] std::uint32_t input_writer(std::size_t input) const {
    return static_cast<std::uint32_t>(records_.size() + 1 + input);
  }

  const tosa::Graph& graph_;
  const Reference& reference_;
  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  const std::vector<Record>& records_;
  const std::vector<compare::OperatorConstants> constants_;
  Movement movement_;
  const Pieces pieces_;
  std::map<TensorId, std::size_t> producer_;
  std::map<TensorId, std::set<std::size_t>> writers_;
  std::map<std::size_t, Piece> written_;  ///< by operation
  std::map<TensorId, Target> targets_;
  std::map<std::size_t, TensorId> order_;  ///< by the first operation that writes it
  std::vector<TensorProof> outputs_;
};

/// Operators that are wrong for an input that was tried.
void add_refuted(Proof& proof, const compare::Comparison& comparison) {
  std::set<std::string> named;
  for (const auto& run : comparison.runs) {
    if (comparison.equal(run) || !run.location.wrong) continue;
    const auto& wrong = *run.location.wrong;
    if (!named.insert(wrong.name).second) continue;
    const auto known = std::ranges::find(proof.tensors, wrong.tensor, &TensorProof::tensor);
    TensorProof entry;
    if (known == proof.tensors.end()) {
      entry.tensor = wrong.tensor;
      entry.operators = {wrong.name};
      if (wrong.index) entry.kind = comparison.reference.operators[*wrong.index].kind;
    } else {
      entry = *known;
      proof.tensors.erase(known);
    }
    entry.verdict = Verdict::kRefuted;
    entry.reason = fmt::format("{} shows it{}{}", run.inputs, entry.reason.empty() ? "" : ": ", entry.reason);
    proof.tensors.push_back(std::move(entry));
  }
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved: return "proved";
    case Verdict::kRefuted: return "refuted";
    case Verdict::kNotProved: return "not proved";
  }
  return "";
}

bool Proof::refuted() const {
  return std::ranges::any_of(tensors, [](const auto& t) { return t.verdict == Verdict::kRefuted; });
}

Result<Proof> prove(const tosa::Graph& graph, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                    const Options& options) {
  const compare::Program program(graph);
  compare::Comparison comparison;
  for (unsigned i = 0; i < options.runs; ++i) {
    MACAW_ASSIGN(const auto inputs, program.random_inputs(options.seed + i));
    MACAW_CHECK(
        compare::add_run(comparison, program, artifact, accelerator, fmt::format("seed {}", options.seed + i), inputs));
  }
  MACAW_ASSIGN(const auto inputs, program.random_inputs(options.seed));
  MACAW_ASSIGN(const auto reference, program.reference(inputs));
  MACAW_ASSIGN(const auto named, program.network_inputs(inputs, artifact));
  MACAW_ASSIGN(const auto trace, compare::trace_program(artifact, accelerator, named, true));
  Prover prover(graph, reference, artifact, accelerator, trace.records);
  MACAW_CHECK(prover.follow(named));
  auto proof = prover.proof();
  add_refuted(proof, comparison);
  return proof;
}

}  // namespace macaw::prove
