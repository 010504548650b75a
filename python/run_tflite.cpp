#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <algorithm>

#include "python/native.hpp"

namespace macaw::python {
namespace {

template <class T>
Tensor vector_of(DType dtype, const std::vector<T>& values) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}

/// A network that is read once and runs from fresh variables. Any number of threads may run it.
struct TfliteNetwork : Object {
  explicit TfliteNetwork(tflite::Network network) : network(std::move(network)) {}
  tflite::Network network;
};

json create_tflite_network(const Arguments& arguments, Call&) {
  return Call::give(
      std::make_unique<TfliteNetwork>(unwrap(tflite::parse_network(arguments.contents("network"), "network"))));
}

json describe_tflite_network(const Arguments& arguments, Call&) {
  const auto& network = object_of<TfliteNetwork>(arguments).network;
  auto names = json::array();
  for (const int i : network.main().outputs)
    names.push_back(text_of(network.main().tensors[static_cast<std::size_t>(i)].name));
  return {{"inputs", to_json(tflite::input_ports(network))}, {"output_names", names}};
}

/// Tensors of the main subgraph, in its order.
json list_tensors(const Arguments& arguments, Call& call) {
  auto list = json::array();
  for (const auto& tensor : object_of<TfliteNetwork>(arguments).network.main().tensors) {
    const auto scale = tensor.quantization ? tensor.quantization->scale : std::vector<float>();
    const auto zero_point = tensor.quantization ? tensor.quantization->zero_point : std::vector<std::int64_t>();
    list.push_back({{"name", text_of(tensor.name)},
                    {"dtype", to_string(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"scale", call.give(vector_of<float>(DType::kFP32, scale))},
                    {"zero_point", call.give(vector_of<std::int64_t>(DType::kINT64, zero_point))},
                    {"axis", tensor.quantization ? tensor.quantization->dimension : 0},
                    {"constant", tensor.constant ? call.give(Tensor(*tensor.constant)) : json(nullptr)}});
  }
  return {{"tensors", list}};
}

json run_tflite_network(const Arguments& arguments, Call& call) {
  const auto& network = object_of<TfliteNetwork>(arguments).network;
  const auto tensors = inputs_of(tflite::input_ports(network), arguments);
  tflite::State state;
  auto outputs = unwrap(run_unlocked([&] { return tflite::run(network, tensors, state); })).outputs;
  if (fill_outputs(arguments, outputs)) return json::object();
  return {{"outputs", call.give(std::move(outputs))}};
}

}  // namespace

void add_tflite(Functions& functions) {
  functions["create_tflite_network"] = create_tflite_network;
  functions["describe_tflite_network"] = describe_tflite_network;
  functions["list_tflite_tensors"] = list_tensors;
  functions["run_tflite_network"] = run_tflite_network;
}

}  // namespace macaw::python
