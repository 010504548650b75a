#include <catch2/catch.hpp>

#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"
#include "workflow/compare/match/layer_names.hpp"
#include "workflow/compare/trace/trace.hpp"

#include <macaw/npu/debug_database.hpp>

#include <string>

using namespace macaw;
using macaw::test::checked;

namespace {

/// A database that makes the whole first stream of one source, whose columns and cells are given.
std::shared_ptr<const npu::DebugDatabase> database(const std::string& column, const std::string& cell) {
  const auto table = [](const std::string& name, const std::string& rows) {
    return "<table name='" + name + "'><![CDATA[" + rows + "]]></table>";
  };
  const std::string text =
      "<debug>" + table("source", "id,operator,ofm_w,ofm_h,ofm_d" + column + "\n1,Conv2D,1,1,1" + cell + "\n") +
      table("optimised", "id,source_id,operator,ofm_w,ofm_h,ofm_d\n7,1,Conv2D,1,1,1\n") +
      table("cmdstream", "id\n0\n") + table("queue", "offset,cmdstream_id,optimised_id\n100000000,0,7\n") + "</debug>";
  return std::make_shared<const npu::DebugDatabase>(
      checked(npu::DebugDatabase::parse(std::as_bytes(std::span(text)), "net_debug.xml")));
}

std::vector<npu::OperationTiming> named_by(const Subject& subject, const npu::Artifact& artifact) {
  std::vector<Tensor> inputs;
  for (const auto id : subject.graph.main().inputs) {
    const auto& value = subject.graph.main().values[id];
    inputs.emplace_back(value.dtype, *value.shape);
    for (std::size_t i = 0; i < inputs.back().bytes().size(); ++i)
      inputs.back().bytes()[i] = static_cast<std::byte>(i * 37 % 251);
  }
  const auto trace = checked(compare::trace_program(artifact, *artifact.accelerator, named(inputs), false));
  std::vector<npu::OperationTiming> operations;
  for (const auto& record : trace.records) {
    npu::OperationTiming operation;
    operation.step = record.step;
    operation.command = record.command;
    operation.source = artifact.debug->source_of(0, record.offset)->to_string();
    operations.push_back(std::move(operation));
  }
  REQUIRE(compare::name_operations(operations, subject.program(), artifact, *artifact.accelerator, inputs));
  return operations;
}

}  // namespace

TEST_CASE("a graph names layers where a debug database tells no more than kinds") {
  const auto subject = bundled_subjects().front();
  auto artifact = subject.artifact;
  artifact.debug = database("", "");
  const auto by_graph = named_by(subject, artifact);
  REQUIRE(by_graph.size() > 2);
  CHECK(by_graph.front().source.find("(operator") != std::string::npos);
  CHECK(by_graph.front().source != by_graph.back().source);
  artifact.debug = database(",ext_key", ",3");
  for (const auto& operation : named_by(subject, artifact)) CHECK(operation.source == "Conv2D (operator 3)");
}
