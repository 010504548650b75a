#include <macaw/npu/artifact.hpp>
#include <macaw/npu/write_artifact.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "tflite_generated.h"

// A network written as Vela's .tflite is read back unchanged; changes in it are read or rejected (u55_u65 1.1).
using namespace macaw;
using namespace macaw::npu;

namespace {

namespace schema = tflite::schema;

TensorBinding operand(DType dtype, std::int64_t elements, std::uint64_t offset) {
  TensorBinding tensor;
  tensor.name = "t";
  tensor.shape = {elements};
  tensor.element_size = static_cast<unsigned>(size_of(dtype));
  tensor.dtype = dtype;
  tensor.memory = 1;
  tensor.offset = offset;
  return tensor;
}

/// A job of so many words with 32 bytes of constants and an arena of 256.
Artifact job_of(std::size_t words) {
  Artifact artifact;
  artifact.file = "net";
  artifact.memories = {
      {.name = "constants", .size = 32, .initial = std::vector<std::uint8_t>(32, 7), .read_only = true},
      {.name = "arena", .size = 256}};
  CommandStream stream;
  stream.words.assign(words, 0);
  stream.words.front() = 0x11;
  stream.words.back() = 0xffff0000;
  stream.config_word = find_accelerator("ethos-u65-256")->config_word;
  stream.id_word = 0x10066001;
  stream.regions[0] = {0, 0, 32};
  stream.regions[1] = {1, 0, 256};
  artifact.steps.emplace_back(stream);
  artifact.inputs = {operand(DType::kINT8, 16, 48)};
  artifact.outputs = {operand(DType::kINT16, 8, 112)};
  return artifact;
}

/// The file of a job with something changed in it.
template <class Change>
Result<Artifact> changed(Change change) {
  const auto bytes = to_vela_tflite(job_of(4));
  REQUIRE(bytes);
  schema::ModelT model;
  schema::GetModel(bytes->data())->UnPackTo(&model);
  change(model);
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  return parse_artifact(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), "net.tflite");
}

std::vector<std::uint8_t>& allocation(schema::ModelT& model) { return model.buffers[model.metadata[0]->buffer]->data; }
void put(std::vector<std::uint8_t>& bytes, std::size_t word, std::int32_t value) {
  std::memcpy(bytes.data() + 4 * word, &value, sizeof value);
}

}  // namespace

TEST_CASE("a network that is written as .tflite is read as it was, for any length of its stream", "[artifact]") {
  for (const std::size_t words : {1u, 0xffffu, 0x10000u, 0x10001u}) {
    INFO(words);
    const auto artifact = job_of(words);
    const auto& stream = std::get<CommandStream>(artifact.steps[0]);
    const auto bytes = to_vela_tflite(artifact);
    REQUIRE(bytes);
    const auto read = parse_artifact(*bytes, "net.tflite");
    if (!read) FAIL(read.error().to_string());
    CHECK(read->accelerator == find_accelerator("ethos-u65-256"));
    const auto& same = std::get<CommandStream>(read->steps.at(0));
    CHECK(same.words == stream.words);
    CHECK((same.config_word == stream.config_word && same.id_word == stream.id_word));
    CHECK(same.payload_offset == 32);
    const auto& constants = read->memories.at(static_cast<std::size_t>(same.regions[0].memory));
    CHECK((constants.initial == artifact.memories[0].initial && constants.read_only));
    CHECK((same.regions[0].size == 32 && same.regions[1].size == 256));
    for (const auto& [tensor, was] :
         {std::pair{&read->inputs.at(0), &artifact.inputs[0]}, {&read->outputs.at(0), &artifact.outputs[0]}}) {
      CHECK((tensor->memory == same.regions[1].memory && tensor->offset == same.regions[1].offset + was->offset));
      CHECK((tensor->shape == was->shape && tensor->dtype == was->dtype && tensor->element_size == was->element_size));
    }
  }
}

TEST_CASE("places of tensors are as many as tensors, behind a header of three words", "[artifact]") {
  CHECK(changed([](auto&) {}));
  CHECK(changed([](auto& model) { allocation(model).resize(allocation(model).size() + 4); }));
  CHECK_FALSE(changed([](auto& model) { allocation(model).resize(allocation(model).size() - 4); }));
  CHECK_FALSE(changed([](auto& model) { allocation(model).resize(8); }));
  CHECK_FALSE(changed([](auto& model) { put(allocation(model), 0, 1); }));  // the version
  for (const int off : {-1, 1})
    CHECK_FALSE(changed([&](auto& model) {
      put(allocation(model), 2, static_cast<std::int32_t>(model.subgraphs[0]->tensors.size()) + off);
    }));
  CHECK(changed([](auto& model) { model.metadata[0]->name = "another"; }));
  // The input is the fifth tensor: a place of its own, none, and one that cannot be.
  const auto input_at = [](std::int32_t place) {
    return changed([=](auto& model) { put(allocation(model), 3 + 4, place); });
  };
  CHECK(input_at(64)->inputs.at(0).offset == 64);
  CHECK(input_at(0)->inputs.at(0).offset == 0);
  CHECK(input_at(-1)->inputs.at(0).offset == 256);  // behind what has a place
  CHECK_FALSE(input_at(-2));
}

TEST_CASE("constants have the bytes of their data, though their tensor is declared smaller", "[artifact]") {
  const auto declared = [](int bytes) {
    return changed([=](auto& model) { model.subgraphs[0]->tensors[1]->shape = {bytes}; });
  };
  for (const int bytes : {0, 16, 32}) {
    const auto artifact = declared(bytes);
    INFO(bytes);
    REQUIRE(artifact);
    const auto& region = std::get<CommandStream>(artifact->steps.at(0)).regions[0];
    CHECK(region.size == 32);
    CHECK(artifact->memories.at(static_cast<std::size_t>(region.memory)).size == 32);
  }
  CHECK_FALSE(declared(33));
}

TEST_CASE("operands are tensors of the network, or absent where they are -1", "[artifact]") {
  const auto tensors = static_cast<std::int32_t>([] {
    std::size_t count = 0;
    REQUIRE(changed([&](auto& model) { count = model.subgraphs[0]->tensors.size(); }));
    return count;
  }());
  for (const std::int32_t index : {-2, tensors, INT32_MIN, INT32_MAX}) {
    INFO(index);
    CHECK_FALSE(changed([&](auto& model) { model.subgraphs[0]->inputs[0] = index; }));
    CHECK_FALSE(changed([&](auto& model) { model.subgraphs[0]->outputs[0] = index; }));
    CHECK_FALSE(changed([&](auto& model) { model.subgraphs[0]->operators[0]->inputs[0] = index; }));
    CHECK_FALSE(changed([&](auto& model) { model.subgraphs[0]->operators[0]->outputs[0] = index; }));
  }
  const auto absent = changed([](auto& model) { model.subgraphs[0]->inputs[0] = -1; });
  REQUIRE(absent);
  CHECK(absent->inputs.at(0).memory == -1);
  CHECK_FALSE(changed([](auto& model) { model.subgraphs[0]->operators[0]->inputs.resize(3); }));
  CHECK_FALSE(
      changed([](auto& model) { model.subgraphs[0]->tensors[4]->is_variable = true, model.subgraphs.clear(); }));
}

TEST_CASE("fast scratch that is the scratch is one memory with it, and of its own else", "[artifact]") {
  for (const bool same : {true, false}) {
    const auto artifact = changed([=](auto& model) {
      auto& inputs = model.subgraphs[0]->operators[0]->inputs;
      if (same) inputs[3] = inputs[2];
    });
    REQUIRE(artifact);
    const auto& regions = std::get<CommandStream>(artifact->steps.at(0)).regions;
    CHECK((regions[2].memory == regions[1].memory) == same);
    CHECK(std::ranges::count(artifact->memories, "scratch_fast", &Memory::name) == (same ? 0 : 1));
  }
}
