#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <macaw/npu/bundled_program.hpp>

#include "tests/tools/dev/check/network.hpp"
#include "base/file.hpp"

// The tests that an ExecuTorch program brings (.bpte), judged as its runtime does (pytorch/executorch
// devtools/bundled_program/bundled_program.h).

namespace macaw::app::check {
namespace {

constexpr double kRelative = 1e-5, kAbsolute = 1e-8;

bool close(float actual, float expected) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (actual == expected) return true;
  return std::abs(double{actual} - expected) <= kAbsolute + kRelative * std::abs(double{expected});
}

Result<void> judge(const Tensor& actual, const Tensor& expected, std::size_t index) {
  const auto wrong = [&](std::string what) {
    return fail(ErrorCode::kMismatch, fmt::format("output {}: {}", index, what));
  };
  if (actual.dtype() != expected.dtype() || actual.size() != expected.size())
    return wrong(fmt::format("{} {}, expected {} {}", to_string(actual.dtype()), to_string(actual.shape()),
                             to_string(expected.dtype()), to_string(expected.shape())));
  if (actual.dtype() != DType::kFP32)
    return std::ranges::equal(actual.bytes(), expected.bytes()) ? Result<void>() : Result<void>(wrong("other values"));
  const auto a = actual.data<float>(), e = expected.data<float>();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!close(a[i], e[i])) return wrong(fmt::format("element {} is {}, expected {}", i, a[i], e[i]));
  return {};
}

Result<void> run_case(const std::vector<std::byte>& program, const std::string& name, const npu::BundledCase& test,
                      const RunOptions& options) {
  Network network;
  MACAW_ASSIGN(network.artifact, npu::parse_artifact(program, name, test.method));
  // Without a delegate no NPU has anything to do, and any will do.
  network.accelerator =
      network.artifact.accelerator ? network.artifact.accelerator : npu::find_accelerator("ethos-u55-128");
  MACAW_ASSIGN(const auto outputs, run_network(network, test.inputs, options));
  if (outputs.size() != test.expected.size())
    return fail(ErrorCode::kMismatch, fmt::format("{} outputs, expected {}", outputs.size(), test.expected.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) MACAW_CHECK(judge(outputs[i], test.expected[i], i));
  return {};
}

}  // namespace

Result<Cases> load_bundled(const std::filesystem::path& file, const RunOptions& options) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(auto read, npu::parse_bundled_program(bytes, file.string()));
  const auto bundle = std::make_shared<const npu::BundledProgram>(std::move(read));
  Cases cases;
  for (std::size_t i = 0; i < bundle->cases.size(); ++i) {
    const auto& method = bundle->cases[i].method;
    cases.push_back({fmt::format("{} {}", method, i), {{"method", method}}, "", [=] {
                       return run_case(bundle->program, file.string(), bundle->cases[i], options);
                     }});
  }
  return cases;
}

}  // namespace macaw::app::check
