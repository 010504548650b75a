#include <macaw/npu/artifact.hpp>

#include <catch2/catch.hpp>

#include <cstring>

#include "base/tflite/options.hpp"

// A .tflite of Vela with one ethos-u operator whose operands have addresses of their own (COP2, --separate-io-regions).
using namespace macaw;
using namespace macaw::npu;
namespace fb = macaw::tflite::schema;

namespace {

class TfliteNetwork {
 public:
  TfliteNetwork() {
    model_.version = 3;
    add_buffer({});
    model_.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
    std::vector<std::int32_t> payload = {0x32504f43, 1, 68, 0, 1, 60, 52, 0x4d554556, 1, 20, 0x20000118, 0x20007000, 2};
    payload.resize(20);
    payload.push_back(std::int32_t(0xffff0000));
    add("payload", fb::TensorType::UINT8, {84}, -1, add_buffer(payload));
    add("read_only", fb::TensorType::UINT8, {16}, -1, add_buffer({0, 0, 0, 0}));
    add("scratch", fb::TensorType::UINT8, {64}, 0);
    add("scratch_fast", fb::TensorType::UINT8, {64}, 0);
    inputs_ = {0, 1, 2, 3};
  }

  int input(const char* name, std::int32_t size, std::int32_t offset, bool variable = false) {
    inputs_.push_back(add(name, fb::TensorType::INT8, {1, size}, offset, 0, variable));
    return inputs_.back();
  }
  int output(const char* name, std::int32_t size, std::int32_t offset, bool variable = false) {
    outputs_.push_back(add(name, fb::TensorType::INT8, {1, size}, offset, 0, variable));
    return outputs_.back();
  }

  [[nodiscard]] Result<Artifact> load(int in, int out) {
    auto code = std::make_unique<fb::OperatorCodeT>();
    code->builtin_code = code->deprecated_builtin_code = 32;  // CUSTOM
    code->custom_code = "ethos-u";
    model_.operator_codes.push_back(std::move(code));
    auto op = std::make_unique<fb::OperatorT>();
    op->inputs = inputs_;
    op->outputs = outputs_;
    auto& graph = *model_.subgraphs[0];
    graph.operators.push_back(std::move(op));
    graph.inputs = {in};
    graph.outputs = {out};
    std::vector<std::int32_t> allocation = {0, 1, std::int32_t(offsets_.size())};
    allocation.insert(allocation.end(), offsets_.begin(), offsets_.end());
    auto metadata = std::make_unique<fb::MetadataT>();
    metadata->name = "OfflineMemoryAllocation";
    metadata->buffer = add_buffer(allocation);
    model_.metadata.push_back(std::move(metadata));
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishModelBuffer(builder, fb::Model::Pack(builder, &model_));
    return parse_artifact(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), "net.tflite");
  }

 private:
  std::uint32_t add_buffer(const std::vector<std::int32_t>& words) {
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->data.resize(words.size() * 4);
    if (!words.empty()) std::memcpy(buffer->data.data(), words.data(), buffer->data.size());
    model_.buffers.push_back(std::move(buffer));
    return std::uint32_t(model_.buffers.size() - 1);
  }
  int add(const char* name, fb::TensorType type, std::vector<std::int32_t> shape, std::int32_t offset,
          std::uint32_t buffer = 0, bool variable = false) {
    auto tensor = std::make_unique<fb::TensorT>();
    tensor->name = name;
    tensor->type = type;
    tensor->shape = std::move(shape);
    tensor->buffer = buffer;
    tensor->is_variable = variable;
    model_.subgraphs[0]->tensors.push_back(std::move(tensor));
    offsets_.push_back(offset);
    return int(offsets_.size()) - 1;
  }

  fb::ModelT model_;
  std::vector<std::int32_t> inputs_, outputs_, offsets_;
};

/// An LSTM whose input has `size` bytes, with the addresses that Vela 5.1 gives it: it packs the inputs and the
/// outputs, each from 0, and its stream writes the cell state where it reads it.
Result<Artifact> lstm(std::int32_t size) {
  TfliteNetwork network;
  network.input("hidden", 20, 0, true);
  const int in = network.input("input", size, 32);
  network.input("cell", 40, 32 + (size + 15) / 16 * 16, true);
  network.output("hidden_1", 20, 0, true);
  network.output("cell_1", 40, 32, true);
  return network.load(in, network.output("output", 10, 80));
}

}  // namespace

TEST_CASE("a cell state that is written on an output is found", "[artifact]") {
  for (const auto& [size, overlaps] : {std::pair(784, false), {16, true}, {32, true}, {48, true}, {64, false}}) {
    INFO(size);
    const auto artifact = lstm(size);
    INFO((artifact ? "" : artifact.error().to_string()));
    REQUIRE(artifact);
    const auto& stream = std::get<CommandStream>(artifact->steps.at(0));
    REQUIRE(stream.overlaps.size() == (overlaps ? 1 : 0));
    if (!overlaps) continue;
    CHECK((stream.overlaps[0].first == "cell" || stream.overlaps[0].second == "cell"));
    CHECK((stream.overlaps[0].first == "output" || stream.overlaps[0].second == "output"));
    CHECK(stream.overlaps[0].bytes.memory == stream.regions[4].memory);
  }
}
