#include <macaw/tosa/mlir_text.hpp>
#include <macaw/tosa/view_graph.hpp>

#include <fmt/format.h>

#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "tests/unit/reference/tosa/import/same.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

Result<Graph> read(std::string_view text) {
  return parse_graph(std::as_bytes(std::span(text.data(), text.size())), "net.mlir");
}
Graph graph_of(std::string_view text) {
  auto graph = read(text);
  INFO((graph ? std::string() : graph.error().to_string()));
  REQUIRE(graph);
  return *std::move(graph);
}
std::string message(std::string_view text) {
  const auto graph = read(text);
  return graph ? "read" : graph.error().to_string();
}

std::vector<std::int32_t> run_i32(const Graph& graph, const std::vector<Tensor>& inputs) {
  const auto done = ending(graph, inputs);
  INFO(done.status);
  REQUIRE(done.outputs.size() == 1);
  const auto data = done.outputs[0].data<std::int32_t>();
  return {data.begin(), data.end()};
}

Tensor i32(Shape shape, std::vector<std::int32_t> values) { return tensor(DType::kINT32, std::move(shape), values); }

}  // namespace

TEST_CASE("A graph written as MLIR text computes the same") {
  const auto graph = sample_graph();
  const auto other = parsed(write_mlir(graph));
  CHECK(other.main().values[other.main().inputs[0]].name == "x");
  check_same(graph, other, {sample_input()});
}

TEST_CASE("The forms that LLVM's tools print are read") {
  // As mlir-opt prints LLVM's mlir/test/Dialect/Tosa: pretty operations, quoted constants, properties, enumerations.
  const auto graph = graph_of(R"(// a comment
#map = affine_map<(d0) -> (d0)>
module attributes {tosa.description = "x"} {
  func.func @helper() { return }
  func.func @main(%arg0: tensor<1x4xi32> {tf.name = "in"}, %arg1: tensor<1x4xi32>) -> (tensor<4xi32> {a.b}) attributes {c.d = 1 : i64} {
    %0 = "tosa.const"() <{values = dense<[[1, -2, 3, 0x7FFFFFFF]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
    %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
    %1 = tosa.mul %arg0, %arg1, %shift : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1xi8>) -> tensor<1x4xi32>
    %2 = tosa.maximum %1, %0 {nan_mode = PROPAGATE} : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
    %3 = tosa.reverse %2 {axis = 1 : i32} : (tensor<1x4xi32>) -> tensor<1x4xi32>
    %4 = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
    %5 = tosa.reshape %3, %4 : (tensor<1x4xi32>, !tosa.shape<1>) -> tensor<4xi32> loc("last")
    return %5 : tensor<4xi32>
  }
})");
  CHECK(graph.main().values[graph.main().outputs[0]].name == "last");
  CHECK(graph.main().values[graph.main().inputs[0]].name == "arg0");
  CHECK(run_i32(graph, {i32({1, 4}, {1, 2, 3, 4}), i32({1, 4}, {5, -5, 1, 1})}) ==
        std::vector<std::int32_t>{0x7FFFFFFF, 3, -2, 5});
}

TEST_CASE("What converters put beside the operators is read") {
  // As mlir-opt --mlir-print-op-generic prints a function of one result.
  const auto generic = graph_of(R"("builtin.module"() ({
  "func.func"() <{function_type = (tensor<2xi32>) -> tensor<2xi32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xi32>):
    %0 = "tosa.bitwise_not"(%arg0) : (tensor<2xi32>) -> tensor<2xi32>
    "func.return"(%0) : (tensor<2xi32>) -> ()
  }) : () -> ()
}) : () -> ())");
  CHECK(run_i32(generic, {i32({2}, {0, 5})}) == std::vector<std::int32_t>{-1, -6});
  // torch-mlir's seed, constants of the dialect arith, ranks and types that nothing says.
  const auto graph = graph_of(R"(module attributes {torch.debug_module_name = "Net"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<*xi32>, %arg1: tensor<2x!quant.any<i32<-8:7>>>) -> tensor<2xi32> {
    %cst = arith.constant dense<[7, 1]> : tensor<2xi32>
    %0 = tosa.add %arg0, %cst : (tensor<*xi32>, tensor<2xi32>) -> tensor<*xi32>
    %1 = tosa.sub %0, %arg1 : (tensor<*xi32>, tensor<2x!quant.any<i32<-8:7>>>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  }
})");
  CHECK(!graph.main().values[graph.main().inputs[0]].shape);
  CHECK(run_i32(graph, {i32({2}, {1, 2}), i32({2}, {3, 4})}) == std::vector<std::int32_t>{5, -1});
}

TEST_CASE("Regions may use the values around them") {
  // As printed for LLVM's mlir/test/Conversion/TosaToSCF/tosa-to-scf.mlir.
  const auto loop = graph_of(R"(func.func @main(%arg0 : tensor<i32>, %limit : tensor<i32>) -> (tensor<i32>) {
  %0 = tosa.while_loop (%arg1 = %arg0) : (tensor<i32>) -> tensor<i32> {
    %2 = tosa.greater_equal %limit, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %2 : tensor<i1>
  } do {
  ^bb0(%arg1: tensor<i32>):
    %3 = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %4 = tosa.add %arg1, %3 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %4 : tensor<i32>
  }
  return %0 : tensor<i32>
})");
  CHECK(run_i32(loop, {i32({}, {1}), i32({}, {10})}) == std::vector<std::int32_t>{13});
  const auto choice =
      graph_of(R"(func.func @main(%a : tensor<2xi32>, %b : tensor<2xi32>, %c : tensor<i1>) -> tensor<2xi32> {
  %0 = tosa.cond_if %c -> (tensor<2xi32>) {
    %1 = tosa.add %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %1 : tensor<2xi32>
  } else {
    %1 = tosa.cond_if %c (%x = %a) : tensor<i1> (tensor<2xi32>) -> tensor<2xi32> {
      tosa.yield %x : tensor<2xi32>
    } else {
      tosa.yield %b : tensor<2xi32>
    }
    tosa.yield %1 : tensor<2xi32>
  }
  return %0 : tensor<2xi32>
})");
  const std::vector<Tensor> pair = {i32({2}, {1, 2}), i32({2}, {10, 20})};
  for (const bool taken : {true, false}) {
    auto inputs = pair;
    inputs.push_back(tensor<bool>(DType::kBOOL, {}, {taken}));
    CHECK(run_i32(choice, inputs) == (taken ? std::vector<std::int32_t>{11, 22} : std::vector<std::int32_t>{10, 20}));
    check_same(choice, parsed(write_mlir(choice)), inputs);
  }
}

TEST_CASE("Variables have the shape that is said, or that of their values, or no values at all") {
  const auto graph_with = [](const char* attributes) {
    return graph_of(std::string("func.func @main(%x: tensor<2xi8>) -> tensor<2xi8> {\n  \"tosa.variable\"() <{name = "
                                "\"v\", ") +
                    attributes + R"(}> : () -> ()
  %0 = "tosa.variable_read"() <{name = "v"}> : () -> tensor<2xi8>
  "tosa.variable_write"(%x) <{name = "v"}> : (tensor<2xi8>) -> ()
  %1 = "tosa.variable_read"() <{name = "v"}> : () -> tensor<2xi8>
  %2 = tosa.bitwise_xor %0, %1 : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %2 : tensor<2xi8>
})");
  };
  const auto x = tensor<std::int8_t>(DType::kINT8, {2}, {1, -2});
  for (const char* attributes :
       {"type = i8, var_shape = dense<2> : tensor<1xi64>, initial_value = dense<7> : tensor<2xi8>",
        "type = i8, initial_value = dense<7> : tensor<2xi8>",
        "type = tensor<2xi8>, initial_value = dense<7> : tensor<2xi8>"}) {
    CAPTURE(attributes);
    CHECK(ending(graph_with(attributes), {x}).outputs.at(0) == tensor<std::int8_t>(DType::kINT8, {2}, {7 ^ 1, 7 ^ -2}));
  }
  const auto empty = graph_with("type = i8, var_shape = dense<2> : tensor<1xi64>");
  CHECK(empty.main().values[0].name == "x");
  CHECK(ending(empty, {x}).outputs.at(0) == x);  // zeros before it is written
}

TEST_CASE("Constants are read in every spelling") {
  const auto value = [](std::string_view type, std::string_view dense) {
    const auto text = "func.func @main() -> " + std::string(type) +
                      " { %0 = \"tosa.const\"() <{values = " + std::string(dense) + " : " + std::string(type) +
                      "}> : () -> " + std::string(type) + " return %0 : " + std::string(type) + " }" +
                      "{-# dialect_resources: { builtin: { blob: \"0x040000000000803F00000040\" } } #-}";
    const auto graph = read(text);
    return graph ? *graph->main().values[0].data : Tensor();
  };
  CHECK(value("tensor<3xi8>", "dense<[1, -1, 0xFF]>") == tensor<std::int8_t>(DType::kINT8, {3}, {1, -1, -1}));
  CHECK(value("tensor<2x1xf32>", "dense<[[1.0], [-2.5e+00]]>") == tensor<float>(DType::kFP32, {2, 1}, {1.0f, -2.5f}));
  CHECK(value("tensor<2xf32>", "dense<0x7FC00000>").data<std::uint32_t>()[1] == 0x7FC00000);
  CHECK(value("tensor<2xf32>", "dense<\"0x0000803F00000040\">") == tensor<float>(DType::kFP32, {2}, {1.0f, 2.0f}));
  CHECK(value("tensor<2xf32>", "dense_resource<blob>") == tensor<float>(DType::kFP32, {2}, {1.0f, 2.0f}));
  CHECK(value("tensor<9xi1>", "dense<\"0x0501\">").data<bool>()[8]);
  CHECK(value("tensor<2xi1>", "dense<[true, false]>").data<bool>()[0]);
  // Up to eight booleans are the bits of one byte, of which 0 and 0xff are one for all.
  for (const auto& [digits, bits] : {std::pair("05", 5), {"00", 0}, {"FF", 7}, {"01", 1}, {"06", 6}, {"07", 7}}) {
    const auto truths = value("tensor<3xi1>", std::string("dense<\"0x") + digits + "\">");
    for (std::size_t i = 0; i < 3; ++i) CHECK(truths.data<bool>()[i] == ((bits >> i & 1) != 0));
  }
  CHECK(value("tensor<17xi1>", "dense<\"0xFF\">").data<bool>()[16]);
  CHECK_FALSE(value("tensor<17xi1>", "dense<\"0x00\">").data<bool>()[16]);
  CHECK(value("tensor<1xf16>", "dense<1.5>").data<std::uint16_t>()[0] == 0x3E00);
  CHECK(value("tensor<1xbf16>", "dense<-1.0>").data<std::uint16_t>()[0] == 0xBF80);
  CHECK(value("tensor<2xf8E4M3FN>", "dense<[1.0, -448.0]>").bytes()[1] == std::byte{0xFE});
  CHECK(value("tensor<1xi48>", "dense<-140737488355328>").data<std::int64_t>()[0] == -140737488355328);
  CHECK(value("tensor<0xf32>", "dense<>").size() == 0);
  // LLVM 22 spells elements of types that are not its own as texts.
  const auto mxint8 = tensor<std::int8_t>(DType::kMXINT8, {2}, {0, -1});
  CHECK(value("tensor<2x!tosa.mxint8>", R"(dense<["0x00", "0xFF"]>)") == mxint8);
  CHECK(value("tensor<2x!tosa.mxint8>", R"(dense<"0x00FF">)") == mxint8);
  CHECK(value("tensor<2x!tosa.mxint8>", R"(dense<"-3">)").data<std::int8_t>()[1] == -3);
  CHECK(value("tensor<2x!quant.uniform<i8:f32, 5.0e-01:1>>", R"(dense<["10", "-20"]>)") ==
        tensor<std::int8_t>(DType::kINT8, {2}, {10, -20}));
}

TEST_CASE("Constants of MXINT8 are written as LLVM reads them") {
  GraphBuilder b;
  const auto values = tensor<std::int8_t>(DType::kMXINT8, {2}, {127, -1});
  const auto y = b.constant("y", values);
  b.output(y);
  const auto text = write_mlir(b.graph());
  REQUIRE(text);
  const std::string spelled(reinterpret_cast<const char*>(text->data()), text->size());
  CHECK(spelled.find(R"(dense<["0x7F", "0xFF"]> : tensor<2x!tosa.mxint8>)") != std::string::npos);
  const auto other = parsed(text);
  CHECK(*other.main().values[other.main().outputs[0]].data == values);
}

TEST_CASE("An attribute that the operator does not know means nothing, unless the text is of an older version") {
  const auto function = [](const std::string& operation, const std::string& type) {
    return "func.func @main(%a: tensor<1x2x2x1xi8>, %b: tensor<1xi8>, %w: tensor<1x1x1x1xi8>, %s: !tosa.shape<8>) {\n" +
           operation + type + "\nreturn\n}";
  };
  // As in LLVM's mlir/test/Dialect/Tosa/ops.mlir and tosa-infer-shapes.mlir.
  const auto conv = function(
      "%c = arith.constant dense<0> : tensor<1xi32>\n%0 = tosa.transpose_conv2d %a, %w, %c, %b, %b {acc_type = i32, "
      "out_pad = array<i64: 0, 0, 0, 0>, out_shape = array<i64: 1, 2, 2, 1>, stride = array<i64: 1, 1>}",
      " : (tensor<1x2x2x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>");
  CHECK(message(conv) == "read");
  CHECK(graph_of(conv).main().operators.back().attributes.size() == 4);
  CHECK(message(function("%0 = tosa.logical_left_shift %b, %b {shift = 3 : i32}",
                         " : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>")) == "read");
  CHECK(message(function("%0 = tosa.pad %a, %s, %b {input_zp = 1 : i32}",
                         " : (tensor<1x2x2x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<?x?x?x?xi8>")) == "read");
  for (const auto& [operation, type] :
       {std::pair("%0 = tosa.pad %a, %s {input_zp = 1 : i32}",
                  " : (tensor<1x2x2x1xi8>, !tosa.shape<8>) -> tensor<?x?x?x?xi8>"),
        {"%0 = tosa.mul %b, %b {shift = 0 : i8}", " : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi32>"},
        {"%0 = tosa.clamp %b {min_int = 0 : i64, max_int = 1 : i64}", " : (tensor<1xi8>) -> tensor<1xi8>"}}) {
    INFO(operation);
    CHECK(message(function(operation, type)).find("the text may be of an older version") != std::string::npos);
  }
  // TOSA does not have a CLAMP of booleans: its rules say so, not the reader.
  const auto clamp = graph_of(
      "func.func @main(%a: tensor<1xi1>) -> tensor<1xi1> {\n%0 = tosa.clamp %a {min_val = false, max_val = true} : "
      "(tensor<1xi1>) -> tensor<1xi1>\nreturn %0 : tensor<1xi1>\n}");
  CHECK(ending(clamp, {tensor<bool>(DType::kBOOL, {1}, {true})}).status == "ERROR");
  check_same(clamp, parsed(write_mlir(clamp)), {tensor<bool>(DType::kBOOL, {1}, {true})});
}

TEST_CASE("Names of any bytes are written as they are read") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT32, {1});
  const auto y = b.value("a \"quoted\" \\ name,\n\t\x7f \xC3\xA9", DType::kINT32, {1});
  b.add(Op::kBITWISE_NOT, {x}, {y});
  b.output(y);
  const auto graph = b.graph();
  const auto text = write_mlir(graph);
  REQUIRE(text);
  for (const auto byte : *text) CHECK((byte == std::byte{'\n'} || (byte >= std::byte{0x20} && byte < std::byte{0x7f})));
  const auto other = parsed(text);
  CHECK(other.main().values[other.main().outputs[0]].name == graph.main().values[y].name);
}

TEST_CASE("A value that is defined twice is an error, in the regions of its operation as well") {
  const std::string head = "func.func @main(%a: tensor<2xi8>, %c: tensor<i1>) -> tensor<2xi8> {\n  ";
  const std::string abs = "tosa.abs %a : (tensor<2xi8>) -> tensor<2xi8>\n  ", end = "return %0 : tensor<2xi8>\n}";
  CHECK(message(head + "%0 = " + abs + end) == "read");
  CHECK(message(head + "%0 = " + abs + "%0 = " + abs + end) == "net.mlir: line 3, column 3: %0 is defined twice");
  CHECK(message(head + "%a = " + abs + end) == "net.mlir: line 2, column 3: %a is defined twice");
  CHECK(message(head + "%0 = " + abs +
                "%0 = \"tosa.const\"() <{values = dense<1> : tensor<2xi8>}> : () -> tensor<2xi8>\n" + end) ==
        "net.mlir: line 3, column 3: %0 is defined twice");
  CHECK(message("func.func @main(%a: tensor<2xi8>, %a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }") ==
        "net.mlir: line 1, column 1: %a is defined twice");
  const auto choice = [&](const std::string& first, const std::string& second) {
    return head + "%0 = tosa.cond_if %c : tensor<i1> -> tensor<2xi8> {\n" + first + " = " + abs + "tosa.yield " +
           first + " : tensor<2xi8>\n} else {\n" + second + " = " + abs + "tosa.yield " + second +
           " : tensor<2xi8>\n}\n" + end;
  };
  CHECK(message(choice("%1", "%1")) == "read");
  CHECK(message(choice("%1", "%a")) == "net.mlir: line 6, column 1: %a is defined twice");
  // The results of an operation are defined behind its regions (LLVM's mlir/test/Dialect/Tosa/level_check.mlir).
  CHECK(message(choice("%0", "%0")) == "read");
}

TEST_CASE("Of several functions main is run, and without one, or with two, the text is an error") {
  const auto function = [](const std::string& name) {
    return "func.func @" + name + "(%a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }\n";
  };
  CHECK(message(function("first")) == "read");
  CHECK(message(function("first") + function("main")) == "read");
  CHECK(message(function("main") + function("second")) == "read");
  CHECK(message(function("first") + function("second")) ==
        "net.mlir: 2 functions and none is @main: @first, @second; choose one with --function NAME");
  const auto chosen = [&](const std::string& text, const std::string& name) {
    const auto graph = view_graph(std::as_bytes(std::span(text)), nullptr, "net.mlir", 1, name);
    return graph ? "read" : graph.error().to_string();
  };
  CHECK(chosen(function("first") + function("second"), "second") == "read");
  CHECK(chosen(function("first") + function("second"), "third") ==
        "net.mlir: --function third: the text has no such function; it has @first, ...");
  CHECK(chosen(std::string("TOSA\0\0", 6), "main") == "net.mlir: --function main: only MLIR text has functions");
  CHECK(message(function("main") + function("main")) == "net.mlir: the function @main is defined twice");
}

TEST_CASE("Aliases that double are read in time, and what copies them many times is an error") {
  std::string text = "#a0 = [1, 2]\n";
  for (int i = 1; i <= 60; ++i) text += fmt::format("#a{} = [#a{}, #a{}]\n", i, i - 1, i - 1);
  const std::string body = "func.func @main(%a: tensor<1xi8>) -> tensor<1xi8> { return %a : tensor<1xi8> }";
  CHECK(message(text + "module attributes {x = #a60} { " + body + " }") == "read");
  CHECK(message("#a = 1\n#a = 2\n" + body) == "net.mlir: line 3, column 1: the alias #a is defined twice");
  text = "#w = \"" + std::string(1 << 16, 'x') + "\"\nmodule attributes {x = #w";
  for (int i = 0; i < 5000; ++i) text += fmt::format(", x{} = #w", i);
  CHECK(message(text + "} { " + body + " }").find("uses of aliases") != std::string::npos);
}

TEST_CASE("Thousands of values of one name are read in time") {
  std::string text = "func.func @main(%a: tensor<1xi8>) -> tensor<1xi8> {\n";
  for (int i = 0; i < 20000; ++i)
    text += fmt::format("%{} = tosa.abs %a : (tensor<1xi8>) -> tensor<1xi8> loc(\"same\")\n", i);
  CHECK(message(text + "return %a : tensor<1xi8> }") == "read");
}

TEST_CASE("What is wrong with a text is said with its place") {
  for (const char* list : {"dense<[2.0, 2.0]> : tensor<2xf32>", "dense<[[2, 2]]> : tensor<1x2xi64>"})
    CHECK(message("func.func @main(%a: tensor<2xf32>) {\n  %0 = tosa.max_pool2d %a {kernel = " + std::string(list) +
                  "} : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}") ==
          "net.mlir: line 2, column 3: attribute kernel of tosa.max_pool2d has an invalid value");
  CHECK(message(
            "func.func @main(%a: tensor<2xi8>) {\n  %0 = tosa.abs %b : (tensor<2xi8>) -> tensor<2xi8>\n  return\n}") ==
        "net.mlir: line 2, column 3: %b is not defined");
  CHECK(message("func.func @main(%a: tensor<2xi8>) {\n  %0 = arith.addi %a, %a : i8\n}")
            .find("line 2, column 18: the operation arith.addi outside its generic form") != std::string::npos);
  CHECK(message(
            "func.func @main() { %0 = \"tosa.const\"() <{values = dense<[1, 300]> : tensor<2xi8>}> : () -> tensor<2xi8>"
            " return %0 : tensor<2xi8> }")
            .find("column 61: expected a value of INT8") != std::string::npos);
  CHECK(message("ML\xEFR\x01").find("mlir-opt FILE -o FILE.mlir") != std::string::npos);
  CHECK(message("func.func @main() { %0 = \"tosa.const\"() <{values = dense<0> : tensor<4294967296xi8>}> : () -> "
                "tensor<4294967296xi8> return }")
            .find("not spelled out") != std::string::npos);
}

TEST_CASE("A tensor.cast that changes no type is another name of its operand") {
  const auto text = [](const std::string& from, const std::string& to) {
    return "func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {\n%0 = tensor.cast %a : " + from + " to " + to +
           "\n%1 = tosa.add %0, %0 : (" + to + ", " + to + ") -> tensor<2xi32>\nreturn %1 : tensor<2xi32>\n}";
  };
  for (const std::string to : {"tensor<?xi32>", "tensor<2xi32>", "tensor<*xi32>"}) {
    INFO(to);
    CHECK(run_i32(graph_of(text("tensor<2xi32>", to)), {i32({2}, {1, -5})}) == std::vector<std::int32_t>{2, -10});
  }
  const std::string wrong = "net.mlir: line 2, column 1: tensor.cast between types that are not of the same tensor";
  CHECK(message(text("tensor<2xi32>", "tensor<2xi8>")) == wrong);
  CHECK(message(text("tensor<2xi32>", "tensor<3xi32>")) == wrong);
  CHECK(message(text("tensor<2xi32>", "tensor<1x2xi32>")) == wrong);
}

TEST_CASE("A call of another function is named, in both forms") {
  const std::string around =
      "func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }\n"
      "func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {\n%0 = ";
  const std::string types = " : (tensor<2xi8>) -> tensor<2xi8>\nreturn %0 : tensor<2xi8>\n}";
  for (const std::string call : {"call @f(%a)", "func.call @f(%a)", "\"func.call\"(%a) <{callee = @f}>"}) {
    INFO(call);
    CHECK(message(around + call + types)
              .starts_with("net.mlir: line 3, column 1: a call of @f: a graph is one function"));
  }
}

TEST_CASE("The size of blocks is read in each of its forms") {
  for (const std::string size : {"#tosa.block_size<BLOCK_SIZE_32> : i32", "#tosa.block_size<BLOCK_SIZE_32>", "32 : i32",
                                 "BLOCK_SIZE_32", "#tosa.block_size<BLOCK_SHAPE_32>"}) {
    INFO(size);
    const auto graph = graph_of(
        "func.func @main(%a: tensor<4x64xf8E5M2>, %s: tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf32> {\n"
        "%0 = tosa.cast_from_block_scaled %a, %s {block_size = " +
        size + "} : (tensor<4x64xf8E5M2>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf32>\nreturn %0 : tensor<4x64xf32>\n}");
    const auto* read = graph.main().operators[0].find(Attr::k_block_size);
    REQUIRE(read);
    CHECK(std::get<std::int64_t>(*read) == 32);
  }
}

TEST_CASE("Block-scaled types are read and written in the forms of LLVM") {
  // The texts of llvm/llvm-project, pull requests 203583 and 205506.
  const auto graph = graph_of(
      "func.func @main(%a: tensor<160xf32>) -> (tensor<160x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>>,\n"
      "    tensor<2x32x!tosa.block_scaled<#tosa.block_shape<BLOCK_SHAPE_32>:f8E8M0FNU:f4E2M1FN>>) {\n"
      "%0 = tosa.cast %a : (tensor<160xf32>) -> tensor<160x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>>\n"
      "%1 = \"tosa.const\"() <{values = dense<tensor<2x32x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN,\n"
      "    {2.0, 0.25}>> : 1.5 : f4E2M1FN>}> : () ->\n"
      "    tensor<2x32x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN>>\n"
      "return %0, %1 : tensor<160x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>>,\n"
      "    tensor<2x32x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN>>\n}");
  CHECK(graph.version.minor == 1);
  const auto& outputs = graph.main().outputs;
  CHECK(graph.main().values[outputs[0]].dtype == DType::kBS32_FP8UE8M0_FP8E5M2);
  const auto& constant = *graph.main().values[outputs[1]].data;
  CHECK(constant.dtype() == DType::kBS32_FP8UE8M0_FP4E2M1);
  CHECK(std::ranges::count(constant.values().bytes(), std::byte{3}) == 64);  // 1.5
  CHECK(constant.scales().bytes()[0] == std::byte{128});
  CHECK(constant.scales().bytes()[1] == std::byte{125});
}

TEST_CASE("Constants of every block-scaled type survive being written") {
  for (const auto& row : kBlockScales) {
    if (row.scale != DType::kFP8UE8M0) continue;
    INFO(to_string(row.dtype));
    Tensor values(row.dtype, {2, 1, 32});
    for (std::size_t i = 0; i < values.bytes().size(); ++i)
      values.bytes()[i] = static_cast<std::byte>(i & ((1u << info(row.value).bits) - 1));
    values.bytes()[64] = std::byte{0};     // 2^-127
    values.bytes()[65] = std::byte{0xff};  // NaN
    GraphBuilder b;
    b.output(b.constant("y", values));
    const auto other = parsed(write_mlir(b.graph()));
    CHECK(*other.main().values[other.main().outputs[0]].data == values);
  }
}

TEST_CASE("Block-scaled types that TOSA does not have are errors") {
  const auto type = [](const std::string& parameters) {
    return message("func.func @main(%a: tensor<32x!tosa.block_scaled<" + parameters + ">>) { return }");
  };
  CHECK(type("BLOCK_SHAPE_16:f8E8M0FNU:f8E5M2").find("the block shape \"BLOCK_SHAPE_16\"") != std::string::npos);
  CHECK(type("BLOCK_SHAPE_32:f32:f8E5M2").find("blocks of FP8E5M2 with scales of FP32") != std::string::npos);
  CHECK(type("BLOCK_SHAPE_32:f8E8M0FNU:i8").find("blocks of INT8 with scales of FP8UE8M0") != std::string::npos);
  const auto constant = [](const std::string& scales) {
    const std::string type = "tensor<64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2";
    return message("func.func @main() -> " + type + ">> { %0 = \"tosa.const\"() <{values = dense<" + type + scales +
                   ">> : 1.0 : f8E5M2>}> : () -> " + type + ">> return %0 : " + type + ">> }");
  };
  CHECK(constant("").find("the type of a constant of 2 blocks has 0 scales") != std::string::npos);
  CHECK(constant(", {1.0, 1.0, 1.0}").find("the type of a constant of 2 blocks has 3 scales") != std::string::npos);
  CHECK(constant(", {1.0, x}").find("expected") != std::string::npos);
}
