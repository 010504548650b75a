#include <fmt/format.h>
#include <pybind11/stl.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include <macaw/npu/input_fit.hpp>
#include <macaw/npu/run.hpp>

#include <macaw/npu/choose_accelerator.hpp>
#include "python/native.hpp"
#include "workflow/inference/predict_run.hpp"
#include "workflow/report/name_tensors.hpp"
#include "workflow/report/run_report.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

/// By position from a list, by name from a dictionary.
std::vector<npu::NamedTensor> named_inputs_of(const py::object& given) {
  std::vector<npu::NamedTensor> inputs;
  const auto add = [&](std::string name, const py::handle& array) {
    const auto text = name.empty() ? fmt::format("input {}", inputs.size()) : "input \"" + name + "\"";
    const auto contents = unwrap(contents_of(as_array(array, text), text));
    inputs.push_back({std::move(name), unwrap(macaw::to_tensor(contents, std::nullopt, text))});
  };
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [key, array] : py::reinterpret_borrow<py::dict>(given)) add(name_of(key), array);
  } else {
    for (const auto& array : py::cast<py::sequence>(given)) add("", array);
  }
  return inputs;
}

py::dict run_sim(const py::object& source, const std::string& method, const py::object& inputs,
                 const std::string& accelerator_name, const std::string& mode_name, const std::string& system,
                 const std::string& memory_mode, const std::string& config, bool timing_adapter,
                 const std::map<std::string, double>& params, unsigned steps, bool reshape, bool reinterpret,
                 const std::vector<std::string>& cpu, double before_ms, double after_ms, bool npu_only) {
  const auto artifact = artifact_of(source, method);
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, accelerator_name));
  const auto tensors = named_inputs_of(inputs);
  (void)unwrap(npu::check_inputs(artifact, tensors, {.reshape = reshape, .reinterpret = reinterpret}));
  npu::TimedOptions options;
  options.movements = true;
  options.activity_spans = report::kActivitySpans;
  options.system = system;
  options.memory_mode = memory_mode;
  options.vela_config = config;
  options.timing_adapter = timing_adapter;
  options.params = {params.begin(), params.end()};
  const auto setup = options;
  auto run = without_gil([&] {
    return npu::execute({.artifact = artifact,
                         .accelerator = *accelerator,
                         .inputs = tensors,
                         .mode = npu::find_run_mode(mode_name).value(),
                         .options = std::move(options),
                         .steps = steps});
  });
  auto record = unwrap(std::move(run));
  if (record.mode != npu::RunMode::kFunctional && !npu_only) {
    const npu::RunSpec spec{.artifact = artifact, .accelerator = *accelerator, .options = setup};
    record.inference =
        unwrap(inference::predict_run(spec, record, {.cpu = cpu, .before_ms = before_ms, .after_ms = after_ms}));
  }
  report::name_by_tensors(record.operations, artifact);
  py::list outputs, names;
  for (const auto& tensor : record.values.outputs) outputs.append(to_array(tensor));
  for (const auto& output : record.outputs) names.append(text_of(output.name));
  py::dict result;
  result["outputs"] = outputs;
  result["names"] = names;
  result["report"] = report::to_json(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return result;
}

/// A compiled network that is run again and again without time, from several threads if need be.
class SimNetwork {
 public:
  SimNetwork(const py::object& source, const std::string& method, const std::string& accelerator)
      : network_(create(source, method, accelerator)) {}

  /// Shapes of the inputs that the network reads, by name.
  [[nodiscard]] py::list inputs() const {
    py::list list;
    for (const auto& input : network_.artifact().inputs)
      if (input.memory >= 0) list.append(py::make_tuple(text_of(input.name), py::tuple(py::cast(input.shape))));
    return list;
  }

  [[nodiscard]] py::list output_names() const {
    py::list names;
    for (const auto& output : network_.artifact().outputs) names.append(text_of(output.name));
    return names;
  }

  [[nodiscard]] py::list run(const py::object& inputs, int threads, bool reshape, bool reinterpret) const {
    const auto tensors = named_inputs_of(inputs);
    (void)unwrap(npu::check_inputs(network_.artifact(), tensors, {.reshape = reshape, .reinterpret = reinterpret}));
    npu::FunctionalOptions options;
    options.threads = threads;
    auto run = without_gil([&] { return npu::execute(network_, tensors, options); });
    py::list outputs;
    for (const auto& tensor : unwrap(std::move(run)).outputs) outputs.append(to_array(tensor));
    return outputs;
  }

 private:
  static npu::PreparedNetwork create(const py::object& source, const std::string& method,
                                     const std::string& accelerator) {
    auto artifact = artifact_of(source, method);
    const auto* chosen = unwrap(npu::choose_accelerator(artifact, accelerator));
    return unwrap(npu::PreparedNetwork::create(std::move(artifact), *chosen));
  }

  npu::PreparedNetwork network_;
};

}  // namespace

npu::Artifact artifact_of(const py::object& source, const std::string& method) {
  if (py::isinstance<py::bytes>(source))
    return unwrap(npu::parse_artifact(bytes_of(py::reinterpret_borrow<py::bytes>(source)), "artifact", method));
  return unwrap(npu::load_artifact(py::cast<std::string>(py::module_::import("os").attr("fsencode")(source)), method));
}

void define_sim(py::module_& module) {
  using namespace py::literals;
  py::class_<SimNetwork>(module, "SimNetwork")
      .def(py::init<const py::object&, const std::string&, const std::string&>())
      .def_property_readonly("inputs", &SimNetwork::inputs)
      .def_property_readonly("output_names", &SimNetwork::output_names)
      .def("run", &SimNetwork::run);
  module.def("run_sim", &run_sim, "artifact"_a, "method"_a, "inputs"_a, "accelerator"_a, "mode"_a, "system"_a,
             "memory_mode"_a, "config"_a, "timing_adapter"_a, "params"_a, "steps"_a, "reshape"_a, "reinterpret"_a,
             "cpu"_a, "before_ms"_a, "after_ms"_a, "npu_only"_a);
}

}  // namespace macaw::python
