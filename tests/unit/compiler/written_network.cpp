#include <macaw/npu/artifact.hpp>
#include <macaw/npu/write_artifact.hpp>

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;

namespace {

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

}  // namespace

TEST_CASE("a network that is written as .tflite is read as it was, for any length of its stream", "[artifact]") {
  for (const std::size_t words : {1u, 0xffffu, 0x10000u, 0x10001u}) {
    INFO(words);
    Artifact artifact;
    artifact.file = "net";
    artifact.steps.emplace_back(CommandStream{});
    artifact.memories = {
        {.name = "constants", .size = 32, .initial = std::vector<std::uint8_t>(32, 7), .read_only = true},
        {.name = "arena", .size = 256}};
    auto& stream = std::get<CommandStream>(artifact.steps[0]);
    stream.words.assign(words, 0);
    stream.words.front() = 0x11;
    stream.words.back() = 0xffff0000;
    stream.config_word = find_accelerator("ethos-u65-256")->config_word;
    stream.id_word = 0x10066001;
    stream.regions[0] = {0, 0, 32};
    stream.regions[1] = {1, 0, 256};
    artifact.inputs = {operand(DType::kINT8, 16, 48)};
    artifact.outputs = {operand(DType::kINT16, 8, 112)};
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
