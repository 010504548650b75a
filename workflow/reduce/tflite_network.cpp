#include "workflow/reduce/tflite_network.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <macaw/tflite/network.hpp>

#include "base/tflite/model.hpp"
#include "workflow/compare/program.hpp"
#include "workflow/reduce/tflite_shapes.hpp"

namespace macaw::reduce {
namespace {

namespace schema = tflite::schema;

constexpr int kIf = 118, kWhile = 119, kCallOnce = 129;  // BuiltinOperator of TensorFlow Lite's schema

std::vector<std::byte> pack(const TfliteModel& model) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

bool is_zero(const std::vector<std::uint8_t>& bytes) {
  return std::ranges::all_of(bytes, [](auto byte) { return byte == 0; });
}

class TfliteNetwork final : public Network {
 public:
  TfliteNetwork(TfliteModel model, tflite::Network network) : model_(std::move(model)), network_(std::move(network)) {
    for (const auto& op : network_.main().operators) names_.push_back(op.name);
  }

  [[nodiscard]] std::size_t operators() const override { return graph().operators.size(); }
  [[nodiscard]] NetworkPtr keep(const std::vector<std::size_t>& operators) const override;
  [[nodiscard]] std::vector<Candidate> simplifications() const override;
  [[nodiscard]] Result<std::vector<std::byte>> bytes() const override { return pack(model_); }
  [[nodiscard]] const char* extension() const override { return ".tflite"; }
  [[nodiscard]] std::size_t elements() const override;
  [[nodiscard]] compare::Program program() const override { return {network_}; }
  [[nodiscard]] std::optional<std::size_t> number_of(std::size_t op) const override {
    return op < operators() ? std::optional(op) : std::nullopt;
  }

 private:
  [[nodiscard]] const schema::SubGraphT& graph() const { return *model_.subgraphs.front(); }
  [[nodiscard]] const schema::TensorT& tensor(int index) const {
    return *graph().tensors[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<std::uint8_t>& contents(int index) const {
    return model_.buffers[tensor(index).buffer]->data;
  }
  [[nodiscard]] bool is_constant(int index) const { return index >= 0 && !contents(index).empty(); }
  [[nodiscard]] bool calls_subgraphs(std::size_t op) const;
  [[nodiscard]] NetworkPtr bypass(std::size_t op) const;
  [[nodiscard]] NetworkPtr shrink_inputs(std::size_t axis, std::int32_t extent, std::int32_t smaller) const;
  [[nodiscard]] NetworkPtr shrink_filter(std::size_t op, std::size_t axis, std::int32_t smaller) const;
  [[nodiscard]] NetworkPtr with_zeros(int tensor, std::size_t first, std::size_t last) const;
  void add_shapes(std::vector<Candidate>& all) const;

  TfliteModel model_;
  tflite::Network network_;
  std::vector<std::string> names_;
};

NetworkPtr checked(const TfliteModel& model) {
  auto network = make_network(pack(model), "");
  return network ? *std::move(network) : nullptr;
}

/// The model with the shapes that follow, and without what nothing refers to.
NetworkPtr fitted(TfliteModel model, const std::vector<std::string>& names) {
  if (!fit_shapes(model, names)) return nullptr;
  const auto network = checked(model);
  if (!network) return nullptr;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < network->operators(); ++i) all.push_back(i);
  return network->keep(all);
}

bool TfliteNetwork::calls_subgraphs(std::size_t op) const {
  const auto& code = *model_.operator_codes[graph().operators[op]->opcode_index];
  const auto builtin = std::max<int>(code.builtin_code, code.deprecated_builtin_code);
  return builtin == kIf || builtin == kWhile || builtin == kCallOnce;
}

NetworkPtr TfliteNetwork::keep(const std::vector<std::size_t>& operators) const {
  if (std::ranges::any_of(operators, [&](auto op) { return calls_subgraphs(op); })) {
    // Their tensors are reached in ways that are not looked through: all of the network or nothing.
    return operators.size() == this->operators() ? checked(model_) : nullptr;
  }
  TfliteModel part;
  part.version = model_.version;
  part.description = model_.description;
  part.buffers.push_back(std::make_unique<schema::BufferT>());
  auto& to = *part.subgraphs.emplace_back(std::make_unique<schema::SubGraphT>());
  to.name = graph().name;
  std::map<int, int> tensors;
  std::map<std::uint32_t, std::uint32_t> buffers, codes;
  std::set<int> read, written;
  const auto add = [&](int index) {
    if (index < 0) return index;
    const auto [known, fresh] = tensors.emplace(index, static_cast<int>(to.tensors.size()));
    if (!fresh) return known->second;
    auto& copy = *to.tensors.emplace_back(std::make_unique<schema::TensorT>(tensor(index)));
    copy.buffer = 0;
    if (is_constant(index)) {
      const auto [buffer, is_new] =
          buffers.emplace(tensor(index).buffer, static_cast<std::uint32_t>(part.buffers.size()));
      if (is_new) part.buffers.push_back(std::make_unique<schema::BufferT>(*model_.buffers[tensor(index).buffer]));
      copy.buffer = buffer->second;
    }
    return known->second;
  };
  for (const auto op : operators) {
    auto copy = std::make_unique<schema::OperatorT>(*graph().operators[op]);
    const auto [code, is_new] =
        codes.emplace(copy->opcode_index, static_cast<std::uint32_t>(part.operator_codes.size()));
    if (is_new)
      part.operator_codes.push_back(
          std::make_unique<schema::OperatorCodeT>(*model_.operator_codes[copy->opcode_index]));
    copy->opcode_index = code->second;
    for (auto& input : copy->inputs) {
      const bool fresh = input >= 0 && !tensors.contains(input);
      if (input >= 0) read.insert(input);
      const bool computed = input >= 0 && !is_constant(input) && !tensor(input).is_variable;
      if (fresh && computed && !written.contains(input)) {
        if (std::ranges::any_of(tensor(input).shape, [](auto extent) { return extent < 1; })) return nullptr;
        to.inputs.push_back(add(input));
      }
      input = add(input);
    }
    for (auto& output : copy->outputs) {
      written.insert(output);
      output = add(output);
    }
    to.operators.push_back(std::move(copy));
  }
  for (const auto output : written) {
    const bool is_output = std::ranges::find(graph().outputs, output) != graph().outputs.end();
    if (is_output || !read.contains(output)) to.outputs.push_back(tensors.at(output));
  }
  return checked(part);
}

NetworkPtr TfliteNetwork::bypass(std::size_t index) const {
  const auto& op = *graph().operators[index];
  if (op.outputs.size() != 1 || op.inputs.empty() || op.inputs[0] < 0 || is_constant(op.inputs[0])) return nullptr;
  const auto from = op.inputs[0], to = op.outputs[0];
  if (tensor(from).shape != tensor(to).shape || tensor(from).type != tensor(to).type) return nullptr;
  TfliteModel model = model_;
  auto& changed = *model.subgraphs.front();
  bool is_read = false;
  for (auto& other : changed.operators)
    for (auto& input : other->inputs)
      if (input == to) input = from, is_read = true;
  if (!is_read) return nullptr;
  std::erase(changed.outputs, to);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < operators(); ++i)
    if (i != index) kept.push_back(i);
  return TfliteNetwork(std::move(model), network_).keep(kept);
}

NetworkPtr TfliteNetwork::shrink_inputs(std::size_t axis, std::int32_t extent, std::int32_t smaller) const {
  TfliteModel model = model_;
  auto& changed = *model.subgraphs.front();
  for (const auto input : changed.inputs)
    if (auto& shape = changed.tensors[static_cast<std::size_t>(input)]->shape;
        axis < shape.size() && shape[axis] == extent)
      shape[axis] = smaller;
  return fitted(std::move(model), names_);
}

NetworkPtr TfliteNetwork::shrink_filter(std::size_t op, std::size_t axis, std::int32_t smaller) const {
  TfliteModel model = model_;
  if (!cut_constant(model, graph().operators[op]->inputs[1], axis, smaller)) return nullptr;
  return fitted(std::move(model), names_);
}

NetworkPtr TfliteNetwork::with_zeros(int index, std::size_t first, std::size_t last) const {
  TfliteModel model = model_;
  auto& buffer = *model.buffers.emplace_back(std::make_unique<schema::BufferT>());
  buffer.data = contents(index);
  std::fill(buffer.data.begin() + static_cast<std::ptrdiff_t>(first),
            buffer.data.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{0});
  model.subgraphs.front()->tensors[static_cast<std::size_t>(index)]->buffer =
      static_cast<std::uint32_t>(model.buffers.size() - 1);
  const auto network = checked(model);
  if (!network) return nullptr;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < operators(); ++i) all.push_back(i);
  return network->keep(all);
}

void TfliteNetwork::add_shapes(std::vector<Candidate>& all) const {
  const auto smaller_extents = [](std::int32_t extent) {
    std::vector<std::int32_t> smaller;
    for (const auto e : {1, extent / 4, extent / 2, extent - 1})
      if (e >= 1 && e < extent && (smaller.empty() || e > smaller.back())) smaller.push_back(e);
    return smaller;
  };
  std::set<std::pair<std::size_t, std::int32_t>> extents;
  for (const auto input : graph().inputs)
    for (std::size_t axis = 0; axis < tensor(input).shape.size(); ++axis)
      extents.emplace(axis, tensor(input).shape[axis]);
  for (const auto& [axis, extent] : extents)
    for (const auto smaller : smaller_extents(extent))
      all.push_back([this, axis, extent, smaller] { return shrink_inputs(axis, extent, smaller); });
  for (std::size_t op = 0; op < operators(); ++op) {
    const auto& o = *graph().operators[op];
    const bool is_filter =
        names_[op] == "CONV_2D" || names_[op] == "DEPTHWISE_CONV_2D" || names_[op] == "FULLY_CONNECTED";
    if (!is_filter || o.inputs.size() < 2 || !is_constant(o.inputs[1])) continue;
    const auto& shape = tensor(o.inputs[1]).shape;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis)  // the last follows the input
      for (const auto smaller : smaller_extents(shape[axis]))
        all.push_back([this, op, axis, smaller] { return shrink_filter(op, axis, smaller); });
  }
}

std::vector<Candidate> TfliteNetwork::simplifications() const {
  std::vector<Candidate> all;
  if (model_.subgraphs.size() != 1) return all;
  for (std::size_t op = 0; op < operators(); ++op) all.push_back([this, op] { return bypass(op); });
  add_shapes(all);
  std::set<int> constants;
  for (const auto& op : graph().operators)
    for (const auto input : op->inputs)
      if (is_constant(input)) constants.insert(input);
  for (const auto index : constants) {
    const auto size = contents(index).size();
    constexpr std::size_t kMostParts = 16;
    for (std::size_t parts = 1; parts <= std::min(kMostParts, size); parts *= 2)
      for (std::size_t part = 0; part < parts; ++part) {
        const auto first = part * size / parts, last = (part + 1) * size / parts;
        const auto& bytes = contents(index);
        if (!is_zero({bytes.begin() + static_cast<std::ptrdiff_t>(first),
                      bytes.begin() + static_cast<std::ptrdiff_t>(last)}))
          all.push_back([this, index, first, last] { return with_zeros(index, first, last); });
      }
  }
  return all;
}

std::size_t TfliteNetwork::elements() const {
  std::size_t sum = 0;
  for (const auto& info : network_.main().tensors) {
    std::int64_t product = 1;
    for (const auto extent : info.shape) product *= std::max<std::int64_t>(extent, 1);
    sum += static_cast<std::size_t>(product);
  }
  return sum;
}

}  // namespace

Result<NetworkPtr> make_network(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(auto network, tflite::parse_network(bytes, name));
  MACAW_ASSIGN(const auto model, tflite::Model::create(bytes, name));
  TfliteModel unpacked;
  model.root().UnPackTo(&unpacked);
  return std::make_unique<const TfliteNetwork>(std::move(unpacked), std::move(network));
}

}  // namespace macaw::reduce
