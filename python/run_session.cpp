#include <pybind11/stl.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include <nlohmann/json.hpp>

#include <macaw/npu/choose_accelerator.hpp>

#include "python/native.hpp"
#include "reference/tosa/claimed_profiles.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/sequence/loop.hpp"
#include "workflow/sequence/sim_engine.hpp"
#include "workflow/sequence/tflite_engine.hpp"
#include "workflow/sequence/tosa_engine.hpp"

namespace macaw::python {
namespace {

namespace py = pybind11;

py::list step_arrays(std::span<const Tensor> tensors) {
  py::list arrays;
  for (const auto& tensor : tensors) arrays.append(to_array(tensor));
  return arrays;
}

std::vector<InputPort> ports_of(const std::vector<sequence::Port>& ports) {
  std::vector<InputPort> tensors;
  for (const auto& port : ports) tensors.push_back(port.tensor);
  return tensors;
}

/// A network that keeps its state from run to run, on any engine. Only one thread at a time may use it: the
/// interpreter's lock is released during a run. Functions that a sequence calls may use it as well, as they run in the
/// same thread.
class Session {
 public:
  explicit Session(std::unique_ptr<sequence::Engine> engine) : engine_(std::move(engine)) {}

  [[nodiscard]] py::list inputs() const { return shapes_of(ports_of(engine_->inputs())); }
  [[nodiscard]] py::list output_names() const {
    py::list names;
    for (const auto& port : engine_->outputs()) names.append(text_of(port.tensor.name));
    return names;
  }

  [[nodiscard]] py::list run(const py::object& given, bool reshape, bool reinterpret) {
    const auto use = begin_use();
    std::vector<Tensor> tensors(engine_->inputs().size());
    if (engine_->has_values() || py::len(given) != 0)
      tensors = inputs_of(ports_of(engine_->inputs()), given, {.reshape = reshape, .reinterpret = reinterpret});
    return step_arrays(unwrap(without_gil([&] { return engine_->step(std::move(tensors)); })));
  }

  [[nodiscard]] py::dict state() const {
    const auto use = begin_use();
    py::dict dict;
    for (const auto& [name, tensor] : unwrap(engine_->state())) dict[text_of(name)] = to_array(tensor);
    return dict;
  }

  void set_state(const py::dict& given) {
    const auto use = begin_use();
    std::vector<npu::NamedTensor> tensors;
    for (const auto& [key, array] : given) {
      const auto name = name_of(key);
      const auto text = "variable \"" + name + "\"";
      const auto contents = unwrap(contents_of(as_array(array, text), text));
      tensors.push_back({name, unwrap(macaw::to_tensor(contents, std::nullopt, text))});
    }
    unwrap(engine_->set_state(tensors));
  }

  void reset() {
    const auto use = begin_use();
    engine_->reset();
  }

  /// `given`: by name, arrays with the steps along their first axis; `first`: by name, what an input has in the first
  /// step; `joined`: options of sequence::Options; `between` and `stop`: functions of the step's number and outputs, or
  /// None; `kept`: names of the outputs that are returned. Long: one loop and the functions that it calls.
  py::dict sequence(std::size_t steps, const py::dict& given, const py::dict& first, const py::dict& joined,
                    const py::object& classes, const py::object& between, const py::object& stop,
                    const std::set<std::string>& kept, bool reshape, bool reinterpret) {
    const auto use = begin_use();
    const InputFit fit{.reshape = reshape, .reinterpret = reinterpret};
    auto wiring = unwrap(sequence::resolve(*engine_, options_of(joined)));
    for (const auto& [key, array] : first) {
      const auto input = input_named(wiring, name_of(key));
      wiring.initial[input] = input_of(array, wiring.inputs[input].tensor, fit);
    }
    add_classes(wiring, joined, classes);
    std::vector<py::object> sets;
    for (const auto input : wiring.given()) {
      const auto name = text_of(wiring.inputs[input].tensor.name);
      if (!given.contains(name) && engine_->has_values())
        raise({ErrorCode::kMismatch, fmt::format("input \"{}\" is not given", wiring.inputs[input].tensor.name), {}});
      sets.push_back(given.contains(name) ? py::object(given[name]) : py::none());
    }
    if (given.size() >
        static_cast<std::size_t>(std::ranges::count_if(sets, [](const auto& s) { return !s.is_none(); })))
      raise({ErrorCode::kMismatch, "inputs are given that the network does not have, or that have another source", {}});
    const auto ports = wiring.given();
    std::vector<std::vector<Tensor>> results(wiring.outputs.size());
    sequence::Hooks hooks;
    hooks.given = [&](std::size_t step) -> Result<std::vector<Tensor>> {
      const py::gil_scoped_acquire python;
      std::vector<Tensor> tensors;
      for (std::size_t i = 0; i < ports.size(); ++i)
        tensors.push_back(sets[i].is_none() ? Tensor()
                                            : input_of(sets[i][py::int_(step)], wiring.inputs[ports[i]].tensor, fit));
      return tensors;
    };
    hooks.done = [&](const sequence::Step& step) -> Result<void> {
      for (std::size_t i = 0; i < step.outputs.size(); ++i)
        if (kept.contains(wiring.outputs[i].tensor.name)) results[i].push_back(step.outputs[i]);
      return {};
    };
    if (!stop.is_none())
      hooks.stop = [&](const sequence::Step& step) -> Result<bool> {
        const py::gil_scoped_acquire python;
        return py::cast<bool>(py::bool_(stop(step.index, outputs_by_name(step))));
      };
    if (!between.is_none())
      hooks.between = [&](const sequence::Step& step) -> Result<sequence::InputTensors> {
        const py::gil_scoped_acquire python;
        sequence::InputTensors tensors;
        const py::object changed = between(step.index, outputs_by_name(step));
        if (changed.is_none()) return tensors;
        for (const auto& [key, array] : py::cast<py::dict>(changed)) {
          const auto input = input_named(wiring, name_of(key));
          tensors.emplace_back(input, input_of(array, wiring.inputs[input].tensor, fit));
        }
        return tensors;
      };
    const auto summary = unwrap(without_gil([&] { return sequence::run(*engine_, wiring, steps, hooks); }));
    py::list outputs;
    for (const auto& tensors : results) outputs.append(step_arrays(tensors));
    py::dict result;
    result["steps"] = summary.steps;
    result["seconds"] = summary.seconds;
    result["outputs"] = outputs;
    result["score"] = py::none();
    if (const auto& score = summary.score) {
      py::dict figures;
      figures["classes"] = score->classes;
      figures["negative_log_likelihood"] = score->negative_log_likelihood;
      figures["perplexity"] = score->perplexity;
      figures["top1"] = score->top1;
      result["score"] = figures;
    }
    return result;
  }

 protected:
  /// Keeps other threads from the session. macaw.Error (usage) if one of them uses it.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> begin_use() const {
    std::unique_lock use(mutex_, std::try_to_lock);
    if (!use)
      raise({ErrorCode::kUsage, "the session is in use by another thread; give each thread a session of its own", {}});
    return use;
  }
  [[nodiscard]] sequence::Engine& engine() { return *engine_; }
  [[nodiscard]] const sequence::Engine& engine() const { return *engine_; }

 private:
  static sequence::Options options_of(const py::dict& joined) {
    sequence::Options options;
    options.feedback = py::cast<std::vector<std::string>>(joined["feedback"]);
    options.counts = py::cast<std::vector<std::string>>(joined["count"]);
    options.scales = py::cast<std::vector<std::string>>(joined["scale"]);
    options.requantize = py::cast<bool>(joined["requantize"]);
    return options;
  }

  static std::size_t input_named(const sequence::Wiring& wiring, const std::string& name) {
    for (std::size_t i = 0; i < wiring.inputs.size(); ++i)
      if (wiring.inputs[i].tensor.name == name) return i;
    raise({ErrorCode::kMismatch, fmt::format("no input is called \"{}\"", name), {}});
  }

  static void add_classes(sequence::Wiring& wiring, const py::dict& joined, const py::object& classes) {
    if (classes.is_none()) return;
    const auto name = py::cast<std::string>(joined["scored"]);
    for (std::size_t i = 0; i < wiring.outputs.size(); ++i)
      if (wiring.outputs[i].tensor.name == name) wiring.scored = i;
    if (!wiring.scored) raise({ErrorCode::kMismatch, fmt::format("no output is called \"{}\"", name), {}});
    wiring.targets = "score";
    wiring.classes =
        unwrap(macaw::to_tensor(unwrap(contents_of(as_array(classes, "score"), "score")), std::nullopt, "score"));
  }

  [[nodiscard]] py::dict outputs_by_name(const sequence::Step& step) const {
    py::dict dict;
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      dict[text_of(engine_->outputs()[i].tensor.name)] = to_array(step.outputs[i]);
    return dict;
  }

  std::unique_ptr<sequence::Engine> engine_;
  mutable std::recursive_mutex mutex_;
};

class TosaSession : public Session {
 public:
  TosaSession(const py::bytes& file, const std::string& level, const std::vector<std::string>& profiles,
              const std::vector<std::string>& extensions, std::int64_t max_work, int threads)
      : Session(create(file, level, profiles, extensions, max_work, threads)) {}

 private:
  static std::unique_ptr<sequence::Engine> create(const py::bytes& file, const std::string& level,
                                                  const std::vector<std::string>& profiles,
                                                  const std::vector<std::string>& extensions, std::int64_t max_work,
                                                  int threads) {
    tosa::Options options;
    options.level = level == "NONE" ? tosa::kLevelNone : tosa::kLevel8K;
    options.profiles = unwrap(tosa::claimed_profiles(profiles, extensions));
    options.max_work = max_work;
    options.threads = threads;
    return sequence::tosa_engine(unwrap(tosa::parse_graph(bytes_of(file), "graph")), std::move(options));
  }
};

class TfliteSession : public Session {
 public:
  explicit TfliteSession(const py::bytes& bytes)
      : Session(std::make_unique<sequence::TfliteEngine>(unwrap(tflite::parse_network(bytes_of(bytes), "network")),
                                                         tflite::RunOptions{})) {}

  /// Outputs, and what operators wrote.
  py::tuple run_with_tensors(const py::object& given, bool reshape, bool reinterpret) {
    const auto use = begin_use();
    const auto tensors =
        inputs_of(ports_of(engine().inputs()), given, {.reshape = reshape, .reinterpret = reinterpret});
    auto& own = static_cast<sequence::TfliteEngine&>(engine());
    const auto result = unwrap(without_gil([&] { return own.run(tensors, true); }));
    py::dict kept;
    for (const auto& [name, tensor] : result.tensors) kept[text_of(name)] = to_array(tensor);
    return py::make_tuple(step_arrays(result.outputs), kept);
  }
};

class SimSession : public Session {
 public:
  SimSession(const py::object& source, const std::string& method, const std::string& accelerator,
             const std::string& mode, const std::string& system, const std::string& memory_mode,
             const std::string& config, bool timing_adapter, const std::map<std::string, double>& params, int threads)
      : Session(
            create(source, method, accelerator, mode, system, memory_mode, config, timing_adapter, params, threads)) {}

  [[nodiscard]] std::vector<std::uint64_t> cycles() const {
    const auto use = begin_use();
    return own().cycles();
  }
  /// The record of the last step with time, as JSON; None before it.
  [[nodiscard]] py::object report() const {
    const auto use = begin_use();
    if (!own().record()) return py::none();
    return py::str(report::to_json(*own().record()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

 private:
  [[nodiscard]] const sequence::SimEngine& own() const { return static_cast<const sequence::SimEngine&>(engine()); }

  static std::unique_ptr<sequence::Engine> create(const py::object& source, const std::string& method,
                                                  const std::string& accelerator, const std::string& mode,
                                                  const std::string& system, const std::string& memory_mode,
                                                  const std::string& config, bool timing_adapter,
                                                  const std::map<std::string, double>& params, int threads) {
    auto artifact = artifact_of(source, method);
    const auto* chosen = unwrap(npu::choose_accelerator(artifact, accelerator));
    sequence::SimSetup setup{.mode = npu::find_run_mode(mode).value()};
    setup.options.system = system;
    setup.options.memory_mode = memory_mode;
    setup.options.vela_config = config;
    setup.options.timing_adapter = timing_adapter;
    setup.options.params = {params.begin(), params.end()};
    setup.options.movements = true;
    setup.options.functional.threads = threads;
    return unwrap(sequence::SimEngine::create(std::move(artifact), *chosen, std::move(setup)));
  }
};

}  // namespace

void define_sessions(py::module_& module) {
  py::class_<Session>(module, "Session")
      .def_property_readonly("inputs", &Session::inputs)
      .def_property_readonly("output_names", &Session::output_names)
      .def("run", &Session::run)
      .def("sequence", &Session::sequence)
      .def("state", &Session::state)
      .def("set_state", &Session::set_state)
      .def("reset", &Session::reset);
  py::class_<TosaSession, Session>(module, "TosaSession")
      .def(py::init<const py::bytes&, const std::string&, const std::vector<std::string>&,
                    const std::vector<std::string>&, std::int64_t, int>());
  py::class_<TfliteSession, Session>(module, "TfliteSession")
      .def(py::init<const py::bytes&>())
      .def("run_with_tensors", &TfliteSession::run_with_tensors);
  py::class_<SimSession, Session>(module, "SimSession")
      .def(py::init<const py::object&, const std::string&, const std::string&, const std::string&, const std::string&,
                    const std::string&, const std::string&, bool, const std::map<std::string, double>&, int>())
      .def_property_readonly("cycles", &SimSession::cycles)
      .def_property_readonly("report", &SimSession::report);
}

}  // namespace macaw::python
