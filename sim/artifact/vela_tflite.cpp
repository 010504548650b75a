#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/tflite/model.hpp"
#include "sim/artifact/control_flow.hpp"
#include "sim/artifact/loader.hpp"
#include "sim/artifact/local_addresses.hpp"
#include "sim/artifact/offline_allocation.hpp"
#include "sim/artifact/resource_variables.hpp"

// Networks that Vela wrote as .tflite (u55_u65 1.1; the bases are assigned as in tensorflow/tflite-micro
// tensorflow/lite/micro/kernels/ethos_u/ethosu.cc).
namespace macaw::npu {
namespace {

namespace schema = tflite::schema;
using tflite::size_of;

constexpr std::uint64_t kTensorAlignment = 16;
constexpr std::size_t kFixedInputs = 4;  // command payload, read-only data, scratch, fast scratch

/// Data shared by the subgraphs of a file.
struct Loading {
  explicit Loading(tflite::Model model) : file(std::move(model)), payload_budget(file.size()) {
    artifact.file = file.file();
    artifact.format = Artifact::Format::kVelaTflite;
  }
  tflite::Model file;
  Artifact artifact;
  ResourceVariables resources{artifact, file};
  std::size_t payload_budget;  // bytes of command payloads that may still be read
  std::size_t operands = 0, tensors = 0;
};

class SubgraphLoader {
 public:
  SubgraphLoader(Loading& loading, std::size_t index)
      : loading_(loading),
        file_(loading.file),
        model_(file_.root()),
        index_(index),
        graph_(model_.subgraphs()->Get(unsigned(index))),
        artifact_(loading.artifact) {}

  /// Reads and places everything without adding a step.
  Result<SubgraphInterface> place() {
    MACAW_CHECK(read_operators());
    MACAW_ASSIGN(arena_offsets_, arena_offsets(file_, index_));
    MACAW_CHECK(read_tensors());
    MACAW_CHECK(place_tensors());
    SubgraphInterface interface;
    MACAW_CHECK(bind(graph_->inputs(), where() + "the inputs", interface.inputs));
    MACAW_CHECK(bind(graph_->outputs(), where() + "the outputs", interface.outputs));
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      if (is_variable(i)) artifact_.variables.push_back(tensors_[i]);
    return interface;
  }

  Result<void> add_steps(ControlFlow& control) {
    for (std::size_t i = 0; i < operators_.size(); ++i) MACAW_CHECK(add_step(i, control));
    return {};
  }

 private:
  struct Operator {
    std::string name;   // TFLite's builtin or custom name
    std::string place;  // for messages
    const schema::Operator* table = nullptr;
    std::optional<DriverPayload> npu;
    int input_memory = -1, output_memory = -1;  // local addressing
    std::vector<OperandCopy> copies;            // of operands that other operators have at a different address
    std::vector<OperandOverlap> overlaps;
  };

  [[nodiscard]] tl::unexpected<Error> error(std::string what, std::string op = {},
                                            ErrorCode code = ErrorCode::kInvalidFile) const {
    return file_.error(std::move(what), std::move(op), code);
  }

  [[nodiscard]] std::string where() const { return index_ == 0 ? "" : fmt::format("subgraph {}, ", index_); }

  [[nodiscard]] Result<std::size_t> tensor_index(std::int32_t index, const std::string& place) const {
    if (index < 0 || std::size_t(index) >= size_of(graph_->tensors()))
      return error(fmt::format("there is no tensor {}", index), place);
    return std::size_t(index);
  }

  Result<void> read_operators() {
    for (std::size_t i = 0; i < size_of(graph_->operators()); ++i) {
      Operator op;
      op.table = graph_->operators()->Get(unsigned(i));
      op.place = fmt::format("{}operator {}", where(), i);
      MACAW_ASSIGN(const auto kind, file_.kind_of(*op.table, op.place));
      op.name = kind.name;
      op.place += fmt::format(" ({})", op.name);
      if (kind.is_custom && op.name == "ethos-u") MACAW_CHECK(read_payload(op));
      operators_.push_back(std::move(op));
    }
    return {};
  }

  Result<void> read_payload(Operator& op) {
    if (size_of(op.table->inputs()) < kFixedInputs)
      return error(fmt::format("{} inputs, not four or more", size_of(op.table->inputs())), op.place);
    MACAW_ASSIGN(const auto index, tensor_index(op.table->inputs()->Get(0), op.place));
    MACAW_ASSIGN(const auto data, file_.buffer(graph_->tensors()->Get(unsigned(index))->buffer(), op.place));
    if (data.size() > loading_.payload_budget) return error("operators share command payloads", op.place);
    loading_.payload_budget -= data.size();
    MACAW_ASSIGN(op.npu, parse_driver_payload(std::as_bytes(data), artifact_.file + ": " + op.place));
    return {};
  }

  Result<void> read_tensors() {
    loading_.tensors += size_of(graph_->tensors());
    if (loading_.tensors > tflite::kMaxTensors)
      return error(fmt::format("{} tensors", loading_.tensors), {}, ErrorCode::kUnsupported);
    for (std::size_t i = 0; i < size_of(graph_->tensors()); ++i) {
      const auto* table = graph_->tensors()->Get(unsigned(i));
      TensorBinding tensor;
      if (size_of(table->name()) > tflite::kMaxName || size_of(table->shape()) > tflite::kMaxRank)
        return error("the name or the shape is too long", fmt::format("tensor {}", i), ErrorCode::kUnsupported);
      if (table->name()) tensor.name = table->name()->str();
      const auto place = fmt::format("{}tensor {} \"{}\"", where(), i, tensor.name);
      const auto type = tflite::element_type(table->type());
      if (!type) return error(tflite::unsupported_type(table->type()), place, ErrorCode::kUnsupported);
      tensor.element_size = type->size;
      tensor.dtype = type->dtype;
      if (table->shape()) tensor.shape.assign(table->shape()->begin(), table->shape()->end());
      MACAW_ASSIGN(tensor.quantization, file_.quantization(table->quantization(), place));
      MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact_.file));
      if (bytes > kMaxMemory) return error(fmt::format("{} bytes", bytes), place);
      MACAW_ASSIGN(const auto data, file_.buffer(table->buffer(), place));
      if (!data.empty() && data.size() < bytes)
        return error(fmt::format("{} bytes of data for {} bytes", data.size(), bytes), place);
      if (!data.empty() && table->is_variable())
        return error("a variable with an initial value", place, ErrorCode::kUnsupported);
      if (arena_offsets_[i] < -1) return error(fmt::format("arena offset {}", arena_offsets_[i]), place);
      sizes_.push_back(bytes);
      constants_.push_back(data);
      tensors_.push_back(std::move(tensor));
    }
    return {};
  }

  [[nodiscard]] bool is_variable(std::size_t tensor) const {
    return graph_->tensors()->Get(unsigned(tensor))->is_variable();
  }

  [[nodiscard]] std::uint32_t buffer_of(std::size_t tensor) const {
    return graph_->tensors()->Get(unsigned(tensor))->buffer();
  }

  int add_memory(Memory memory) {
    artifact_.memories.push_back(std::move(memory));
    return int(artifact_.memories.size()) - 1;
  }

  void place_weights(std::size_t index) {
    const auto [known, is_new] = weights_.emplace(buffer_of(index), index);
    const auto data = constants_[index];
    const auto size = std::max<std::uint64_t>(sizes_[index], data.size());
    if (is_new)
      tensors_[index].memory =
          add_memory({.name = "weights", .size = size, .initial = {data.begin(), data.end()}, .read_only = true});
    else tensors_[index].memory = tensors_[known->second].memory;
  }

  // Operands of the NPU with a separate memory. A fast scratch that is a separate tensor represents the driver's fast
  // memory, whatever its arena offset is.
  Result<std::vector<bool>> place_npu_operands() {
    std::vector<bool> placed(tensors_.size(), false);
    for (const auto& op : operators_) {
      if (!op.npu) continue;
      std::array<std::size_t, kFixedInputs> fixed;
      for (std::size_t i = 0; i < kFixedInputs; ++i) {
        MACAW_ASSIGN(fixed[i], tensor_index(op.table->inputs()->Get(unsigned(i)), op.place));
      }
      const auto [payload, weights, scratch, fast] = fixed;
      placed[payload] = true;
      if (!placed[weights]) place_weights(weights);
      placed[weights] = true;
      if (fast != scratch && !placed[fast]) {
        tensors_[fast].memory = add_memory({.name = "scratch_fast", .size = sizes_[fast]});
        placed[fast] = true;
      }
    }
    return placed;
  }

  // Number of operators of the NPU that use each tensor, and whether one writes it. The file states one address of a
  // tensor, but several operators have different ones.
  struct Uses {
    std::size_t operators = 0;
    bool written = false;
  };
  Result<std::vector<Uses>> npu_uses() const {
    std::vector<Uses> uses(tensors_.size());
    for (const auto& op : operators_) {
      if (!op.npu) continue;
      for (std::size_t i = kFixedInputs; i < size_of(op.table->inputs()); ++i) {
        MACAW_ASSIGN(const auto tensor, tensor_index(op.table->inputs()->Get(unsigned(i)), op.place));
        ++uses[tensor].operators;
      }
      for (std::size_t i = 0; i < size_of(op.table->outputs()); ++i) {
        MACAW_ASSIGN(const auto tensor, tensor_index(op.table->outputs()->Get(unsigned(i)), op.place));
        ++uses[tensor].operators;
        uses[tensor].written = true;
      }
    }
    return uses;
  }

  // Local addressing: the operands of an operator have separate addresses, starting from 0 for all its inputs and from
  // 0 for all its outputs and the results of other operators of the NPU (Vela ethosu/regor/compiler/scheduler.cpp,
  // UpdateSchedulerTensor and AllocateIOAddresses). The streams are written after all operators have their addresses: a
  // tensor of several operators has the address of the last one in each of them (seen in the streams of movenet), even
  // if it overlaps other operands there. State that only the stream accesses is among the outputs, at the address of
  // the input that it replaces and of all its later values, even if an output is there: both memories have the extent
  // of both.
  Result<std::map<std::size_t, std::uint64_t>> local_addresses(const std::vector<Uses>& uses) const {
    std::map<std::size_t, std::uint64_t> addresses;
    for (const auto& op : operators_) {
      if (!op.npu || !op.npu->local_addressing) continue;
      std::array<std::vector<LocalOperand>, 2> memories;
      MACAW_ASSIGN(const auto operands, local_operands(op));
      for (const auto i : operands) {
        LocalOperand operand{i, sizes_[i], {}};
        if (uses[i].operators == 1 && arena_offsets_[i] >= 0) operand.offset = std::uint64_t(arena_offsets_[i]);
        memories[uses[i].written].push_back(operand);
      }
      for (auto& memory : memories) {
        if (!complete_addresses(memory))
          return error("tensors that it shares with other operators have no address that can be told", op.place,
                       ErrorCode::kUnsupported);
        for (const auto& operand : memory) addresses[operand.tensor] = *operand.offset;
      }
    }
    return addresses;
  }

  // Returns the tensors that are not constants, outputs first.
  Result<std::vector<std::size_t>> local_operands(const Operator& op) const {
    std::vector<std::size_t> operands;
    const auto add = [&](std::int32_t tensor) -> Result<void> {
      MACAW_ASSIGN(const auto i, tensor_index(tensor, op.place));
      if (constants_[i].empty() && std::ranges::find(operands, i) == operands.end()) operands.push_back(i);
      return {};
    };
    for (std::size_t i = 0; i < size_of(op.table->outputs()); ++i)
      MACAW_CHECK(add(op.table->outputs()->Get(unsigned(i))));
    for (std::size_t i = kFixedInputs; i < size_of(op.table->inputs()); ++i)
      MACAW_CHECK(add(op.table->inputs()->Get(unsigned(i))));
    return operands;
  }

  // A tensor keeps the address in the first of its operators; the others get a copy.
  Result<void> place_local(Operator& op, const std::vector<Uses>& uses,
                           const std::map<std::size_t, std::uint64_t>& addresses, std::vector<bool>& placed) {
    op.input_memory = add_memory({.name = "inputs of " + op.place});
    op.output_memory = add_memory({.name = "outputs of " + op.place});
    std::uint64_t extent = 0;
    std::array<std::vector<LocalOperand>, 2> memories;
    MACAW_ASSIGN(const auto operands, local_operands(op));
    for (const auto i : operands) {
      auto& tensor = tensors_[i];
      const int memory = uses[i].written ? op.output_memory : op.input_memory;
      const auto offset = addresses.at(i);
      memories[uses[i].written].push_back({i, sizes_[i], offset});
      if (is_variable(i) && !uses[i].written) memories[true].push_back({i, sizes_[i], offset});
      if (placed[i]) {
        op.copies.push_back({{tensor.memory, tensor.offset, sizes_[i]}, {memory, offset, sizes_[i]}});
      } else {
        tensor.memory = memory;
        tensor.offset = offset;
        placed[i] = true;
      }
      extent = std::max(extent, offset + sizes_[i]);
    }
    for (const bool written : {false, true}) {
      const int memory = written ? op.output_memory : op.input_memory;
      // u55_u65 1.3
      artifact_.memories[std::size_t(memory)].size = align(extent);
      for (const auto& [first, second] : overlapping(memories[written]))
        if (uses[first.tensor].operators > 1 || uses[second.tensor].operators > 1 ||
            is_variable(first.tensor) != is_variable(second.tensor))
          op.overlaps.push_back(
              {tensors_[first.tensor].name, tensors_[second.tensor].name, {memory, *second.offset, second.size}});
    }
    return {};
  }

  Result<void> place_tensors() {
    MACAW_ASSIGN(auto placed, place_npu_operands());
    MACAW_ASSIGN(const auto uses, npu_uses());
    MACAW_ASSIGN(const auto addresses, local_addresses(uses));
    for (auto& op : operators_)
      if (op.npu && op.npu->local_addressing) MACAW_CHECK(place_local(op, uses, addresses, placed));
    Memory arena{.name = "arena"}, constants{.name = "constants", .read_only = true};
    std::vector<std::size_t> in_arena, in_constants, unallocated;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      auto& tensor = tensors_[i];
      if (placed[i]) continue;
      if (!constants_[i].empty()) {
        const auto [known, is_new] = constant_at_.emplace(buffer_of(i), align(constants.initial.size()));
        tensor.offset = known->second;
        if (is_new) {
          constants.initial.resize(tensor.offset);
          constants.initial.insert(constants.initial.end(), constants_[i].begin(), constants_[i].end());
        }
        in_constants.push_back(i);
      } else if (arena_offsets_[i] >= 0) {
        tensor.offset = std::uint64_t(arena_offsets_[i]);
        arena.size = std::max(arena.size, tensor.offset + sizes_[i]);
        in_arena.push_back(i);
      } else {
        unallocated.push_back(i);
      }
    }
    for (const auto i : unallocated) {
      tensors_[i].offset = align(arena.size);
      arena.size = tensors_[i].offset + sizes_[i];
      if (arena.size > kMaxMemory) return error(fmt::format("the tensors take {} bytes", arena.size));
      in_arena.push_back(i);
    }
    constants.size = constants.initial.size();
    place_in(std::move(arena), in_arena);
    place_in(std::move(constants), in_constants);
    return {};
  }

  void place_in(Memory memory, const std::vector<std::size_t>& tensors) {
    if (tensors.empty()) return;
    const int index = add_memory(std::move(memory));
    for (const auto i : tensors) tensors_[i].memory = index;
  }

  static std::uint64_t align(std::uint64_t offset) {
    return (offset + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  }

  Result<void> add_step(std::size_t index, ControlFlow& control) {
    auto& op = operators_[index];
    if (op.name == "IF" || op.name == "WHILE") {
      std::vector<TensorBinding> inputs, outputs;
      MACAW_CHECK(bind(op.table->inputs(), op.place, inputs));
      MACAW_CHECK(bind(op.table->outputs(), op.place, outputs));
      return control.add(op.place, tflite::options_of(*op.table).get(), inputs, outputs);
    }
    if (!op.npu) {
      HostOperator host{
          .index = index, .name = op.name, .inputs = {}, .outputs = {}, .options = tflite::options_of(*op.table)};
      MACAW_CHECK(bind(op.table->inputs(), op.place, host.inputs, tflite::ignores_sign(op.name)));
      MACAW_CHECK(bind(op.table->outputs(), op.place, host.outputs, tflite::ignores_sign(op.name)));
      return loading_.resources.add({index_, op.place, *op.table, std::move(host)});
    }
    MACAW_ASSIGN(const auto regions, regions_of(op));
    const auto first = artifact_.steps.size();
    MACAW_CHECK(add_payload(artifact_, std::move(*op.npu), op.place, regions));
    auto& stream = std::get<CommandStream>(artifact_.steps[first]);
    stream.copies = std::move(op.copies);
    stream.overlaps = std::move(op.overlaps);
    return {};
  }

  // The runtime passes the data of every input except the payload, then of every output, as bases 0, 1, 2, ... With
  // local addressing, region 3 is the memory of the inputs and region 4 that of the outputs.
  Result<std::array<RegionBinding, 8>> regions_of(const Operator& op) const {
    constexpr std::size_t kInputRegion = 3, kOutputRegion = 4;
    std::array<RegionBinding, 8> regions;
    std::size_t region = 0;
    const auto base = [&](std::int32_t tensor) -> Result<void> {
      if (region == regions.size()) return {};
      MACAW_ASSIGN(const auto i, tensor_index(tensor, op.place));
      // A constant tensor may be declared smaller than its data.
      const auto size = std::max<std::uint64_t>(sizes_[i], constants_[i].size());
      regions[region++] = {tensors_[i].memory, tensors_[i].offset, size};
      return {};
    };
    const auto* inputs = op.table->inputs();
    for (std::size_t i = 1; i < (op.npu->local_addressing ? kFixedInputs : inputs->size()); ++i)
      MACAW_CHECK(base(inputs->Get(unsigned(i))));
    if (op.npu->local_addressing) {
      const auto size = artifact_.memories[std::size_t(op.input_memory)].size;
      regions[kInputRegion] = {op.input_memory, 0, size};
      regions[kOutputRegion] = {op.output_memory, 0, size};
      return regions;
    }
    for (std::size_t i = 0; i < size_of(op.table->outputs()); ++i)
      MACAW_CHECK(base(op.table->outputs()->Get(unsigned(i))));
    return regions;
  }

  Result<void> bind(const flatbuffers::Vector<std::int32_t>* list, const std::string& place,
                    std::vector<TensorBinding>& out, bool takes_uint64 = true) {
    loading_.operands += size_of(list);
    if (loading_.operands > tflite::kMaxOperands) return error("too many operands", place, ErrorCode::kUnsupported);
    for (std::size_t i = 0; i < size_of(list); ++i) {
      const auto index = list->Get(unsigned(i));
      if (index == -1) {  // an optional operand that is absent
        out.emplace_back();
        continue;
      }
      MACAW_ASSIGN(const auto tensor, tensor_index(index, place));
      out.push_back(tensors_[tensor]);
      if (!takes_uint64 && graph_->tensors()->Get(unsigned(tensor))->type() == schema::TensorType::UINT64)
        out.back().dtype.reset();
    }
    return {};
  }

  Loading& loading_;
  tflite::Model& file_;
  const schema::Model& model_;
  std::size_t index_;
  const schema::SubGraph* graph_;
  Artifact& artifact_;
  std::vector<Operator> operators_;
  std::vector<std::int64_t> arena_offsets_;
  std::vector<TensorBinding> tensors_;
  std::vector<std::uint64_t> sizes_;                      // bytes of each tensor
  std::vector<std::span<const std::uint8_t>> constants_;  // data of each tensor
  std::map<std::uint32_t, std::size_t> weights_;          // buffer of read-only data -> its first tensor
  std::map<std::uint32_t, std::uint64_t> constant_at_;    // buffer of constants -> offset
};

}  // namespace

Result<Artifact> parse_vela_tflite(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(auto model, tflite::Model::create(bytes, name));
  Loading loading(std::move(model));
  const auto count = size_of(loading.file.root().subgraphs());
  if (count == 0) return loading.file.error("the model has no subgraph");
  std::map<std::size_t, SubgraphLoader> loaders;
  ControlFlow control(loading.artifact, count, [&](std::size_t index) {
    return loaders.try_emplace(index, loading, index).first->second.place();
  });
  MACAW_ASSIGN(auto main, control.interface(0));
  MACAW_CHECK(loaders.at(0).add_steps(control));
  while (const auto next = control.begin_subgraph()) MACAW_CHECK(loaders.at(*next).add_steps(control));
  control.end();
  loading.artifact.inputs = std::move(main.inputs);
  loading.artifact.outputs = std::move(main.outputs);
  MACAW_CHECK(check_bindings(loading.artifact));
  return std::move(loading.artifact);
}

}  // namespace macaw::npu
