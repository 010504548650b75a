#include "reference/tosa/import/mlir/graph_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "reference/tosa/import/import.hpp"

namespace macaw::tosa::mlir {
namespace {

constexpr std::string_view kDialect = "tosa.";

/// "tosa.cond_if" is COND_IF.
std::optional<Op> op_of(std::string_view name) {
  if (!name.starts_with(kDialect)) return std::nullopt;
  std::string upper(name.substr(kDialect.size()));
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return c == '.' ? '_' : static_cast<char>(std::toupper(c)); });
  return op_from_name(upper);
}

bool is_newer_type(DType dtype) {
  switch (dtype) {
    case DType::kINT64:
    case DType::kFP8UE8M0:
    case DType::kFP6E2M3:
    case DType::kFP6E3M2:
    case DType::kFP4E2M1:
    case DType::kMXINT8: return true;
    default: return is_block_scale(dtype);
  }
}

/// A text states no version, so that it follows from operators and types.
Version version_of(const Graph& graph) {
  for (const auto& block : graph.blocks) {
    for (const auto& op : block.operators)
      if (since_minor(op.op) > 0) return kVersion1_1;
    for (const auto& value : block.values)
      if (is_newer_type(value.dtype)) return kVersion1_1;
  }
  return kVersion1_0;
}

/// Whether an operator has less than it has since TOSA 1.0, where attributes of earlier versions are operands.
bool is_of_older_version(const Operation& op) {
  struct Row {
    Op op;
    std::size_t operands;
  };
  constexpr Row kRows[] = {
      {Op::kAVG_POOL2D, 3},
      {Op::kCONV2D, 5},
      {Op::kCONV3D, 5},
      {Op::kDEPTHWISE_CONV2D, 5},
      {Op::kTRANSPOSE_CONV2D, 5},
      {Op::kMATMUL, 4},
      {Op::kMUL, 3},
      {Op::kNEGATE, 3},
      {Op::kPAD, 3},
      {Op::kRESHAPE, 2},
      {Op::kRESCALE, 5},
      {Op::kRESIZE, 4},
      {Op::kSLICE, 3},
      {Op::kTILE, 2},
  };
  const auto known = op_of(op.name);
  if (known == Op::kCLAMP) return !op.attributes.contains("min_val");
  return std::ranges::any_of(kRows,
                             [&](const Row& row) { return row.op == known && op.operands.size() < row.operands; });
}

std::string word_of(const Operation& op, const std::string& attribute) {
  const auto found = op.attributes.find(attribute);
  return found != op.attributes.end() && found->second.word() ? *found->second.word() : std::string();
}

}  // namespace

tl::unexpected<Error> GraphReader::error(const Operation& op, ErrorCode code, std::string message) {
  at_.go_to(op.at);
  return at_.error(code, std::move(message));
}

Result<Graph> GraphReader::read(const Operation& function, const std::vector<const Operation*>& variables) {
  if (function.regions.size() != 1) return error(function, ErrorCode::kUnsupported, "a function without a body");
  BlockBuilder builder(at_.name(), "main");
  Scope scope{builder};
  for (const auto* variable : variables) MACAW_CHECK(read_operation(*variable, scope));
  MACAW_CHECK(read_region(function.regions[0], scope, "func.return", function.at));
  Graph graph;
  MACAW_ASSIGN(auto main, builder.finish());
  graph.blocks.push_back(std::move(main));
  std::ranges::move(bodies_, std::back_inserter(graph.blocks));
  graph.version = version_of(graph);
  return graph;
}

/// As in MLIR, the regions of COND_IF and WHILE_LOOP see the names around them and cannot define them anew.
Result<void> GraphReader::expect_new(const std::string& name, const Scope& scope, std::size_t at) {
  for (const Scope* around = &scope; around; around = around->outer)
    if (around->defined.contains(name)) {
      at_.go_to(at);
      return at_.error(ErrorCode::kInvalidFile, fmt::format("%{} is defined twice", name));
    }
  return {};
}

Result<ValueId> GraphReader::define(const Definition& definition, Scope& scope, std::size_t at) {
  MACAW_CHECK(expect_new(definition.name, scope, at));
  scope.defined.insert(definition.name);
  const auto id = scope.builder.add_temporary(definition.label.empty() ? definition.name : definition.label,
                                              definition.type.dtype, definition.type.shape);
  scope.values[definition.name] = id;
  return id;
}

Result<std::vector<ValueId>> GraphReader::define_results(const Operation& in, Scope& scope) {
  std::vector<ValueId> ids;
  for (const auto& result : in.results) {
    MACAW_ASSIGN(const auto id, define(result, scope, in.at));
    ids.push_back(id);
  }
  return ids;
}

Result<ValueId> GraphReader::find(const std::string& name, Scope& scope, const Operation& user) {
  if (const auto own = scope.values.find(name); own != scope.values.end()) return own->second;
  if (!scope.outer) return error(user, ErrorCode::kInvalidFile, fmt::format("%{} is not defined", name));
  MACAW_ASSIGN(const auto there, find(name, *scope.outer, user));
  const Value& value = scope.outer->builder.value(there);
  if (value.data && !value.variable) return scope.values[name] = scope.builder.add_constant(value.name, value.data);
  if (scope.captured->known.insert(name).second) scope.captured->names.push_back(name);
  return scope.values[name] = scope.builder.add_temporary(value.name, value.dtype, value.shape);
}

Result<void> GraphReader::read_region(const Region& region, Scope& scope, std::string_view terminator, std::size_t at) {
  auto& block = scope.builder.block();
  for (const auto& argument : region.arguments) {
    MACAW_ASSIGN(const auto id, define(argument, scope, at));
    block.inputs.push_back(id);
  }
  for (const auto& op : region.operations) {
    if (op.name != terminator) {
      MACAW_CHECK(read_operation(op, scope));
      continue;
    }
    for (const auto& name : op.operands) {
      MACAW_ASSIGN(const auto id, find(name, scope, op));
      block.outputs.push_back(id);
    }
    return {};
  }
  at_.go_to(at);
  return at_.error(ErrorCode::kInvalidFile, fmt::format("a region does not end in {}", terminator));
}

Result<void> GraphReader::read_operation(const Operation& in, Scope& scope) {
  if (in.name == "tensor.cast") return read_cast(in, scope);
  if (in.name == "func.call")
    return error(in, ErrorCode::kUnsupported,
                 fmt::format("a call of @{}: a graph is one function; mlir-opt --inline makes one of them, and "
                             "--function NAME runs one alone",
                             word_of(in, "callee")));
  const auto known = op_of(in.name);
  if (!known) return error(in, ErrorCode::kUnsupported, fmt::format("{} is not an operator of TOSA", in.name));
  switch (*known) {
    case Op::kCONST:
    case Op::kCONST_SHAPE: return read_constant(in, *known, scope);
    case Op::kVARIABLE:
    case Op::kVARIABLE_READ:
    case Op::kVARIABLE_WRITE: return read_variable(in, *known, scope);
    case Op::kCOND_IF:
    case Op::kWHILE_LOOP: return read_control_flow(in, *known, scope);
    default: break;
  }
  if (!in.regions.empty()) return error(in, ErrorCode::kUnsupported, fmt::format("{} with a region", in.name));
  Operator op;
  op.op = *known;
  for (const auto& operand : in.operands) {
    MACAW_ASSIGN(const auto id, find(operand, scope, in));
    op.inputs.push_back(id);
  }
  MACAW_ASSIGN(op.outputs, define_results(in, scope));
  MACAW_CHECK(set_attributes(in, op, scope));
  scope.builder.add_operator(std::move(op));
  return {};
}

Result<void> GraphReader::set_attributes(const Operation& in, Operator& op, const Scope& scope) {
  const auto element = op.inputs.empty() ? DType::kINT8 : scope.builder.value(op.inputs[0]).dtype;
  for (const auto& [name, value] : in.attributes) {
    const auto attribute = attr_from_name(name);
    if (!attribute) {
      // One that the operator does not know means nothing in MLIR: a note of the writer, or a rest of an older version.
      if (!is_of_older_version(in)) continue;
      return error(
          in, ErrorCode::kUnsupported,
          fmt::format("{} has an attribute {}, which TOSA 1.0 does not have: the text may be of an older version",
                      in.name, name));
    }
    const auto read = meaning(*attribute, value, element);
    if (!read)
      return error(in, ErrorCode::kInvalidFile, fmt::format("attribute {} of {} has an invalid value", name, in.name));
    op.set(*attribute, *read);
  }
  // Attributes that MLIR omits if they have their default values.
  constexpr std::array kWithBound = {Op::kCONV2D,           Op::kCONV3D, Op::kDEPTHWISE_CONV2D,
                                     Op::kTRANSPOSE_CONV2D, Op::kFFT2D,  Op::kRFFT2D};
  if (std::ranges::find(kWithBound, op.op) != kWithBound.end() && !op.find(Attr::k_local_bound))
    op.set(Attr::k_local_bound, std::int64_t{0});
  if (op.op == Op::kCUSTOM && !op.find(Attr::k_implementation_attrs))
    op.set(Attr::k_implementation_attrs, std::vector<std::byte>());
  return {};
}

Result<void> GraphReader::read_constant(const Operation& in, Op op, Scope& scope) {
  std::shared_ptr<const Tensor> data;
  for (const auto* name : {"values", "value"})
    if (const auto found = in.attributes.find(name); found != in.attributes.end()) data = found->second.tensor();
  if (!data || in.results.size() != 1)
    return error(in, ErrorCode::kInvalidFile, fmt::format("{} needs values and one result", in.name));
  const auto& type = in.results[0].type;
  // The width alone counts: ui8 and i8 name the same bytes.
  const bool fits = size_of(type.dtype) == size_of(data->dtype()) && is_float(type.dtype) == is_float(data->dtype());
  if (!fits || !type.shape || data->shape() != *type.shape)
    return error(
        in, ErrorCode::kInvalidFile,
        fmt::format("{} has {} {} and gives {} {}", in.name, to_string(data->dtype()), to_string(data->shape()),
                    to_string(type.dtype), type.shape ? to_string(*type.shape) : "unranked"));
  if (data->dtype() != type.dtype) {
    MACAW_ASSIGN(auto same, Tensor::create(type.dtype, data->shape()));
    std::ranges::copy(data->bytes(), same.bytes().begin());
    data = std::make_shared<const Tensor>(std::move(same));
  }
  if (op == Op::kCONST_SHAPE && data->dtype() != DType::kSHAPE)
    return error(in, ErrorCode::kInvalidFile, "a shape of no indices");
  const auto& result = in.results[0];
  MACAW_CHECK(expect_new(result.name, scope, in.at));
  scope.defined.insert(result.name);
  scope.values[result.name] =
      scope.builder.add_constant(result.label.empty() ? result.name : result.label, std::move(data));
  return {};
}

Result<void> GraphReader::read_cast(const Operation& in, Scope& scope) {
  if (in.operands.size() != 1 || in.results.size() != 1 || in.operand_types.size() != 1)
    return error(in, ErrorCode::kInvalidFile, "tensor.cast needs one operand and one result");
  const Type &from = in.operand_types[0], &to = in.results[0].type;
  bool fits = from.dtype == to.dtype && from.is_tensor && to.is_tensor;
  if (fits && from.shape && to.shape) {
    fits = from.shape->size() == to.shape->size();
    for (std::size_t i = 0; fits && i < to.shape->size(); ++i)
      fits = (*from.shape)[i] == (*to.shape)[i] || (*from.shape)[i] < 0 || (*to.shape)[i] < 0;
  }
  if (!fits) return error(in, ErrorCode::kInvalidFile, "tensor.cast between types that are not of the same tensor");
  MACAW_ASSIGN(const auto id, find(in.operands[0], scope, in));
  MACAW_CHECK(expect_new(in.results[0].name, scope, in.at));
  scope.defined.insert(in.results[0].name);
  scope.values[in.results[0].name] = id;
  return {};
}

Result<void> GraphReader::read_variable(const Operation& in, Op op, Scope& scope) {
  Operator made;
  made.op = op;
  auto name = word_of(in, "name");
  if (name.empty()) name = word_of(in, "sym_name");
  if (name.empty()) return error(in, ErrorCode::kInvalidFile, fmt::format("{} names no variable", in.name));
  made.set(Attr::k_name, name);
  if (op == Op::kVARIABLE) {
    Value value;
    value.name = name;
    value.variable = true;
    value.variable_name = name;
    const auto initial = in.attributes.find("initial_value");
    if (initial != in.attributes.end()) value.data = initial->second.tensor();
    Type type;
    if (const auto found = in.attributes.find("type"); found != in.attributes.end())
      if (const auto* other = std::get_if<Other>(&found->second.value); other && other->type) type = *other->type;
    if (const auto found = in.attributes.find("var_shape"); found != in.attributes.end())
      if (const auto extents = meaning(Attr::k_perms, found->second, DType::kINT8))
        type.shape = std::get<std::vector<std::int64_t>>(*extents);
    if (!type.shape && value.data) type.shape = value.data->shape();
    if (value.data && (value.data->dtype() != type.dtype || value.data->shape() != type.shape))
      return error(in, ErrorCode::kInvalidFile, "the initial value is not of the variable's type");
    value.dtype = type.dtype;
    value.shape = type.shape;
    MACAW_ASSIGN(const auto id, scope.builder.add_value(std::move(value)));
    made.outputs = {id};
  } else {
    for (const auto& operand : in.operands) {
      MACAW_ASSIGN(const auto id, find(operand, scope, in));
      made.inputs.push_back(id);
    }
    MACAW_ASSIGN(made.outputs, define_results(in, scope));
  }
  scope.builder.add_operator(std::move(made));
  return {};
}

Result<void> GraphReader::read_control_flow(const Operation& in, Op op, Scope& scope) {
  constexpr std::size_t kRegions = 2;
  if (in.regions.size() != kRegions || (op == Op::kCOND_IF && in.operands.empty()))
    return error(in, ErrorCode::kInvalidFile, fmt::format("{} needs two regions and a condition", in.name));
  const bool loop = op == Op::kWHILE_LOOP;
  const std::array attributes =
      loop ? std::array{Attr::k_cond_graph, Attr::k_body_graph} : std::array{Attr::k_then_graph, Attr::k_else_graph};
  Operator made;
  made.op = op;
  for (const auto& operand : in.operands) {
    MACAW_ASSIGN(const auto id, find(operand, scope, in));
    made.inputs.push_back(id);
  }
  Captured captured;
  std::vector<BlockBuilder> builders;
  std::vector<Scope> scopes;
  builders.reserve(kRegions);
  for (std::size_t r = 0; r < kRegions; ++r) {
    const auto name = fmt::format("{}_{}", to_string(attributes[r]), bodies_made_++);
    made.set(attributes[r], name);
    builders.emplace_back(at_.name(), name);
    scopes.push_back(Scope{.builder = builders.back(), .outer = &scope, .captured = &captured});
    MACAW_CHECK(read_region(in.regions[r], scopes.back(), "tosa.yield", in.at));
  }
  // Not before: the regions may use the names of the results for values of their own.
  MACAW_ASSIGN(made.outputs, define_results(in, scope));
  // A region sees the values around it; TOSA's graphs have them as further inputs, and a loop hands them on.
  for (const auto& name : captured.names) {
    MACAW_ASSIGN(const auto outer, find(name, scope, in));
    const auto value = scope.builder.value(outer);
    made.inputs.push_back(outer);
    for (auto& body : scopes) {
      const auto known = body.values.find(name);
      const auto id =
          known != body.values.end() ? known->second : body.builder.add_temporary(value.name, value.dtype, value.shape);
      body.builder.block().inputs.push_back(id);
      if (loop && &body == &scopes.back()) body.builder.block().outputs.push_back(id);
    }
    if (loop) made.outputs.push_back(scope.builder.add_temporary(value.name + ".kept", value.dtype, value.shape));
  }
  for (auto& builder : builders) {
    MACAW_ASSIGN(auto block, builder.finish());
    bodies_.push_back(std::move(block));
  }
  scope.builder.add_operator(std::move(made));
  return {};
}

}  // namespace macaw::tosa::mlir
