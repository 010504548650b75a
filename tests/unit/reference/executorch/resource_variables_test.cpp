#include <catch2/catch.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "tests/unit/reference/tflite/support.hpp"

// Variables behind handles in a network whose operators are left to the CPU.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kCallOnceCode = 129, kVarHandleCode = 142, kReadCode = 143, kAssignCode = 144;

fb::VarHandleOptionsT handle_of(const std::string& name) {
  fb::VarHandleOptionsT options;
  options.shared_name = name;
  return options;
}

/// As Vela leaves a network: the variable is read before CALL_ONCE sets it, and assigned last.
struct Counter {
  TfliteFile file;
  int handle, value, in, out;

  explicit Counter(bool reads_first) {
    in = file.input(INT32, {1});
    handle = file.tensor(RESOURCE, {}), value = file.tensor(INT32, {1}), out = file.tensor(INT32, {1});
    fb::CallOnceOptionsT options;
    options.init_subgraph_index = 1;
    if (!reads_first) file.op(kCallOnceCode, {}, {}, options);
    file.op(kVarHandleCode, {}, {handle}, handle_of("count")).op(kReadCode, {handle}, {value});
    if (reads_first) file.op(kCallOnceCode, {}, {}, options);
    file.op(kAdd, {value, in}, {out}, fb::AddOptionsT{}).op(kAssignCode, {handle, out}, {}).output(out);
    file.begin_subgraph();
    const int first = file.tensor(RESOURCE, {}), ten = file.constant<std::int32_t>(INT32, {1}, {10});
    file.op(kVarHandleCode, {}, {first}, handle_of("count")).op(kAssignCode, {first, ten}, {});
  }
};

std::string loading_error(const TfliteFile& file) {
  const auto artifact = npu::parse_artifact(file.bytes(), "net.tflite");
  return artifact ? "read" : artifact.error().message;
}

}  // namespace

TEST_CASE("the CPU keeps variables behind handles, and CALL_ONCE sets them once, in the order of the file") {
  for (const bool reads_first : {false, true}) {
    const Counter counter(reads_first);
    const auto artifact = checked(npu::parse_artifact(counter.file.bytes(), "net.tflite"));
    REQUIRE(artifact.variables.size() == 2);
    CHECK(!npu::has_control_flow(artifact));
    npu::FunctionalOptions options;
    options.host = &tflite::host_operators();
    std::vector<std::int32_t> seen;
    for (int run = 0; run < 3; ++run) {
      const std::vector<npu::NamedTensor> inputs = {{"", tensor_of<std::int32_t>(DType::kINT32, {1}, {1})}};
      const auto done =
          checked(npu::run_functional(artifact, *npu::find_accelerator("ethos-u55-128"), inputs, options));
      seen.push_back(values_of<std::int32_t>(done.outputs[0])[0]);
      options.variables.clear();
      for (const auto& variable : done.variables) options.variables.push_back({"", variable});
    }
    CHECK(seen == (reads_first ? std::vector{1, 2, 3} : std::vector{11, 12, 13}));
  }
}

TEST_CASE("each CALL_ONCE that is left to the CPU runs once, also where two have the same subgraph") {
  TfliteFile file;
  const int in = file.input(INT32, {1}), handle = file.tensor(RESOURCE, {}), value = file.tensor(INT32, {1});
  const int more = file.tensor(INT32, {1}), out = file.tensor(INT32, {1});
  fb::CallOnceOptionsT options;
  options.init_subgraph_index = 1;
  file.op(kCallOnceCode, {}, {}, options).op(kVarHandleCode, {}, {handle}, handle_of("count"));
  file.op(kReadCode, {handle}, {value}).op(kAdd, {value, in}, {more}, fb::AddOptionsT{});
  file.op(kAssignCode, {handle, more}, {})
      .op(kCallOnceCode, {}, {}, options)
      .op(kReadCode, {handle}, {out})
      .output(out);
  file.begin_subgraph();
  const int first = file.tensor(RESOURCE, {}), ten = file.constant<std::int32_t>(INT32, {1}, {10});
  file.op(kVarHandleCode, {}, {first}, handle_of("count")).op(kAssignCode, {first, ten}, {});
  const auto artifact = checked(npu::parse_artifact(file.bytes(), "net.tflite"));
  npu::FunctionalOptions run;
  run.host = &tflite::host_operators();
  const std::vector<npu::NamedTensor> inputs = {{"", tensor_of<std::int32_t>(DType::kINT32, {1}, {1})}};
  CHECK(values_of<std::int32_t>(
            checked(npu::run_functional(artifact, *npu::find_accelerator("ethos-u55-128"), inputs, run)).outputs[0]) ==
        std::vector{10});
}

TEST_CASE("operators of the CPU that depend on the sign of 64-bit integers do not take UINT64") {
  constexpr int kLess = 58, kEqual = 71;
  for (const int kind : {kLess, kEqual}) {
    TfliteFile file;
    const int a = file.input(UINT64, {1}), b = file.input(UINT64, {1}), out = file.tensor(BOOL, {1});
    file.op(kind, {a, b}, {out}).output(out);
    const auto artifact = checked(npu::parse_artifact(file.bytes(), "net.tflite"));
    npu::FunctionalOptions options;
    options.host = &tflite::host_operators();
    const auto value = tensor_of<std::int64_t>(DType::kINT64, {1}, {-1});
    const std::vector<npu::NamedTensor> inputs = {{"", value}, {"", value}};
    const auto done = npu::run_functional(artifact, *npu::find_accelerator("ethos-u55-128"), inputs, options);
    CHECK(done.has_value() == (kind == kEqual));
    if (!done) CHECK(done.error().message == "tensor 't0' has elements that Macaw has no type for");
  }
}

TEST_CASE("handles and first values that cannot be followed are refused") {
  TfliteFile unknown;
  const int in = unknown.input(RESOURCE, {}), out = unknown.tensor(INT8, {1});
  unknown.op(kReadCode, {in}, {out}).output(out);
  CHECK(loading_error(unknown) == "tensor 0 is not the handle of a VAR_HANDLE before it");
  TfliteFile computes;
  fb::CallOnceOptionsT options;
  options.init_subgraph_index = 1;
  computes.op(kCallOnceCode, {}, {}, options).begin_subgraph();
  const int a = computes.constant<std::int8_t>(INT8, {1}, {1}), b = computes.tensor(INT8, {1});
  computes.op(kRelu, {a}, {b});
  CHECK(loading_error(computes).find("CALL_ONCE of a subgraph that has RELU") != std::string::npos);
  TfliteFile no_subgraph;
  options.init_subgraph_index = 9;
  no_subgraph.op(kCallOnceCode, {}, {}, options);
  CHECK(loading_error(no_subgraph) == "there is no subgraph 9");
  TfliteFile sizes;
  const int handle = sizes.tensor(RESOURCE, {}), two = sizes.constant<std::int8_t>(INT8, {2}, {1, 2}),
            three = sizes.constant<std::int8_t>(INT8, {3}, {1, 2, 3});
  sizes.op(kVarHandleCode, {}, {handle}, handle_of("x")).op(kAssignCode, {handle, two}, {});
  sizes.op(kAssignCode, {handle, three}, {}).output(two);
  CHECK(loading_error(sizes) == "3 bytes for a variable of 2");
}
