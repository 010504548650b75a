#include "tests/support/formats/vgf_writer.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "tests/unit/reference/tosa/import/same.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

TEST_CASE("A graph computes the same from a VGF file and from the module alone") {
  const auto graph = sample_graph();
  const auto vgf = parsed(write_vgf(graph)), module = parsed(write_spirv(graph));
  CHECK(vgf.version == kVersion1_0);
  CHECK(vgf.main().values[vgf.main().inputs[0]].name == "x");
  CHECK(vgf.main().values[vgf.main().outputs[0]].name == graph.main().values[graph.main().outputs[0]].name);
  check_same(graph, vgf, {sample_input()});
  check_same(graph, module, {sample_input()});
}

TEST_CASE("Outputs may be inputs, constants and each other") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4});
  const auto unused = b.input("unused", DType::kINT16, {2});
  (void)unused;
  const auto c = b.constant("c", tensor<std::int8_t>(DType::kINT8, {6}, {1, 2, 3, 4, 5, 6}));
  const auto y = b.value("y", DType::kINT8, {4});
  b.add(Op::kBITWISE_NOT, {x}, {y});
  for (const auto id : {y, x, c, y}) b.output(id);
  const auto graph = b.graph();
  const auto read = parsed(write_vgf(graph));
  CHECK(read.main().inputs.size() == 2);
  check_same(graph, read, {tensor<std::int8_t>(DType::kINT8, {4}, {0, 1, -1, 7}), Tensor(DType::kINT16, {2})});
}

TEST_CASE("Inputs and outputs of a module may be arrays of tensors") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4}), y = b.input("y", DType::kINT8, {4});
  const auto both = b.value("both", DType::kINT8, {4}), neither = b.value("neither", DType::kINT8, {4});
  b.add(Op::kBITWISE_AND, {x, y}, {both});
  b.add(Op::kBITWISE_NOT, {y}, {neither});
  for (const auto id : {both, neither, x}) b.output(id);
  const auto graph = b.graph();
  for (const auto ports : {Ports::kArray, Ports::kElements}) {
    const auto module = write_spirv(graph, ports);
    const auto read = parsed(module);
    (void)check_valid(*module);
    CHECK(read.main().values[read.main().inputs[1]].name == "input_0[1]");
    CHECK(read.main().values[read.main().outputs[2]].name == "output_0[2]");
    check_same(
        graph, read,
        {tensor<std::int8_t>(DType::kINT8, {4}, {0, 1, -1, 7}), tensor<std::int8_t>(DType::kINT8, {4}, {3, 3, 3, 3})});
  }
}

TEST_CASE("What is wrong with a VGF file is said") {
  const auto bytes = *write_vgf(sample_graph());
  const auto message = [](std::vector<std::byte> file) {
    const auto graph = parse_graph(file, "net.vgf");
    return graph ? std::string("read") : graph.error().to_string();
  };
  auto changed = bytes;
  changed[9] = std::byte{9};
  CHECK(message(changed) ==
        "net.vgf: VGF version 0.9; expected version 0.4, the newest that arm/ai-ml-sdk-vgf-library has published");
  CHECK(message({bytes.begin(), bytes.begin() + 100}) == "net.vgf: shorter than its header");
  changed = bytes;
  changed[70] = std::byte{1};  // the constants lie beyond the file
  CHECK(message(changed).find("section 3 has") != std::string::npos);
  const auto module = *write_spirv(sample_graph());
  auto other = module;
  const std::string_view set = "TOSA.001000.1";
  const auto found = std::ranges::search(other, std::as_bytes(std::span(set)));
  REQUIRE(!found.empty());
  *(found.begin() + 12) = std::byte{'9'};
  CHECK(message(other) == "net.vgf: instruction set \"TOSA.001000.9\"; TOSA.001000.1 is read");
}
