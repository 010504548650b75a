#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>
#include <macaw/npu/write_artifact.hpp>

#include "base/tflite/options.hpp"
#include "compiler/compile.hpp"
#include "models/microbench.hpp"
#include "models/models.hpp"

using namespace macaw;

namespace {

npu::Artifact compiled(const tosa::Graph& graph, std::string_view accelerator) {
  return npu::to_artifact(npu::compile(graph, *npu::find_accelerator(accelerator)).value());
}

}  // namespace

TEST_CASE("a network as Vela's .tflite computes what it did") {
  for (const auto* accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
    INFO(accelerator);
    const auto graph = models::tiny_cnn();
    const auto artifact = compiled(graph, accelerator);
    const auto bytes = npu::to_vela_tflite(artifact).value();
    const auto read = npu::parse_artifact(bytes, "net.tflite").value();
    CHECK(read.format == npu::Artifact::Format::kVelaTflite);
    REQUIRE(read.accelerator != nullptr);
    CHECK(read.accelerator->name == accelerator);
    REQUIRE(read.inputs.size() == 1);
    CHECK(read.inputs[0].name == artifact.inputs[0].name);
    CHECK(read.inputs[0].shape == artifact.inputs[0].shape);
    const std::vector<npu::NamedTensor> given{{"", models::sample_inputs(graph, 3).value()[0]}};
    const auto there = npu::run_functional(read, *read.accelerator, given).value();
    const auto here = npu::run_functional(artifact, *artifact.accelerator, given).value();
    REQUIRE(there.outputs.size() == here.outputs.size());
    CHECK(std::ranges::equal(there.outputs[0].bytes(), here.outputs[0].bytes()));
  }
}

TEST_CASE("the places of a .tflite's tensors are told for those of all its subgraphs") {
  namespace schema = tflite::schema;
  const auto bytes = npu::to_vela_tflite(compiled(models::tiny_cnn(), "ethos-u85-256")).value();
  schema::ModelT model;
  schema::GetModel(bytes.data())->UnPackTo(&model);
  auto body = std::make_unique<schema::SubGraphT>();
  body->tensors.push_back(std::make_unique<schema::TensorT>());
  model.subgraphs.push_back(std::move(body));
  const auto parse = [&] {
    flatbuffers::FlatBufferBuilder builder;
    schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
    const std::span written(builder.GetBufferPointer(), builder.GetSize());
    return npu::parse_artifact(std::as_bytes(written), "net.tflite");
  };
  const auto few = parse();
  REQUIRE_FALSE(few);
  CHECK(few.error().message.find("offsets for") != std::string::npos);

  auto& words = model.buffers[model.metadata.at(0)->buffer]->data;
  constexpr std::size_t kCountAt = 8;
  ++words.at(kCountAt);
  words.insert(words.end(), 4, 0xFF);  // -1: anywhere
  const auto both = parse();
  INFO((both ? "" : both.error().to_string()));
  REQUIRE(both);
  CHECK(both->inputs.size() == 1);
}

TEST_CASE("constants of a .tflite that are one buffer are one place") {
  namespace schema = tflite::schema;
  const auto bytes = npu::to_vela_tflite(compiled(models::tiny_cnn(), "ethos-u85-256")).value();
  schema::ModelT model;
  schema::GetModel(bytes.data())->UnPackTo(&model);
  auto& graph = *model.subgraphs.at(0);
  const auto buffer = static_cast<std::uint32_t>(model.buffers.size());
  for (std::uint32_t i = 0; i < 2; ++i) {
    model.buffers.push_back(std::make_unique<schema::BufferT>());
    model.buffers.back()->data = {1, 2, 3};
  }
  constexpr std::size_t kCountAt = 8;
  auto& words = model.buffers[model.metadata.at(0)->buffer]->data;
  for (const auto of : {buffer, buffer, buffer + 1}) {
    auto tensor = std::make_unique<schema::TensorT>();
    tensor->type = schema::TensorType::INT8;
    tensor->shape = {3};
    tensor->buffer = of;
    graph.outputs.push_back(static_cast<std::int32_t>(graph.tensors.size()));
    graph.tensors.push_back(std::move(tensor));
    ++words.at(kCountAt);
    words.insert(words.end(), 4, 0xFF);  // -1: none
  }
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  const auto read =
      npu::parse_artifact(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), "net.tflite");
  INFO((read ? "" : read.error().to_string()));
  REQUIRE(read);
  const auto& outputs = read->outputs;
  REQUIRE(outputs.size() == 4);
  CHECK((outputs[1].memory == outputs[2].memory && outputs[1].offset == outputs[2].offset));
  CHECK((outputs[1].memory == outputs[3].memory && outputs[1].offset + 16 == outputs[3].offset));
}

TEST_CASE("only a single job has a place in such a file") {
  auto artifact = compiled(models::tiny_cnn(), "ethos-u55-128");
  SECTION("two jobs") {
    artifact.steps.push_back(artifact.steps.front());
    CHECK(npu::to_vela_tflite(artifact).error().message.find("one NPU job") != std::string::npos);
  }
  SECTION("variables") {
    artifact.variables.push_back(artifact.inputs.front());
    CHECK(npu::to_vela_tflite(artifact).error().message.find("variables") != std::string::npos);
  }
  SECTION("types") {
    artifact.outputs[0].dtype = DType::kINT48;
    const auto error = npu::to_vela_tflite(artifact).error();
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find(artifact.outputs[0].name) != std::string::npos);
  }
}

TEST_CASE("every microbenchmark compiles for every accelerator") {
  for (const auto& accelerator : npu::accelerators())
    for (const auto& bench : models::microbenches()) {
      INFO(accelerator.name << ' ' << bench.name);
      const auto artifact = compiled(bench.build(), accelerator.name);
      CHECK(npu::parse_artifact(npu::to_vela_tflite(artifact).value(), "bench.tflite"));
    }
}

TEST_CASE("a stream's length has its upper 8 bits above the action, the others above those") {
  for (const std::size_t length : {std::size_t{3}, std::size_t{0x10003}, std::size_t{0x120003}}) {
    npu::CommandStream stream;
    stream.words.resize(length);
    const auto words = npu::driver_payload(stream);
    REQUIRE(words.size() == 8 + length);
    CHECK(words[7] == (2U | static_cast<std::uint32_t>(length >> 16) << 8 | 3U << 16));
  }
}

TEST_CASE("tensors of a .tflite that have no place begin at 16 bytes") {
  namespace schema = tflite::schema;
  const auto bytes = npu::to_vela_tflite(compiled(models::tiny_cnn(), "ethos-u85-256")).value();
  schema::ModelT model;
  schema::GetModel(bytes.data())->UnPackTo(&model);
  model.metadata.clear();
  for (auto& tensor : model.subgraphs.at(0)->tensors)
    if (tensor->buffer == 0 && tensor->shape.size() == 1) ++tensor->shape[0];
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  const std::span written(builder.GetBufferPointer(), builder.GetSize());
  const auto read = npu::parse_artifact(std::as_bytes(written), "net.tflite");
  INFO((read ? "" : read.error().to_string()));
  REQUIRE(read);
  for (const auto* tensors : {&read->inputs, &read->outputs})
    for (const auto& tensor : *tensors) CHECK(tensor.offset % 16 == 0);
  CHECK(read->inputs.at(0).offset != 0);
}
