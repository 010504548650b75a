#include <macaw/npu/write_artifact.hpp>

#include <fmt/format.h>

#include <cstring>

#include "sim/artifact/driver_payload.hpp"
#include "tflite_generated.h"

// The form of ethosu/regor/tflite/tflite_writer.cpp and ethosu/vela/npu_serialisation.py (u55_u65 1.1, 1.2).
namespace macaw::npu {
namespace {

namespace schema = tflite::schema;

constexpr std::uint32_t kOptimizerConfig = 0x00100001, kNop = 5, kCommandStream = 2;
constexpr int kCustom = 32;                           // BuiltinOperator of TensorFlow Lite's schema
constexpr int kConstants = 0, kArena = 1, kFast = 2;  // regions

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes(words.size() * sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Result<schema::TensorType> type_of(const TensorBinding& tensor) {
  if (!tensor.dtype) return fail(ErrorCode::kUnsupported, fmt::format("tensor '{}' has no type", tensor.name));
  switch (*tensor.dtype) {
    case DType::kINT8: return schema::TensorType::INT8;
    case DType::kUINT8: return schema::TensorType::UINT8;
    case DType::kINT16: return schema::TensorType::INT16;
    case DType::kINT32: return schema::TensorType::INT32;
    case DType::kBOOL: return schema::TensorType::BOOL;
    default:
      return fail(ErrorCode::kUnsupported,
                  fmt::format("tensor '{}': its type has no place in a Vela .tflite", tensor.name));
  }
}

class Writer {
 public:
  explicit Writer(const Artifact& artifact) : artifact_(artifact) {
    model_.version = 3;
    model_.description = "macaw";
    model_.buffers.push_back(std::make_unique<schema::BufferT>());  // for tensors without contents
    graph_->name = "main";
  }

  Result<std::vector<std::byte>> write() {
    const auto* stream = artifact_.steps.size() == 1 ? std::get_if<CommandStream>(&artifact_.steps.front()) : nullptr;
    if (!stream) return fail(ErrorCode::kUnsupported, "a network that is not one NPU job alone", place());
    if (!artifact_.variables.empty()) return fail(ErrorCode::kUnsupported, "a network with variables", place());
    const auto& constants = memory(*stream, kConstants);
    const auto& arena = memory(*stream, kArena);

    auto op = std::make_unique<schema::OperatorT>();
    op->inputs = {add("command_stream", {}, schema::TensorType::UINT8, -1, bytes_of(driver_payload(*stream))),
                  add("constants", {}, schema::TensorType::UINT8, -1, constants.initial),
                  add("scratch", {int(arena.size)}, schema::TensorType::UINT8, 0, {})};
    const auto& fast = memory(*stream, kFast);
    op->inputs.push_back(add("scratch_fast", {int(fast.size)}, schema::TensorType::UINT8, fast.size > 0 ? 0 : -1, {}));
    for (const auto& [bindings, ends, operands] : {std::tuple{&artifact_.inputs, &graph_->inputs, &op->inputs},
                                                   std::tuple{&artifact_.outputs, &graph_->outputs, &op->outputs}})
      for (const auto& tensor : *bindings) {
        MACAW_ASSIGN(const auto type, type_of(tensor));
        const auto index =
            add(tensor.name, {tensor.shape.begin(), tensor.shape.end()}, type, std::int64_t(tensor.offset), {});
        ends->push_back(index);
        operands->push_back(index);
      }
    graph_->operators.push_back(std::move(op));
    auto code = std::make_unique<schema::OperatorCodeT>();
    code->deprecated_builtin_code = kCustom;
    code->builtin_code = kCustom;
    code->custom_code = "ethos-u";
    model_.operator_codes.push_back(std::move(code));
    add_allocation();
    model_.subgraphs.push_back(std::move(graph_));
    flatbuffers::FlatBufferBuilder builder;
    schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model_));
    const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return std::vector(data, data + builder.GetSize());
  }

 private:
  [[nodiscard]] Place place() const { return {.file = artifact_.file}; }

  /// The memory of a region of the stream; empty if it is not bound.
  [[nodiscard]] const Memory& memory(const CommandStream& stream, int region) const {
    static const Memory none;
    const int index = stream.regions.at(std::size_t(region)).memory;
    return index < 0 ? none : artifact_.memories.at(std::size_t(index));
  }

  std::int32_t add(std::string name, std::vector<std::int32_t> shape, schema::TensorType type, std::int64_t offset,
                   std::vector<std::uint8_t> contents) {
    auto tensor = std::make_unique<schema::TensorT>();
    tensor->name = std::move(name);
    tensor->shape = !contents.empty() || shape.empty() ? std::vector{std::int32_t(contents.size())} : std::move(shape);
    tensor->type = type;
    if (!contents.empty()) {
      tensor->buffer = std::uint32_t(model_.buffers.size());
      auto buffer = std::make_unique<schema::BufferT>();
      buffer->data = std::move(contents);
      model_.buffers.push_back(std::move(buffer));
    }
    graph_->tensors.push_back(std::move(tensor));
    offsets_.push_back(std::uint32_t(std::int32_t(offset)));
    return std::int32_t(graph_->tensors.size()) - 1;
  }

  /// Version, subgraphs, tensors, then the arena offset of each; -1: none.
  void add_allocation() {
    std::vector<std::uint32_t> words{0, 1, std::uint32_t(offsets_.size())};
    words.insert(words.end(), offsets_.begin(), offsets_.end());
    auto metadata = std::make_unique<schema::MetadataT>();
    metadata->name = "OfflineMemoryAllocation";
    metadata->buffer = std::uint32_t(model_.buffers.size());
    auto buffer = std::make_unique<schema::BufferT>();
    buffer->data = bytes_of(words);
    model_.buffers.push_back(std::move(buffer));
    model_.metadata.push_back(std::move(metadata));
  }

  const Artifact& artifact_;
  schema::ModelT model_;
  std::unique_ptr<schema::SubGraphT> graph_ = std::make_unique<schema::SubGraphT>();
  std::vector<std::uint32_t> offsets_;
};

}  // namespace

std::vector<std::uint32_t> driver_payload(const CommandStream& stream) {
  const auto length = static_cast<std::uint32_t>(stream.words.size());
  std::vector<std::uint32_t> words{
      kCop1, kOptimizerConfig, stream.config_word.value_or(0), stream.id_word.value_or(0), kNop, kNop, kNop};
  words.push_back(kCommandStream | ((length >> 16) & 0xFF) << 8 | (length & 0xFFFF) << 16);
  words.insert(words.end(), stream.words.begin(), stream.words.end());
  return words;
}

Result<std::vector<std::byte>> to_vela_tflite(const Artifact& artifact) { return Writer(artifact).write(); }

}  // namespace macaw::npu
