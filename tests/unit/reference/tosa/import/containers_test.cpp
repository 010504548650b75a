#include <catch2/catch.hpp>

#include <cstring>
#include <set>

#include "reference/tosa/import/spirv/module.hpp"
#include "reference/tosa/import/vgf/container.hpp"
#include "tests/support/formats/vgf_writer.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "tests/unit/reference/tosa/import/same.hpp"

// Numbers in containers that refer to other parts of them: the last one that there is, and the next.
using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

using File = std::vector<std::byte>;

std::string problem_of(const File& file) {
  const auto container = vgf::read_container(file, "x");
  return container ? std::string() : container.error().message;
}

/// At how many words of the file this value is an error that holds a text.
int places_of(File file, std::uint32_t value, const char* text) {
  int places = 0;
  for (std::size_t at = 128; at + 4 <= file.size(); at += 4) {
    std::array<std::byte, 4> before{};
    std::memcpy(before.data(), file.data() + at, 4);
    std::memcpy(file.data() + at, &value, 4);
    places += problem_of(file).find(text) != std::string::npos;
    std::memcpy(file.data() + at, before.data(), 4);
  }
  return places;
}

std::vector<std::uint32_t> module_of(const std::vector<std::vector<std::uint32_t>>& instructions) {
  std::vector<std::uint32_t> words = {0x07230203, 0x10600, 0, 100, 0};
  for (const auto& instruction : instructions) {
    words.push_back(static_cast<std::uint32_t>((instruction.size() << 16) | instruction[0]));
    words.insert(words.end(), instruction.begin() + 1, instruction.end());
  }
  return words;
}

}  // namespace

TEST_CASE("A VGF file refers to the resources, modules and constants that there are") {
  const File file = *write_vgf(sample_graph());
  const auto container = vgf::read_container(file, "x");
  REQUIRE(container);
  const auto resources =
      static_cast<std::uint32_t>(container->inputs.size() + container->outputs.size() + container->constants.size());
  const auto modules = static_cast<std::uint32_t>(container->modules.size()),
             constants = static_cast<std::uint32_t>(container->constants.size());
  REQUIRE(constants > 0);
  struct Row {
    const char* text;
    std::uint32_t count;
  };
  CHECK(places_of(file, resources - 1, "binding") == 0);
  for (const Row& row : {Row{"binding", resources},
                         {"constant 0 is of no resource", resources},
                         {"of no module", modules},
                         {"has a constant", constants}}) {
    CAPTURE(row.text);
    CHECK(places_of(file, row.count, row.text) > 0);
  }
}

TEST_CASE("A section of a VGF file ends with the file at the latest, also where its end overflows") {
  const File file = *write_vgf(sample_graph());
  for (std::size_t section = 0; section < 4; ++section) {
    std::uint64_t offset = 0, size = 0;
    const auto at = 16 + 16 * section;
    std::memcpy(&offset, file.data() + at, 8);
    std::memcpy(&size, file.data() + at + 8, 8);
    const auto changed = [&](std::uint64_t from, std::uint64_t bytes) {
      File other = file;
      std::memcpy(other.data() + at, &from, 8);
      std::memcpy(other.data() + at + 8, &bytes, 8);
      return problem_of(other);
    };
    const auto named = "section " + std::to_string(section) + " has";
    CAPTURE(section);
    CHECK(changed(offset, size).empty());
    CHECK(changed(offset, file.size() - offset).find(named) == std::string::npos);
    CHECK(changed(offset, file.size() - offset + 1).find(named) == 0);
    CHECK(changed(file.size() + 1, 0).find(named) == 0);
    CHECK(changed(UINT64_MAX - 7, 16).find(named) == 0);
    CHECK(changed(16, UINT64_MAX - 7).find(named) == 0);
  }
}

TEST_CASE("A graph of a module has the inputs and outputs of its type, which may have none of either") {
  constexpr std::uint32_t kInt = 21, kGraphType = 4190, kGraph = 4183, kTensor = 4163;
  using spirv::Module;
  const auto text = [](std::uint32_t inputs, std::vector<std::uint32_t> ports) {
    std::vector<std::uint32_t> type = {kGraphType, 3, inputs};
    type.insert(type.end(), ports.begin(), ports.end());
    const auto words = module_of({{kInt, 1, 8, 0}, {kTensor, 2, 1}, type, {kGraph, 3, 4}});
    const auto module = Module::parse(words, "x");
    REQUIRE(module);
    std::string said;
    for (const auto& ports_of : {module->inputs(4), module->outputs(4)})
      said += ports_of                                                               ? std::to_string(ports_of->size())
              : ports_of.error().message.find("is not a graph") != std::string::npos ? "g"
                                                                                     : "t";
    return said;
  };
  // A port whose type is not a tensor of known shape is refused after the graph's own type.
  CHECK(text(0, {}) == "00");
  CHECK(text(0, {2}).front() == '0');
  CHECK(text(1, {2}).back() == '0');
  CHECK(text(1, {}) == "gg");
  CHECK(text(2, {2}) == "gg");
  CHECK(text(UINT32_MAX, {2}) == "gg");
}

TEST_CASE("An instruction of a module lies within it") {
  const auto holds = [](std::vector<std::uint32_t> words) { return spirv::Module::parse(words, "x").has_value(); };
  CHECK(holds(module_of({})));
  CHECK(holds(module_of({{21, 1, 8, 0}})));
  auto words = module_of({{21, 1, 8, 0}});
  words[5] += 1 << 16;
  CHECK_FALSE(holds(words));
  words[5] = 21;
  CHECK_FALSE(holds(words));
  words = module_of({{21, 1, 8, 0}, {21, 1, 8, 0}});
  CHECK_FALSE(holds(words));  // one result twice
  words = module_of({{21, 1, 8, 0}, {21}});
  CHECK_FALSE(holds(words));  // without a result
  words[0] = 0x03022307;
  CHECK_FALSE(holds(words));
}

TEST_CASE("A VGF file is of version 0.4, with a name for each binding or none") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4}), y = b.input("y", DType::kINT8, {4});
  const auto both = b.value("both", DType::kINT8, {4});
  b.add(Op::kBITWISE_AND, {x, y}, {both});
  b.output(both);
  File file = *write_vgf(b.graph());
  CHECK(places_of(file, 1, "1 names of 2 bindings") > 0);
  for (int version = 0; version < 512; ++version) {
    file[8] = static_cast<std::byte>(version / 256);
    file[9] = static_cast<std::byte>(version % 256);
    CHECK(problem_of(file).empty() == (version == 4));
  }
}

TEST_CASE("Modules of a VGF file are no more together than the file is long") {
  CHECK(problem_of(*write_vgf(sample_graph())).empty());
  CHECK(problem_of(*write_vgf(sample_graph(), 1000)) == "the modules overlap");
}

TEST_CASE("An enumeration's number in a module is one of those that there are") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kFP32, {4}), y = b.input("y", DType::kFP32, {4});
  const auto most = b.value("most", DType::kFP32, {4});
  b.add(Op::kMAXIMUM, {x, y}, {most}).set(Attr::k_nan_mode, std::int64_t(NanMode::kIgnore));
  b.output(most);
  const File file = *write_spirv(b.graph());
  constexpr std::uint32_t kConstant = 4 << 16 | 43;
  for (const std::uint32_t number : {0u, 3u, 0x80000000u}) {
    int refused = 0;
    for (std::size_t at = 20; at + 16 <= file.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, file.data() + at, 4);
      if (word != kConstant) continue;
      auto changed = file;
      std::memcpy(changed.data() + at + 12, &number, 4);
      const auto graph = parse_graph(changed, "x");
      refused += !graph && graph.error().message.find("nan_mode") != std::string::npos;
    }
    CHECK(refused > 0);
  }
}

TEST_CASE("Integers of a module have the sign of their width, and arrays of tensors 1 to 4096") {
  const auto scalar = [](std::uint32_t width, std::uint32_t value) {
    const auto words = module_of({{21, 1, width, 0}, {43, 1, 2, value}});
    return *spirv::Module::parse(words, "x")->scalar(2);
  };
  for (const std::uint32_t width : {4u, 8u, 16u, 32u}) {
    const std::int64_t half = std::int64_t{1} << (width - 1);
    for (const std::int64_t value : {-half, -half / 2, std::int64_t{-1}, std::int64_t{0}, half / 2, half - 1}) {
      CAPTURE(width, value);
      CHECK(scalar(width, static_cast<std::uint32_t>(value)) == value);
      CHECK(scalar(width, static_cast<std::uint32_t>(value & (2 * half - 1))) == value);
    }
  }
  for (const auto& [count, holds] :
       {std::pair(0u, false), {1u, true}, {4096u, true}, {4097u, false}, {UINT32_MAX, false}}) {
    const auto words = module_of({{21, 1, 32, 0},
                                  {43, 1, 2, count},
                                  {43, 1, 3, 1},
                                  {44, 4, 5, 3},
                                  {4163, 6, 1, 3, 5},
                                  {28, 7, 6, 2},
                                  {4190, 8, 1, 7},
                                  {4183, 8, 9}});
    const auto ports = spirv::Module::parse(words, "x")->inputs(9);
    CAPTURE(count);
    REQUIRE(ports.has_value() == holds);
    if (holds) CHECK(ports->at(0).count == count);
  }
}
