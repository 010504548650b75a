#pragma once
#include <macaw/npu/artifact.hpp>

#include "executorch_generated.h"
#include "tests/unit/sim/artifact/vela_stream.hpp"

#include <catch2/catch.hpp>

// Small ExecuTorch programs.
namespace executorch_programs {

using namespace macaw;
using namespace macaw::npu;

/// A delegate for U85-256 that does nothing: four bytes in at 16, two bytes out at 32.
inline std::vector<std::uint8_t> delegate() {
  return test::vela_stream<std::uint8_t>({1, 1, 1, 1, 1, 1, 4, 1, 16, 1}, {1, 1, 1, 1, 1, 1, 2, 1, 32, 1});
}

inline pte::ValueT tensor(pte::ScalarType type, std::vector<std::int32_t> sizes, std::uint32_t offset) {
  pte::TensorT t;
  t.scalar_type = type;
  for (std::size_t d = 0; d < sizes.size(); ++d) t.dim_order.push_back(std::uint8_t(d));
  t.sizes = std::move(sizes);
  t.allocation = std::make_unique<pte::AllocationDetailsT>();
  t.allocation->memory_id = 1;
  t.allocation->offset_low = offset;
  pte::ValueT value;
  value.value.Set(std::move(t));
  return value;
}

inline void add_value(pte::PlanT& plan, pte::ValueT value) {
  plan.values.push_back(std::make_unique<pte::ValueT>(std::move(value)));
}

template <class T>
void add_call(pte::PlanT& plan, T call) {
  auto instruction = std::make_unique<pte::InstructionT>();
  instruction->call.Set(std::move(call));
  plan.chains[0]->instructions.push_back(std::move(instruction));
}

/// Input int8 [1, 4], delegate, output int8 [2].
inline pte::ProgramT program() {
  pte::ProgramT out;
  auto plan = std::make_unique<pte::PlanT>();
  plan->name = "forward";
  add_value(*plan, tensor(pte::ScalarType::CHAR, {1, 4}, 0));
  add_value(*plan, tensor(pte::ScalarType::CHAR, {2}, 16));
  plan->inputs = {0};
  plan->outputs = {1};
  plan->buffer_sizes = {0, 64};
  plan->chains.push_back(std::make_unique<pte::ChainT>());
  auto backend = std::make_unique<pte::DelegateT>();
  backend->id = "EthosUBackend";
  backend->processed = std::make_unique<pte::DataReferenceT>();
  plan->delegates.push_back(std::move(backend));
  pte::DelegateCallT call;
  call.args = {0, 1};
  add_call(*plan, std::move(call));
  out.plans.push_back(std::move(plan));
  auto data = std::make_unique<pte::DelegateDataT>();
  data->data = delegate();
  out.delegate_data.push_back(std::move(data));
  return out;
}

/// The same, and then a kernel.
inline pte::ProgramT with_kernel(const char* name, std::vector<std::int32_t> arguments) {
  auto out = program();
  auto op = std::make_unique<pte::OperatorT>();
  op->name = name;
  out.plans[0]->operators.push_back(std::move(op));
  pte::KernelCallT call;
  call.args = std::move(arguments);
  add_call(*out.plans[0], std::move(call));
  return out;
}

inline Result<Artifact> load(const pte::ProgramT& program, const std::string& method = {}) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(pte::Program::Pack(builder, &program), "ET12");
  return parse_artifact(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), "net.pte", method);
}

/// A value that is an integer.
inline pte::ValueT integer(std::int64_t number) {
  pte::ValueT value;
  value.value.Set(pte::IntT{});
  value.value.AsInt()->value = number;
  return value;
}

inline void check_error(const pte::ProgramT& program, ErrorCode code, const std::string& part) {
  const auto result = load(program);
  REQUIRE_FALSE(result);
  INFO(result.error().message);
  CHECK(result.error().code == code);
  CHECK(result.error().message.find(part) != std::string::npos);
}

}  // namespace executorch_programs
