#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/network.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bools.hpp"
#include "base/c_array.hpp"
#include "base/tflite/model.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/compiler/mlir/lite/schema/schema.fbs.
namespace macaw::tflite {
namespace {

constexpr std::size_t kMaxSubgraphs = 1024;
constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{2} << 30;

/// Two elements of 4 bits in a byte, the low half first.
void unpack_int4(std::span<const std::uint8_t> packed, std::span<std::int8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int nibble = packed[i / 2] >> (i % 2 ? 4 : 0) & 15;
    out[i] = static_cast<std::int8_t>(nibble >= 8 ? nibble - 16 : nibble);
  }
}

class Importer {
 public:
  explicit Importer(Model model) : model_(std::move(model)), constant_budget_(model_.size()) {}

  Result<Network> network() {
    Network network{.file = model_.file(), .subgraphs = {}};
    const auto* subgraphs = model_.root().subgraphs();
    if (size_of(subgraphs) == 0) return model_.error("the model has no subgraph");
    if (size_of(subgraphs) > kMaxSubgraphs)
      return model_.error(fmt::format("{} subgraphs", size_of(subgraphs)), {}, ErrorCode::kUnsupported);
    for (std::size_t i = 0; i < size_of(subgraphs); ++i) {
      where_ = i == 0 ? "" : fmt::format("subgraph {}, ", i);
      MACAW_ASSIGN(auto subgraph, read(*subgraphs->Get(unsigned(i))));
      network.subgraphs.push_back(std::move(subgraph));
    }
    network.resources = std::move(resources_);
    network.resource_tensors = std::move(resource_tensors_);
    return network;
  }

 private:
  Result<Subgraph> read(const schema::SubGraph& table) {
    Subgraph subgraph;
    if (size_of(table.name()) <= kMaxName && table.name()) subgraph.name = table.name()->str();
    tensors_ += size_of(table.tensors());
    if (tensors_ > kMaxTensors)
      return model_.error(fmt::format("{} tensors", tensors_), where_, ErrorCode::kUnsupported);
    types_.clear();
    handles_.clear();
    for (std::size_t i = 0; i < size_of(table.tensors()); ++i) {
      types_.push_back(table.tensors()->Get(unsigned(i))->type());
      MACAW_ASSIGN(auto tensor, read(*table.tensors()->Get(unsigned(i)), i));
      subgraph.tensors.push_back(std::move(tensor));
    }
    MACAW_ASSIGN(subgraph.inputs, indices(table.inputs(), subgraph, where_ + "the inputs", false));
    MACAW_ASSIGN(subgraph.outputs, indices(table.outputs(), subgraph, where_ + "the outputs", false));
    for (std::size_t i = 0; i < size_of(table.operators()); ++i) {
      MACAW_ASSIGN(auto op, read(*table.operators()->Get(unsigned(i)), i, subgraph));
      subgraph.operators.push_back(std::move(op));
    }
    MACAW_CHECK(check_order(subgraph));
    return subgraph;
  }

  Result<TensorInfo> read(const schema::Tensor& table, std::size_t index) {
    TensorInfo tensor;
    if (size_of(table.name()) > kMaxName || size_of(table.shape()) > kMaxRank)
      return model_.error("the name or the shape is too long", fmt::format("{}tensor {}", where_, index),
                          ErrorCode::kUnsupported);
    if (table.name()) tensor.name = table.name()->str();
    const auto place = fmt::format("{}tensor {} \"{}\"", where_, index, tensor.name);
    const bool is_int4 = table.type() == schema::TensorType::INT4;
    const auto type = is_int4 ? ElementType{1, DType::kINT4} : element_type(table.type()).value_or(ElementType{});
    if (!type.dtype) return model_.error(unsupported_type(table.type()), place, ErrorCode::kUnsupported);
    tensor.dtype = *type.dtype;
    if (table.shape()) tensor.shape.assign(table.shape()->begin(), table.shape()->end());
    tensor.is_variable = table.is_variable();
    MACAW_ASSIGN(tensor.quantization, model_.quantization(table.quantization(), place));
    const auto count = element_count(tensor.shape, type.size);
    if (!count) return model_.error(count.error().message, place);
    const auto elements = static_cast<std::uint64_t>(*count),
               bytes = is_int4 ? (elements + 1) / 2 : elements * type.size;
    if (elements * type.size > kMaxTensorBytes)
      return model_.error(fmt::format("{} bytes", elements * type.size), place, ErrorCode::kUnsupported);
    MACAW_ASSIGN(const auto data, model_.buffer(table.buffer(), place));
    if (data.empty()) return tensor;
    if (tensor.is_variable) return model_.error("a variable with an initial value", place, ErrorCode::kUnsupported);
    if (data.size() < bytes)
      return model_.error(fmt::format("{} bytes of data for {} bytes", data.size(), bytes), place);
    if (bytes > constant_budget_) return model_.error("tensors share buffers", place, ErrorCode::kUnsupported);
    constant_budget_ -= bytes;
    MACAW_ASSIGN(auto constant, Tensor::create(tensor.dtype, tensor.shape));
    if (is_int4) unpack_int4(data, constant.data<std::int8_t>());
    else if (bytes > 0) std::memcpy(constant.bytes().data(), data.data(), bytes);
    normalise_bools(constant);
    tensor.constant = std::make_shared<const Tensor>(std::move(constant));
    return tensor;
  }

  Result<std::vector<int>> indices(const flatbuffers::Vector<std::int32_t>* list, const Subgraph& subgraph,
                                   const std::string& place, bool may_be_absent) {
    operands_ += size_of(list);
    if (operands_ > kMaxOperands) return model_.error("too many operands", place, ErrorCode::kUnsupported);
    std::vector<int> result;
    for (std::size_t i = 0; i < size_of(list); ++i) {
      const int index = list->Get(unsigned(i));
      if (index >= static_cast<int>(subgraph.tensors.size()) || index < (may_be_absent ? -1 : 0))
        return model_.error(fmt::format("there is no tensor {}", index), place);
      result.push_back(index);
    }
    return result;
  }

  Result<OperatorInfo> read(const schema::Operator& table, std::size_t index, const Subgraph& subgraph) {
    MACAW_ASSIGN(auto kind, model_.kind_of(table, fmt::format("{}operator {}", where_, index)));
    OperatorInfo op{.name = std::move(kind.name), .version = kind.version, .inputs = {}, .outputs = {}, .options = {}};
    const auto place = where_ + op.place(index);
    MACAW_ASSIGN(op.inputs, indices(table.inputs(), subgraph, place, true));
    MACAW_ASSIGN(op.outputs, indices(table.outputs(), subgraph, place, true));
    op.options = options_of(table);
    op.number = operators_++;
    const auto is_uint64 = [&](int i) {
      return i >= 0 && types_[static_cast<std::size_t>(i)] == schema::TensorType::UINT64;
    };
    if (!ignores_sign(op.name) &&
        (std::ranges::any_of(op.inputs, is_uint64) || std::ranges::any_of(op.outputs, is_uint64)))
      op.unsupported = unsupported_type(schema::TensorType::UINT64);
    if (const auto* variable = op.options ? op.options->value.AsVarHandleOptions() : nullptr) {
      if (variable->container.size() > kMaxName || variable->shared_name.size() > kMaxName)
        return model_.error("the name of the variable is too long", place, ErrorCode::kUnsupported);
      const auto [at, added] = resources_.try_emplace({variable->container, variable->shared_name}, resources_.size());
      if (added)
        resource_tensors_.emplace_back(variable_name(variable->container, variable->shared_name), std::nullopt);
      if (!op.outputs.empty()) handles_.insert_or_assign(op.outputs[0], at);
    }
    describe_resource(op, subgraph);
    return op;
  }

  /// Keeps what an operator reads from a variable or assigns to it; a read decides what the variable contains before it
  /// is assigned.
  void describe_resource(const OperatorInfo& op, const Subgraph& subgraph) {
    const bool reads = op.name == "READ_VARIABLE" && op.inputs.size() == 1 && op.outputs.size() == 1;
    const bool assigns = op.name == "ASSIGN_VARIABLE" && op.inputs.size() == 2;
    if (!reads && !assigns) return;
    const auto handle = handles_.find(op.inputs[0]);
    const int value = reads ? op.outputs[0] : op.inputs[1];
    if (handle == handles_.end() || value < 0) return;
    auto& known = resource_tensors_[handle->second->second].second;
    if (!known || reads) known = subgraph.tensors[static_cast<std::size_t>(value)];
  }

  Result<void> check_order(const Subgraph& subgraph) const {
    std::vector<bool> known(subgraph.tensors.size());
    for (std::size_t i = 0; i < known.size(); ++i)
      known[i] = subgraph.tensors[i].constant || subgraph.tensors[i].is_variable;
    for (const int i : subgraph.inputs) known[static_cast<std::size_t>(i)] = true;
    for (std::size_t at = 0; at < subgraph.operators.size(); ++at) {
      const auto& op = subgraph.operators[at];
      const auto place = where_ + op.place(at);
      for (const int i : op.inputs)
        // A tensor of no elements does not have to be written.
        if (i >= 0 && !known[static_cast<std::size_t>(i)] && !is_empty(subgraph.tensors[static_cast<std::size_t>(i)]))
          return model_.error(fmt::format("tensor {} is read before an operator writes it", i), place);
      for (const int i : op.outputs) {
        if (i < 0) continue;
        if (known[static_cast<std::size_t>(i)])
          return model_.error(fmt::format("tensor {} is written, and is a constant, an input, a variable or the output "
                                          "of an earlier operator",
                                          i),
                              place);
        known[static_cast<std::size_t>(i)] = true;
      }
    }
    for (const int i : subgraph.outputs)
      if (!known[static_cast<std::size_t>(i)])
        return model_.error(fmt::format("tensor {} is written by no operator", i), where_ + "the outputs");
    return {};
  }

  static bool is_empty(const TensorInfo& tensor) { return std::ranges::find(tensor.shape, 0) != tensor.shape.end(); }

  Model model_;
  std::string where_;  // of the subgraph, for messages
  using Resources = std::map<std::pair<std::string, std::string>, std::size_t>;
  Resources resources_;
  std::vector<std::pair<std::string, std::optional<TensorInfo>>> resource_tensors_;
  std::map<int, Resources::const_iterator> handles_;  // by tensor of the subgraph that is read
  std::vector<schema::TensorType> types_;             // of the tensors of the subgraph that is read
  std::size_t tensors_ = 0, operands_ = 0, operators_ = 0;
  std::uint64_t constant_budget_;  // bytes of constants that may still be read
};

}  // namespace

std::string OperatorInfo::place(std::size_t index) const {
  return fmt::format("operator {} ({}, version {})", index, name, version);
}

bool is_tflite(std::span<const std::byte> bytes) {
  return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "TFL3", 4) == 0;
}

Result<Network> parse_network(std::span<const std::byte> bytes, const std::string& name) {
  if (!is_tflite(bytes)) return fail(ErrorCode::kInvalidFile, "not a TensorFlow Lite file", {.file = name});
  MACAW_ASSIGN(auto model, Model::create(bytes, name));
  return Importer(std::move(model)).network();
}

Result<Network> load_network(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  return parse_network(bytes, file.string());
}

std::vector<InputPort> input_ports(const Network& network) {
  std::vector<InputPort> ports;
  for (const int id : network.main().inputs) {
    const auto& tensor = network.main().tensors[static_cast<std::size_t>(id)];
    ports.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  return ports;
}

}  // namespace macaw::tflite
