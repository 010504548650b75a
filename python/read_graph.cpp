#include <macaw/tosa/graph_contents.hpp>

#include "python/native.hpp"

// The contents of graphs, of which macaw/tosa_graph.py makes objects.

namespace macaw::python {

namespace {

using tosa::Graph;

/// A graph whose constants Python asks for one by one.
struct GraphContents : Object {
  explicit GraphContents(Graph graph) : graph(std::move(graph)) {}
  Graph graph;
};

/// Floating point is {"float": text} and bytes are {"bytes": text}, for which JSON has no types.
struct ToJson {
  template <class T>
  json operator()(const T& value) const {
    return value;
  }
  json operator()(double value) const { return {{"float", text_of(value)}}; }
  json operator()(const std::string& value) const { return text_of(value); }
  json operator()(const std::vector<std::byte>& value) const {
    return {{"bytes", text_of({reinterpret_cast<const char*>(value.data()), value.size()})}};
  }
};

json operator_json(const tosa::Block& block, const tosa::Operator& op) {
  auto attributes = json::object();
  for (const auto& [attribute, value] : op.attributes)
    attributes[std::string(to_string(attribute))] =
        std::visit(ToJson(), tosa::attribute_contents(block, op, attribute, value));
  return {{"op", to_string(op.op)},
          {"inputs", op.inputs},
          {"outputs", op.outputs},
          {"attributes", std::move(attributes)},
          {"location", text_of(op.location)}};
}

json block_json(const tosa::Block& block) {
  auto tensors = json::array(), operators = json::array();
  for (const auto& value : block.values)
    tensors.push_back({{"name", text_of(value.name)},
                       {"type", to_string(value.dtype)},
                       {"shape", value.shape ? json(*value.shape) : json(nullptr)},
                       {"has_data", value.data != nullptr},
                       {"variable", value.variable ? json(text_of(value.variable_name)) : json(nullptr)}});
  for (const auto& op : block.operators) operators.push_back(operator_json(block, op));
  return {{"name", text_of(block.name)},
          {"tensors", std::move(tensors)},
          {"operators", std::move(operators)},
          {"inputs", block.inputs},
          {"outputs", block.outputs}};
}

json create_graph(const Arguments& arguments, Call&) {
  auto graph = unwrap(tosa::parse_graph(arguments.contents("graph"), arguments.bytes("name")));
  return Call::give(std::make_unique<GraphContents>(std::move(graph)));
}

json describe_graph(const Arguments& arguments, Call&) {
  const auto& graph = object_of<GraphContents>(arguments).graph;
  auto blocks = json::array();
  for (const auto& block : graph.blocks) blocks.push_back(block_json(block));
  const auto& version = graph.version;
  return {{"version", {version.major, version.minor, version.patch, version.draft}}, {"blocks", std::move(blocks)}};
}

/// The contents of a tensor of a block; with "packed" the bytes that a file has of it.
json graph_constant(const Arguments& arguments, Call& call) {
  const auto& graph = object_of<GraphContents>(arguments).graph;
  const auto& block = graph.blocks.at(arguments.get<std::size_t>("block"));
  const auto& data = *block.values.at(arguments.get<std::size_t>("tensor")).data;
  if (!arguments.get<bool>("packed")) return {{"contents", call.give(Tensor(data))}};
  const auto packed = tosa::constant_contents(data);
  return {{"contents", call.give(std::string(packed.begin(), packed.end()))}};
}

json graph_numbers(const Arguments&, Call&) {
  return {{"ops", tosa::operator_numbers()}, {"types", tosa::data_type_numbers()}};
}

}  // namespace

void add_graphs(Functions& functions) {
  functions["create_graph"] = create_graph;
  functions["describe_graph"] = describe_graph;
  functions["graph_constant"] = graph_constant;
  functions["graph_numbers"] = graph_numbers;
}

}  // namespace macaw::python
