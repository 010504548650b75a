#include "sim/artifact/resource_variables.hpp"

#include <fmt/format.h>

#include "sim/artifact/bindings.hpp"

namespace macaw::npu {
namespace {

namespace schema = tflite::schema;
using tflite::size_of;

constexpr std::string_view kVarHandle = "VAR_HANDLE", kRead = "READ_VARIABLE", kAssign = "ASSIGN_VARIABLE",
                           kCallOnce = "CALL_ONCE";

}  // namespace

Result<void> ResourceVariables::add(PlacedOperator op) {
  auto& host = op.host;
  if (host.name == kCallOnce) return add_call_once(op);
  if (host.name == kVarHandle) {
    MACAW_ASSIGN(const auto handle, operand(op.table.outputs(), 0, op.place));
    MACAW_ASSIGN(auto key, key_of(op.table, op.place));
    handles_.insert_or_assign({op.subgraph, handle}, std::move(key));
    return {};
  }
  if (host.name == kRead) {
    if (host.inputs.size() != 1 || host.outputs.size() != 1)
      return file_.error(fmt::format("{} inputs and {} outputs", host.inputs.size(), host.outputs.size()), op.place);
    MACAW_ASSIGN(host.inputs[0], variable(op, host.outputs[0]));
  } else if (host.name == kAssign) {
    if (host.inputs.size() != 2 || !host.outputs.empty())
      return file_.error(fmt::format("{} inputs and {} outputs", host.inputs.size(), host.outputs.size()), op.place);
    MACAW_ASSIGN(auto contents, variable(op, host.inputs[1]));
    host.outputs.push_back(std::move(contents));
    host.inputs.erase(host.inputs.begin());
  }
  artifact_.steps.emplace_back(std::move(host));
  return {};
}

Result<ResourceVariables::Key> ResourceVariables::key_of(const schema::Operator& op, const std::string& place) const {
  const auto* options = op.builtin_options_as_VarHandleOptions();
  if (!options) return file_.error("the options are missing", place);
  if (size_of(options->container()) > tflite::kMaxName || size_of(options->shared_name()) > tflite::kMaxName)
    return file_.error("the name of the variable is too long", place, ErrorCode::kUnsupported);
  return Key{options->container() ? options->container()->str() : "",
             options->shared_name() ? options->shared_name()->str() : ""};
}

Result<std::int32_t> ResourceVariables::operand(const flatbuffers::Vector<std::int32_t>* list, std::size_t index,
                                                const std::string& place) const {
  if (index >= size_of(list)) return file_.error("an operand is missing", place);
  return list->Get(unsigned(index));
}

Result<TensorBinding> ResourceVariables::variable(const PlacedOperator& op, const TensorBinding& like) {
  MACAW_ASSIGN(const auto handle, operand(op.table.inputs(), 0, op.place));
  const auto found = handles_.find({op.subgraph, handle});
  if (found == handles_.end())
    return file_.error(fmt::format("tensor {} is not the handle of a VAR_HANDLE before it", handle), op.place,
                       ErrorCode::kUnsupported);
  return variable(found->second, like, op.place);
}

Result<TensorBinding> ResourceVariables::variable(const Key& key, const TensorBinding& like, const std::string& place) {
  if (like.memory < 0) return file_.error("an operand is absent", place);
  MACAW_ASSIGN(const auto bytes, byte_size(like, artifact_.file));
  const auto [known, is_new] = variables_.try_emplace(key, like);
  auto& binding = known->second;
  if (!is_new) {
    MACAW_ASSIGN(const auto size, byte_size(binding, artifact_.file));
    if (size != bytes) return file_.error(fmt::format("{} bytes for a variable of {}", bytes, size), place);
    return binding;
  }
  binding.name = tflite::variable_name(key.first, key.second);
  binding.memory = int(artifact_.memories.size());
  binding.offset = 0;
  artifact_.memories.push_back({.name = fmt::format("variable '{}'", binding.name), .size = bytes});
  artifact_.variables.push_back(binding);
  return binding;
}

Result<void> ResourceVariables::add_call_once(const PlacedOperator& op) {
  const auto* options = op.table.builtin_options_as_CallOnceOptions();
  if (!options) return file_.error("the options are missing", op.place);
  const auto subgraph = options->init_subgraph_index();
  if (subgraph < 0 || std::size_t(subgraph) >= size_of(file_.root().subgraphs()))
    return file_.error(fmt::format("there is no subgraph {}", subgraph), op.place);
  const auto& graph = *file_.root().subgraphs()->Get(unsigned(subgraph));
  operators_ += size_of(graph.operators());
  if (operators_ > tflite::kMaxOperands) return file_.error("too many operators", op.place, ErrorCode::kUnsupported);
  HostOperator host{.index = op.host.index, .name = op.host.name, .inputs = {}, .outputs = {}};
  // Each operator has its own flag, even if several operators run the same subgraph.
  const TensorBinding has_run{
      .name = op.place, .shape = {1}, .dtype = DType::kBOOL, .memory = int(artifact_.memories.size())};
  artifact_.memories.push_back({.name = has_run.name, .size = 1});
  artifact_.variables.push_back(has_run);
  host.inputs.push_back(has_run);
  std::map<std::int32_t, Key> handles;
  for (std::size_t i = 0; i < size_of(graph.operators()); ++i) {
    const auto& inner = *graph.operators()->Get(unsigned(i));
    const auto place = fmt::format("subgraph {}, operator {}", subgraph, i);
    MACAW_ASSIGN(const auto kind, file_.kind_of(inner, place));
    if (kind.name == kVarHandle) {
      MACAW_ASSIGN(const auto handle, operand(inner.outputs(), 0, place));
      MACAW_ASSIGN(handles[handle], key_of(inner, place));
    } else if (kind.name == kAssign) {
      MACAW_ASSIGN(const auto handle, operand(inner.inputs(), 0, place));
      MACAW_ASSIGN(const auto value, operand(inner.inputs(), 1, place));
      const auto found = handles.find(handle);
      if (found == handles.end())
        return file_.error(fmt::format("tensor {} is not the handle of a VAR_HANDLE before it", handle), place,
                           ErrorCode::kUnsupported);
      MACAW_CHECK(add_first_value(graph, value, found->second, place, host));
    } else {
      return file_.error(
          fmt::format("CALL_ONCE of a subgraph that has {}: only constants that are assigned to variables "
                      "are supported in a compiled network",
                      kind.name),
          place, ErrorCode::kUnsupported);
    }
  }
  artifact_.steps.emplace_back(std::move(host));
  return {};
}

Result<void> ResourceVariables::add_first_value(const schema::SubGraph& graph, std::int32_t tensor, const Key& key,
                                                const std::string& place, HostOperator& host) {
  if (tensor < 0 || std::size_t(tensor) >= size_of(graph.tensors()))
    return file_.error(fmt::format("there is no tensor {}", tensor), place);
  const auto& table = *graph.tensors()->Get(unsigned(tensor));
  if (size_of(table.shape()) > tflite::kMaxRank)
    return file_.error("the shape is too long", place, ErrorCode::kUnsupported);
  const auto type = tflite::element_type(table.type());
  if (!type) return file_.error(tflite::unsupported_type(table.type()), place, ErrorCode::kUnsupported);
  TensorBinding value{
      .name = fmt::format("tensor {}", tensor), .shape = {}, .element_size = type->size, .dtype = type->dtype};
  if (table.shape()) value.shape.assign(table.shape()->begin(), table.shape()->end());
  MACAW_ASSIGN(const auto bytes, byte_size(value, artifact_.file));
  MACAW_ASSIGN(const auto data, file_.buffer(table.buffer(), place));
  if (data.empty() && bytes > 0)
    return file_.error(fmt::format("tensor {} is not a constant", tensor), place, ErrorCode::kUnsupported);
  if (data.size() < bytes) return file_.error(fmt::format("{} bytes of data for {} bytes", data.size(), bytes), place);
  const auto [memory, is_new] = first_values_.try_emplace(table.buffer(), int(artifact_.memories.size()));
  if (is_new)
    artifact_.memories.push_back({.name = fmt::format("first value of '{}'", key.second),
                                  .size = data.size(),
                                  .initial = {data.begin(), data.end()},
                                  .read_only = true});
  value.memory = memory->second;
  MACAW_ASSIGN(auto contents, variable(key, value, place));
  host.inputs.push_back(std::move(contents));
  host.inputs.push_back(std::move(value));
  return {};
}

}  // namespace macaw::npu
