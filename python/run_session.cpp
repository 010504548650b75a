#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include <macaw/npu/choose_accelerator.hpp>

#include "python/native.hpp"
#include "python/session.hpp"
#include "reference/tosa/claimed_profiles.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/sequence/sim_engine.hpp"
#include "workflow/sequence/tflite_engine.hpp"
#include "workflow/sequence/tosa_engine.hpp"

namespace macaw::python {
namespace {

json create_tosa_session(const Arguments& arguments, Call&) {
  tosa::Options options;
  options.level = arguments.bytes("level") == "NONE" ? tosa::kLevelNone : tosa::kLevel8K;
  options.profiles =
      unwrap(tosa::claimed_profiles(arguments.bytes_list("profiles"), arguments.bytes_list("extensions")));
  options.max_work = arguments.get<std::int64_t>("max_work");
  options.threads = arguments.get<int>("threads");
  auto graph = unwrap(tosa::parse_graph(arguments.contents("graph"), "graph"));
  return Call::give(std::make_unique<Session>(sequence::tosa_engine(std::move(graph), std::move(options))));
}

json create_tflite_session(const Arguments& arguments, Call&) {
  auto network = unwrap(tflite::parse_network(arguments.contents("network"), "network"));
  return Call::give(
      std::make_unique<Session>(std::make_unique<sequence::TfliteEngine>(std::move(network), tflite::RunOptions{})));
}

json create_sim_session(const Arguments& arguments, Call&) {
  auto artifact = arguments.artifact();
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, arguments.bytes("accelerator")));
  sequence::SimSetup setup{.mode = npu::find_run_mode(arguments.bytes("mode")).value()};
  setup.options.system = arguments.bytes("system");
  setup.options.memory_mode = arguments.bytes("memory_mode");
  setup.options.vela_config = arguments.bytes("config");
  setup.options.timing_adapter = arguments.get<bool>("timing_adapter");
  const auto params = arguments.numbers("params");
  setup.options.params = {params.begin(), params.end()};
  setup.options.movements = true;
  setup.options.functional.threads = arguments.get<int>("threads");
  return Call::give(std::make_unique<Session>(
      unwrap(sequence::SimEngine::create(std::move(artifact), *accelerator, std::move(setup)))));
}

json describe_session(const Arguments& arguments, Call&) {
  const auto& engine = object_of<Session>(arguments).engine();
  auto names = json::array();
  for (const auto& port : engine.outputs()) names.push_back(text_of(port.tensor.name));
  return {{"inputs", to_json(tensor_ports(engine.inputs()))}, {"output_names", names}};
}

json run_step(const Arguments& arguments, Call& call) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  auto& engine = session.engine();
  std::vector<Tensor> tensors(engine.inputs().size());
  if (engine.has_values() || !arguments["inputs"].empty())
    tensors = inputs_of(tensor_ports(engine.inputs()), arguments);
  return {{"outputs", call.give(unwrap(run_unlocked([&] { return engine.step(std::move(tensors)); })))}};
}

/// Outputs, and what operators wrote.
json run_with_tensors(const Arguments& arguments, Call& call) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  auto& engine = dynamic_cast<sequence::TfliteEngine&>(session.engine());
  const auto tensors = inputs_of(tensor_ports(engine.inputs()), arguments);
  auto result = unwrap(run_unlocked([&] { return engine.run(tensors, true); }));
  auto kept = json::array();
  for (auto& [name, tensor] : result.tensors) kept.push_back(call.give(std::move(tensor), name));
  return {{"outputs", call.give(std::move(result.outputs))}, {"tensors", kept}};
}

json get_state(const Arguments& arguments, Call& call) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  auto state = json::array();
  for (auto& [name, tensor] : unwrap(session.engine().state())) state.push_back(call.give(std::move(tensor), name));
  return {{"state", state}};
}

json set_state(const Arguments& arguments, Call&) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  std::vector<npu::NamedTensor> tensors;
  for (const auto& array : arguments.arrays("state")) {
    const auto place = "variable \"" + array.name() + "\"";
    tensors.push_back({array.name(), unwrap(macaw::to_tensor(unwrap(array.contents(place)), std::nullopt, place))});
  }
  unwrap(session.engine().set_state(tensors));
  return json::object();
}

json reset_state(const Arguments& arguments, Call&) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  session.engine().reset();
  return json::object();
}

/// The cycles of each step with time.
json get_cycles(const Arguments& arguments, Call&) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  return {{"cycles", dynamic_cast<const sequence::SimEngine&>(session.engine()).cycles()}};
}

/// The record of the last step with time; null before it.
json get_report(const Arguments& arguments, Call& call) {
  auto& session = object_of<Session>(arguments);
  const auto use = session.begin_use();
  const auto& record = dynamic_cast<const sequence::SimEngine&>(session.engine()).record();
  return {{"report", record ? call.give_document(report::to_json(*record)) : json(nullptr)}};
}

}  // namespace

std::vector<InputPort> tensor_ports(const std::vector<sequence::Port>& ports) {
  std::vector<InputPort> tensors;
  for (const auto& port : ports) tensors.push_back(port.tensor);
  return tensors;
}

std::unique_lock<std::recursive_mutex> Session::begin_use() {
  std::unique_lock use(mutex_, std::try_to_lock);
  if (!use)
    throw Failure{
        {ErrorCode::kUsage, "the session is in use by another thread; give each thread a session of its own", {}}};
  return use;
}

void add_sessions(Functions& functions) {
  functions["create_tosa_session"] = create_tosa_session;
  functions["create_tflite_session"] = create_tflite_session;
  functions["create_sim_session"] = create_sim_session;
  functions["describe_session"] = describe_session;
  functions["run_step"] = run_step;
  functions["run_with_tensors"] = run_with_tensors;
  functions["run_sequence"] = run_sequence;
  functions["get_state"] = get_state;
  functions["set_state"] = set_state;
  functions["reset_state"] = reset_state;
  functions["get_cycles"] = get_cycles;
  functions["get_report"] = get_report;
}

}  // namespace macaw::python
