#include <fmt/format.h>
#include <pybind11/stl.h>
#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <algorithm>
#include <optional>

#include "python/native.hpp"

namespace macaw::python {
namespace {

namespace py = pybind11;

std::string tensor_name(const tflite::Network& network, int index) {
  return network.main().tensors[static_cast<std::size_t>(index)].name;
}

py::list names_of(const tflite::Network& network, const std::vector<int>& indices) {
  py::list names;
  for (const int i : indices) names.append(text_of(tensor_name(network, i)));
  return names;
}

py::list arrays_of(const std::vector<Tensor>& tensors) {
  py::list arrays;
  for (const auto& tensor : tensors) arrays.append(to_array(tensor));
  return arrays;
}

template <class T>
Tensor vector_of(DType dtype, const std::vector<T>& values) {
  Tensor tensor(dtype, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.data<T>().begin());
  return tensor;
}

/// A network that is read once and runs from fresh variables. Any number of threads may run it.
class TfliteNetwork {
 public:
  explicit TfliteNetwork(const py::bytes& bytes)
      : network_(unwrap(tflite::parse_network(bytes_of(bytes), "network"))) {}

  [[nodiscard]] py::list inputs() const { return shapes_of(tflite::input_ports(network_)); }
  [[nodiscard]] py::list output_names() const { return names_of(network_, network_.main().outputs); }

  /// Tensors of the main subgraph, in its order.
  [[nodiscard]] py::list tensors() const {
    py::list list;
    for (const auto& tensor : network_.main().tensors) {
      const auto scale = tensor.quantization ? tensor.quantization->scale : std::vector<float>();
      const auto zero_point = tensor.quantization ? tensor.quantization->zero_point : std::vector<std::int64_t>();
      list.append(py::make_tuple(text_of(tensor.name), to_string(tensor.dtype), py::tuple(py::cast(tensor.shape)),
                                 to_array(vector_of<float>(DType::kFP32, scale)),
                                 to_array(vector_of<std::int64_t>(DType::kINT64, zero_point)),
                                 tensor.quantization ? tensor.quantization->dimension : 0,
                                 tensor.constant ? py::object(to_array(*tensor.constant)) : py::object(py::none())));
    }
    return list;
  }

  [[nodiscard]] py::list run(const py::object& inputs, int, bool reshape, bool reinterpret) const {
    const auto tensors =
        inputs_of(tflite::input_ports(network_), inputs, {.reshape = reshape, .reinterpret = reinterpret});
    tflite::State state;
    return arrays_of(unwrap(without_gil([&] { return tflite::run(network_, tensors, state); })).outputs);
  }

 private:
  tflite::Network network_;
};

}  // namespace

void define_tflite(py::module_& module) {
  py::class_<TfliteNetwork>(module, "TfliteNetwork")
      .def(py::init<const py::bytes&>())
      .def_property_readonly("inputs", &TfliteNetwork::inputs)
      .def_property_readonly("output_names", &TfliteNetwork::output_names)
      .def_property_readonly("tensors", &TfliteNetwork::tensors)
      .def("run", &TfliteNetwork::run);
}

}  // namespace macaw::python
