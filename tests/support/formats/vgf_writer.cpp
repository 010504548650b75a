#include "tests/support/formats/vgf_writer.hpp"

#include <flatbuffers/flatbuffers.h>

#include <cstring>

#include "tests/support/formats/spirv_writer.hpp"
#include "vgf_generated.h"

namespace macaw::tosa::test {
namespace {

namespace fb = macaw::vgf;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeaderSize = 128;

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
void append(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  put(bytes, bytes.size() - sizeof value, value);
}

Bytes finish(flatbuffers::FlatBufferBuilder& builder, auto root) {
  builder.Finish(root);
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {begin, begin + builder.GetSize()};
}

Bytes modules(const Words& words, std::size_t count) {
  flatbuffers::FlatBufferBuilder b;
  const auto code = fb::CreateSpirvDirect(b, &words).Union();
  const auto module = fb::CreateModuleDirect(b, fb::ModuleType::GRAPH, "graph", "main", fb::ModuleCode::Spirv, code);
  return finish(b, fb::CreateModuleTable(b, b.CreateVector(std::vector(count, module))));
}

/// Resources are the inputs, the outputs and the constants, bound in this order.
Bytes sequence(const Block& block, std::size_t constants) {
  flatbuffers::FlatBufferBuilder b;
  const auto slots = [&](std::size_t from, std::size_t count) {
    std::vector<flatbuffers::Offset<fb::BindingSlot>> list;
    for (auto i = from; i < from + count; ++i)
      list.push_back(fb::CreateBindingSlot(b, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)));
    return b.CreateVector(list);
  };
  const auto names = [&](const std::vector<ValueId>& ids) {
    std::vector<std::string> list;
    for (const auto id : ids) list.push_back(block.values[id].name);
    return b.CreateVectorOfStrings(list);
  };
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < constants; ++i) numbers.push_back(i);
  const auto name = b.CreateString("segment");
  const auto inputs = slots(0, block.inputs.size()), outputs = slots(block.inputs.size(), block.outputs.size());
  const auto indices = b.CreateVector(numbers);
  const auto segment = fb::CreateSegment(b, fb::ModuleType::GRAPH, name, 0, 0, inputs, outputs, indices);
  const auto segments = b.CreateVector(std::vector{segment});
  const auto input_names = names(block.inputs), output_names = names(block.outputs);
  return finish(b, fb::CreateSequenceTable(b, segments, inputs, outputs, input_names, output_names));
}

Bytes resources(std::size_t count) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<fb::Resource>> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(fb::CreateResource(b));
  return finish(b, fb::CreateResourceTable(b, b.CreateVector(list)));
}

Bytes raw_constants(const std::vector<Tensor>& constants, std::size_t first_resource) {
  Bytes bytes(8);
  std::memcpy(bytes.data(), "CONST00", 8);
  append(bytes, std::uint64_t{constants.size()});
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    append(bytes, static_cast<std::uint32_t>(first_resource + i));
    append(bytes, std::int32_t{-1});
    append(bytes, std::uint64_t{constants[i].bytes().size()});
    append(bytes, offset);
    offset += (constants[i].bytes().size() + 7) / 8 * 8;
  }
  for (const auto& constant : constants) {
    bytes.insert(bytes.end(), constant.bytes().begin(), constant.bytes().end());
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  return bytes;
}

Result<Words> module_of(const Graph& graph, SpirvWriter& writer) {
  if (graph.blocks.size() != 1) return fail(ErrorCode::kUnsupported, "a graph of several blocks");
  return writer.write();
}

}  // namespace

Result<std::vector<std::byte>> write_vgf(const Graph& graph, std::size_t module_count) {
  constexpr std::int64_t kMostInside = 4;
  const auto& block = graph.main();
  SpirvWriter writer(block, kMostInside);
  MACAW_ASSIGN(const auto words, module_of(graph, writer));
  const auto ports = block.inputs.size() + block.outputs.size();
  const Bytes sections[] = {modules(words, module_count), sequence(block, writer.constants().size()),
                            resources(ports + writer.constants().size()), raw_constants(writer.constants(), ports)};
  Bytes file(kHeaderSize);
  std::memcpy(file.data(), "VGF1", 4);
  put(file, 8, std::uint8_t{0});
  put(file, 9, std::uint8_t{4});
  put(file, 10, std::uint8_t{3});
  for (std::size_t i = 0; i < std::size(sections); ++i) {
    file.resize((file.size() + 7) / 8 * 8);
    put(file, 16 + 16 * i, std::uint64_t{file.size()});
    put(file, 24 + 16 * i, std::uint64_t{sections[i].size()});
    file.insert(file.end(), sections[i].begin(), sections[i].end());
  }
  return file;
}

Result<std::vector<std::byte>> write_spirv(const Graph& graph, Ports ports) {
  SpirvWriter writer(graph.main(), std::int64_t{1} << 40, ports);
  MACAW_ASSIGN(const auto words, module_of(graph, writer));
  const auto* begin = reinterpret_cast<const std::byte*>(words.data());
  return std::vector<std::byte>(begin, begin + words.size() * 4);
}

}  // namespace macaw::tosa::test
