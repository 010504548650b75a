#include <fmt/format.h>
#include <macaw/tflite/interpreter.hpp>

#include <optional>

#include "python/native.hpp"

namespace macaw::python {
namespace {

namespace py = pybind11;

std::string name_of(const tflite::Network& network, int index) {
  return network.main().tensors[static_cast<std::size_t>(index)].name;
}

py::list names_of(const tflite::Network& network, const std::vector<int>& indices) {
  py::list names;
  for (const int i : indices) names.append(name_of(network, i));
  return names;
}

/// Inputs in the network's order, from a list in that order or a dictionary by name.
std::vector<Tensor> inputs_of(const tflite::Network& network, const py::object& given) {
  const auto& main = network.main();
  std::vector<py::object> arrays;
  if (py::isinstance<py::dict>(given)) {
    const auto by_name = py::cast<py::dict>(given);
    for (const int i : main.inputs) {
      const py::str name(name_of(network, i));
      if (!by_name.contains(name))
        raise({ErrorCode::kMismatch, fmt::format("input \"{}\" is not given", name_of(network, i)), {}});
      arrays.push_back(by_name[name]);
    }
    if (by_name.size() != arrays.size())
      raise({ErrorCode::kMismatch,
             fmt::format("{} inputs are given, the network has {}", by_name.size(), arrays.size()),
             {}});
  } else {
    for (const auto& array : py::cast<py::sequence>(given)) arrays.push_back(py::reinterpret_borrow<py::object>(array));
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto name = fmt::format("input {}", i);
    std::optional<DType> dtype;
    if (i < main.inputs.size()) dtype = main.tensors[static_cast<std::size_t>(main.inputs[i])].dtype;
    tensors.push_back(unwrap(to_tensor(as_array(arrays[i], name), dtype, name)));
  }
  return tensors;
}

/// A network with the contents of its variables from run to run.
class Session {
 public:
  explicit Session(const py::bytes& bytes) : network_(unwrap(tflite::parse_network(bytes_of(bytes), "network"))) {}

  [[nodiscard]] py::list input_names() const { return names_of(network_, network_.main().inputs); }
  [[nodiscard]] py::list output_names() const { return names_of(network_, network_.main().outputs); }
  void reset() { state_.clear(); }

  py::dict run(const py::object& inputs, bool keep_tensors) {
    auto tensors = inputs_of(network_, inputs);
    Result<tflite::RunResult> run;
    {
      const py::gil_scoped_release others_may_run;
      run = tflite::run(network_, tensors, state_, {.keep_tensors = keep_tensors});
    }
    const auto result = unwrap(std::move(run));
    py::list outputs;
    for (const auto& tensor : result.outputs) outputs.append(to_array(tensor));
    py::dict kept;
    for (const auto& [name, tensor] : result.tensors) kept[py::str(name)] = to_array(tensor);
    py::dict dict;
    dict["outputs"] = outputs;
    dict["tensors"] = kept;
    return dict;
  }

 private:
  tflite::Network network_;
  tflite::State state_;
};

}  // namespace

void define_tflite(py::module_& module) {
  py::class_<Session>(module, "TfliteSession")
      .def(py::init<const py::bytes&>())
      .def_property_readonly("input_names", &Session::input_names)
      .def_property_readonly("output_names", &Session::output_names)
      .def("reset", &Session::reset)
      .def("run", &Session::run, py::arg("inputs"), py::arg("keep_tensors"));
}

}  // namespace macaw::python
