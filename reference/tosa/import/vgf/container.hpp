#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace macaw::tosa::vgf {

/// A binding of a segment or the model and the resource behind it.
struct Slot {
  std::uint32_t binding = 0, resource = 0;
};

struct Module {
  bool is_graph = false;  ///< else a shader
  std::string name, entry_point;
  std::vector<std::uint32_t> words;  ///< SPIR-V; empty if the module holds source text
};

struct Segment {
  std::string name;
  std::uint32_t module = 0;
  std::vector<Slot> inputs, outputs;
  std::vector<std::uint32_t> constants;  ///< by number of OpGraphConstantARM: index in Container::constants
};

/// Description of the model in a VGF file, with all indices checked. The file's bytes outlive it.
struct Container {
  std::vector<Module> modules;
  std::vector<Segment> segments;
  std::vector<Slot> inputs, outputs;                   ///< of the model
  std::vector<std::string> input_names, output_names;  ///< as many, or none
  std::vector<std::span<const std::byte>> constants;
};

/// Reads the header and the sections of version 0.4. `name` is used in messages.
[[nodiscard]] Result<Container> read_container(std::span<const std::byte> bytes, const std::string& name);

}  // namespace macaw::tosa::vgf
