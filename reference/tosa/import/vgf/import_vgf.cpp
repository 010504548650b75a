#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/spirv/graph_reader.hpp"
#include "reference/tosa/import/vgf/container.hpp"

// A VGF file's segments, or a module alone, as one graph. Segments follow each other; the resources that they share are
// the graph's values.

namespace macaw::tosa {
namespace {

using spirv::EntryPoint;
using spirv::TensorType;

Result<const EntryPoint*> find_entry(const spirv::Module& module, const std::string& name) {
  for (const auto& entry : module.entry_points())
    if (entry.name == name || (name.empty() && module.entry_points().size() == 1)) return &entry;
  if (name.empty())
    return module.error(ErrorCode::kUnsupported,
                        fmt::format("{} graphs in a module; one is read", module.entry_points().size()));
  return module.error(ErrorCode::kInvalidFile, fmt::format("the module has no graph \"{}\"", name));
}

Result<Graph> finish(BlockBuilder& builder) {
  Graph graph;
  graph.version = kVersion1_0;
  MACAW_ASSIGN(auto block, builder.finish());
  graph.blocks.push_back(std::move(block));
  return graph;
}

ValueId add_input(BlockBuilder& builder, const std::string& name, const TensorType& type) {
  const auto id = builder.add_temporary(name, type.dtype, type.shape);
  builder.block().inputs.push_back(id);
  return id;
}

class VgfImporter {
 public:
  VgfImporter(const vgf::Container& file, const std::string& name, BlockBuilder& builder, std::size_t file_size)
      : file_(file), name_(name), builder_(builder), budget_(file_size) {}

  Result<Graph> read() {
    for (const auto& segment : file_.segments) MACAW_CHECK(read_segment(segment));
    auto& block = builder_.block();
    // In the model's order, which the segments need not have.
    block.inputs.clear();
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) {
      const auto found = values_.find(file_.inputs[i].resource);
      if (found == values_.end()) return error(fmt::format("no segment reads input {} of the model", i));
      block.inputs.push_back(found->second);
    }
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
      const auto found = values_.find(file_.outputs[i].resource);
      if (found == values_.end()) return error(fmt::format("no segment writes output {} of the model", i));
      block.outputs.push_back(found->second);
    }
    return finish(builder_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(std::string message) const {
    return fail(ErrorCode::kInvalidFile, std::move(message), {.file = name_});
  }

  /// The slot of a resource among those of a model.
  static std::optional<std::size_t> slot_of(const std::vector<vgf::Slot>& slots, std::uint32_t resource) {
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].resource == resource) return i;
    return std::nullopt;
  }

  /// The resource behind a variable of the segment's module.
  static std::optional<std::uint32_t> resource_of(const spirv::Module& module, spirv::Id variable,
                                                  const std::vector<vgf::Slot>& slots) {
    const auto binding = module.binding(variable);
    for (const auto& slot : slots)
      if (binding == slot.binding) return slot.resource;
    return std::nullopt;
  }

  std::string port_name(const std::vector<vgf::Slot>& slots, const std::vector<std::string>& names, const char* kind,
                        std::uint32_t resource) const {
    const auto slot = slot_of(slots, resource);
    if (!slot) return fmt::format("resource_{}", resource);
    return names.empty() ? fmt::format("{}_{}", kind, *slot) : names[*slot];
  }

  Result<std::shared_ptr<const Tensor>> constant(const vgf::Segment& segment, std::uint32_t number,
                                                 const TensorType& type) {
    if (number >= segment.constants.size())
      return error(fmt::format("segment \"{}\" has no constant {}", segment.name, number));
    const auto bytes = file_.constants[segment.constants[number]];
    if (!type.shape || std::ranges::any_of(*type.shape, [](auto extent) { return extent < 0; }))
      return error(fmt::format("constant {} of segment \"{}\" has no known shape", number, segment.name));
    MACAW_ASSIGN(const auto size, byte_count(type.dtype, *type.shape));
    if (static_cast<std::size_t>(size) != bytes.size())
      return error(fmt::format("constant {} of segment \"{}\" has {} bytes, expected {} for {} {}", number,
                               segment.name, bytes.size(), size, to_string(type.dtype), to_string(*type.shape)));
    if (bytes.size() > budget_) return error("the file's constants overlap");
    budget_ -= bytes.size();
    MACAW_ASSIGN(auto tensor, Tensor::create(type.dtype, *type.shape));
    const bool flags = type.dtype == DType::kBOOL;
    std::ranges::transform(bytes, tensor.bytes().begin(),
                           [&](std::byte byte) { return flags ? std::byte{byte != std::byte{0}} : byte; });
    return std::make_shared<const Tensor>(std::move(tensor));
  }

  Result<void> read_segment(const vgf::Segment& segment) {
    const auto& code = file_.modules[segment.module];
    if (!code.is_graph || code.words.empty())
      return fail(ErrorCode::kUnsupported,
                  fmt::format("segment \"{}\" is a compute shader (module \"{}\"); data graphs are read", segment.name,
                              code.name),
                  {.file = name_});
    MACAW_ASSIGN(const auto module, spirv::Module::parse(code.words, name_));
    MACAW_ASSIGN(const auto* entry, find_entry(module, code.entry_point));
    MACAW_ASSIGN(const auto input_types, module.inputs(entry->graph));
    MACAW_ASSIGN(const auto output_types, module.outputs(entry->graph));
    const auto is_array = [](const spirv::PortType& type) { return type.count.has_value(); };
    if (std::ranges::any_of(input_types, is_array) || std::ranges::any_of(output_types, is_array))
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("segment \"{}\" has an array of tensors, and a VGF file binds tensors one by one", segment.name),
          {.file = name_});
    const auto inputs = input_types.size();
    const auto output_resource = [&](std::size_t index) {
      return inputs + index < entry->variables.size()
                 ? resource_of(module, entry->variables[inputs + index], segment.outputs)
                 : std::nullopt;
    };
    spirv::Surroundings around;
    around.input = [&](const spirv::Port& port, const TensorType& type) -> Result<ValueId> {
      const auto resource = resource_of(module, entry->variables[port.index], segment.inputs);
      if (!resource)
        return error(fmt::format("input {} of segment \"{}\" is bound to nothing", port.index, segment.name));
      if (const auto known = values_.find(*resource); known != values_.end()) return known->second;
      if (!slot_of(file_.inputs, *resource))
        return error(fmt::format("segment \"{}\" reads a resource that was not written", segment.name));
      return values_[*resource] =
                 add_input(builder_, port_name(file_.inputs, file_.input_names, "input", *resource), type);
    };
    around.constant = [&](std::uint32_t number, const TensorType& type) { return constant(segment, number, type); };
    around.output_name = [&](const spirv::Port& port) {
      const auto resource = output_resource(port.index);
      return resource ? port_name(file_.outputs, file_.output_names, "output", *resource) : std::string("output");
    };
    MACAW_ASSIGN(const auto outputs, spirv::GraphReader(module, builder_, around).read(*entry));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto resource = output_resource(i);
      if (!resource) return error(fmt::format("output {} of segment \"{}\" is bound to nothing", i, segment.name));
      if (!values_.emplace(*resource, outputs[i]).second)
        return error(fmt::format("segment \"{}\" writes a resource that is written already", segment.name));
    }
    return {};
  }

  const vgf::Container& file_;
  const std::string& name_;
  BlockBuilder& builder_;
  std::size_t budget_;
  std::map<std::uint32_t, ValueId> values_;  ///< by resource
};

std::string variable_name(const spirv::Module& module, spirv::Id variable, const char* kind, const spirv::Port& port) {
  auto name = module.name(variable);
  if (name.empty()) name = fmt::format("{}_{}", kind, port.index);
  return port.element ? fmt::format("{}[{}]", name, *port.element) : name;
}

}  // namespace

Result<Graph> import_vgf(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(const auto file, vgf::read_container(bytes, name));
  BlockBuilder builder(name, "main");
  return VgfImporter(file, name, builder, bytes.size()).read();
}

Result<Graph> import_spirv(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() % 4 != 0) return fail(ErrorCode::kInvalidFile, "a SPIR-V module of half a word", {.file = name});
  std::vector<std::uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  MACAW_ASSIGN(const auto module, spirv::Module::parse(words, name));
  MACAW_ASSIGN(const auto* entry, find_entry(module, ""));
  MACAW_ASSIGN(const auto inputs, module.inputs(entry->graph));
  BlockBuilder builder(name, "main");
  spirv::Surroundings around;
  around.input = [&](const spirv::Port& port, const TensorType& type) -> Result<ValueId> {
    return add_input(builder, variable_name(module, entry->variables[port.index], "input", port), type);
  };
  around.constant = [&](std::uint32_t number, const TensorType&) -> Result<std::shared_ptr<const Tensor>> {
    return module.error(ErrorCode::kUnsupported,
                        fmt::format("constant {} lies outside the module: give the VGF file that holds both", number));
  };
  around.output_name = [&](const spirv::Port& port) {
    return variable_name(module, entry->variables[inputs.size() + port.index], "output", port);
  };
  MACAW_ASSIGN(builder.block().outputs, spirv::GraphReader(module, builder, around).read(*entry));
  return finish(builder);
}

}  // namespace macaw::tosa
