#include <macaw/tflite/to_tosa.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {

#define MACAW_TFLITE_LOWERING(name, function) Result<void> function(Lowering&);
#include "reference/tflite/to_tosa/operators.def"
#undef MACAW_TFLITE_LOWERING

namespace {

constexpr std::int64_t kMaxWork = std::int64_t{1} << 40;

using Lower = Result<void> (*)(Lowering&);
struct Row {
  std::string_view name;
  Lower lower;
};
constexpr Row kRows[] = {
#define MACAW_TFLITE_LOWERING(name, function) {#name, function},
#include "reference/tflite/to_tosa/operators.def"
#undef MACAW_TFLITE_LOWERING
};

std::size_t position(int index) { return static_cast<std::size_t>(index); }

class Translation {
 public:
  explicit Translation(const Subgraph& subgraph, Floats floats = Floats::kExact)
      : subgraph_(subgraph), floats_(floats), values_(subgraph.tensors.size()), constants_(subgraph.tensors.size()) {
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const auto& info = subgraph.tensors[i];
      const bool is_empty = std::ranges::find(info.shape, 0) != info.shape.end();
      constants_[i] = is_empty ? std::make_shared<const Tensor>(info.dtype, info.shape) : info.constant;
    }
  }

  /// `inexact`: takes what operators without an exact form write; null: there must be none.
  Result<tosa::Graph> graph(std::vector<InexactTensor>* inexact) {
    for (const int i : subgraph_.inputs) MACAW_CHECK(add_input(position(i)));
    for (std::size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const auto& op = subgraph_.operators[i];
      const auto place = op.place(i);
      emitter_.locate(place);
      const auto mark = emitter_.mark();
      auto done = lower(op);
      if (!done && inexact) {
        emitter_.rewind(mark);
        done = leave_out(op, {.kind = op.name, .op = place, .reason = done.error().message}, *inexact);
      }
      if (done) continue;
      done.error().place.op = place;
      return tl::unexpected(done.error());
    }
    emitter_.locate("");
    for (const int i : subgraph_.outputs) MACAW_CHECK(add_output(position(i)));
    return emitter_.take();
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t tensor) const {
    const auto& name = subgraph_.tensors[tensor].name;
    return name.empty() ? fmt::format("tensor {}", tensor) : name;
  }

  static Attributes unsigned_ends(bool of_input) {
    return {{Attr::k_scale32, std::int64_t{1}},
            {Attr::k_rounding_mode, static_cast<std::int64_t>(tosa::RoundingMode::kSingleRound)},
            {Attr::k_per_channel, std::int64_t{0}},
            {Attr::k_input_unsigned, std::int64_t{of_input}},
            {Attr::k_output_unsigned, std::int64_t{!of_input}}};
  }

  /// Between the bytes of uint8, whose middle is 128, and INT8.
  ValueId convert_unsigned(ValueId id, bool of_input) {
    constexpr std::int32_t kOne = 1 << 30;
    constexpr std::int8_t kShift = 30;
    const auto multiplier = emitter_.scalar(DType::kINT32, kOne), shift = emitter_.scalar(DType::kINT8, kShift);
    const auto middle = emitter_.scalar(DType::kINT8, -128), zero = emitter_.scalar(DType::kINT8, 0);
    return emitter_.add_like(Op::kRESCALE, {id, multiplier, shift, of_input ? middle : zero, of_input ? zero : middle},
                             unsigned_ends(of_input));
  }

  Result<void> leave_out(const OperatorInfo& op, InexactTensor as, std::vector<InexactTensor>& inexact) {
    for (const int i : op.outputs) {
      if (i < 0 || constants_[position(i)]) continue;
      as.tensor = position(i);
      MACAW_CHECK(add_input(as.tensor));
      as.value = emitter_.inputs().back();
      inexact.push_back(as);
    }
    return {};
  }

  Result<void> add_input(std::size_t id) {
    const auto& info = subgraph_.tensors[id];
    MACAW_ASSIGN(const DType dtype, type_in_tosa(info.dtype));
    if (constants_[id]) return unsupported(fmt::format("input '{}' has no elements", info.name));
    values_[id] = emitter_.input(name_of(id), dtype, info.shape);
    if (info.dtype == DType::kUINT8) values_[id] = convert_unsigned(*values_[id], true);
    return {};
  }

  Result<void> add_output(std::size_t id) {
    const auto& info = subgraph_.tensors[id];
    if (!values_[id]) {
      if (!constants_[id]) return unsupported(fmt::format("output '{}' is a variable", info.name));
      MACAW_ASSIGN(values_[id], add_constant(emitter_, *constants_[id]));
    }
    auto value = *values_[id];
    if (info.dtype == DType::kUINT8) value = convert_unsigned(value, false);
    emitter_.output(value, name_of(id));
    return {};
  }

  Result<void> lower(const OperatorInfo& op) {
    if (!op.unsupported.empty()) return unsupported(op.unsupported);
    const Definition* definition = find_definition(op.name);
    if (!definition) return unsupported("the interpreter does not have this operator");
    MACAW_CHECK(expect_stateless(op));
    std::vector<Tensor> zeros;
    zeros.reserve(op.inputs.size() + op.outputs.size());
    Call call{.name = op.name, .options = op.options.get(), .inputs = {}, .outputs = {}, .max_work = kMaxWork};
    Lowering::Operands operands;
    bool is_all_constant = true;
    for (const int i : op.inputs) {
      MACAW_ASSIGN(auto operand, operand_of(i, zeros));
      call.inputs.push_back(operand);
      operands.inputs.push_back(i < 0 ? std::nullopt : values_[position(i)]);
      operands.is_constant.push_back(i >= 0 && constants_[position(i)]);
      is_all_constant &= i < 0 || operands.is_constant.back();
    }
    const auto* row = std::ranges::find(kRows, op.name, &Row::name);
    // These read no more than a shape.
    is_all_constant |= op.name == "SHAPE" || op.name == "ZEROS_LIKE";
    if (row == std::end(kRows) && !is_all_constant) return unsupported("it has no exact form in TOSA");
    for (const int i : op.outputs) {
      call.outputs.emplace_back();
      if (i < 0) continue;
      MACAW_ASSIGN(call.outputs.back(), operand_of(i, zeros));
      call.outputs.back().writable = &zeros.back();
    }
    // Zeros stand for any values here: results that depend on them do not count.
    const auto done = execute(*definition, call);
    if (!done && (is_all_constant || done.error().code != ErrorCode::kUnpredictable)) return done;
    if (is_all_constant) {
      for (std::size_t i = 0; i < op.outputs.size(); ++i)
        constants_[position(op.outputs[i])] = std::make_shared<const Tensor>(*call.outputs[i].value);
      return {};
    }
    for (const int i : op.outputs)
      if (constants_[position(i)]) return unsupported("an output without elements");
    operands.outputs.resize(op.outputs.size());
    Lowering lowering(emitter_, *definition, call, operands, floats_);
    MACAW_CHECK(row->lower(lowering));
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const auto& info = subgraph_.tensors[position(op.outputs[i])];
      values_[position(op.outputs[i])] = operands.outputs[i];
      if (info.dtype != DType::kUINT8) emitter_.name(*operands.outputs[i], name_of(position(op.outputs[i])));
    }
    return {};
  }

  Result<void> expect_stateless(const OperatorInfo& op) const {
    for (const int i : op.inputs)
      if (i >= 0 && subgraph_.tensors[position(i)].is_variable) return unsupported("it keeps state");
    return {};
  }

  /// A constant, or a tensor of zeros in its place.
  Result<Operand> operand_of(int index, std::vector<Tensor>& zeros) const {
    if (index < 0) return Operand{};
    const auto& info = subgraph_.tensors[position(index)];
    Operand operand{.quantization = info.quantization.get()};
    if (constants_[position(index)]) {
      operand.value = constants_[position(index)].get();
    } else {
      MACAW_ASSIGN(auto tensor, Tensor::create(info.dtype, info.shape));
      zeros.push_back(std::move(tensor));
      operand.value = &zeros.back();
    }
    return operand;
  }

  const Subgraph& subgraph_;
  Floats floats_;
  Emitter emitter_;
  std::vector<std::optional<ValueId>> values_;            // of tensors that are not constants
  std::vector<std::shared_ptr<const Tensor>> constants_;  // of the file, and what operators make of them
};

}  // namespace

Result<tosa::Graph> to_tosa(const Network& network, Floats floats) {
  auto graph = Translation(network.main(), floats).graph(nullptr);
  if (!graph) graph.error().place.file = network.file;
  return graph;
}

Result<ExactPart> exact_part(const Network& network) {
  ExactPart part;
  auto graph = Translation(network.main()).graph(&part.inexact);
  if (!graph) {
    graph.error().place.file = network.file;
    return tl::unexpected(graph.error());
  }
  part.graph = std::move(*graph);
  return part;
}

std::vector<std::string> operators_in_tosa() {
  std::vector<std::string> names;
  for (const auto& row : kRows) names.emplace_back(row.name);
  return names;
}

}  // namespace macaw::tflite
