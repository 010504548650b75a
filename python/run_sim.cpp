#include <fmt/format.h>

#include <filesystem>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/input_fit.hpp>
#include <macaw/npu/run.hpp>

#include "python/native.hpp"
#include "workflow/inference/predict_run.hpp"
#include "workflow/report/name_tensors.hpp"
#include "workflow/report/run_report.hpp"

namespace macaw::python {

namespace {

/// By position, or by name if "by_name".
std::vector<npu::NamedTensor> named_inputs_of(const Arguments& arguments) {
  std::vector<npu::NamedTensor> inputs;
  const bool by_name = arguments.get<bool>("by_name");
  for (const auto& array : arguments.arrays("inputs")) {
    const auto& name = array.name();
    const auto place = by_name && !name.empty() ? "input \"" + name + "\"" : fmt::format("input {}", inputs.size());
    inputs.push_back({name, unwrap(macaw::to_tensor(unwrap(array.contents(place)), std::nullopt, place))});
  }
  return inputs;
}

json artifact_output_names(const auto& outputs) {
  auto names = json::array();
  for (const auto& output : outputs) names.push_back(text_of(output.name));
  return names;
}

json run_sim(const Arguments& arguments, Call& call) {
  const auto artifact = arguments.artifact();
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, arguments.bytes("accelerator")));
  const auto tensors = named_inputs_of(arguments);
  (void)unwrap(npu::check_inputs(artifact, tensors, arguments.fit()));
  npu::TimedOptions options;
  options.movements = true;
  options.activity_spans = report::kActivitySpans;
  options.system = arguments.bytes("system");
  options.memory_mode = arguments.bytes("memory_mode");
  options.vela_config = arguments.bytes("config");
  options.timing_adapter = arguments.get<bool>("timing_adapter");
  const auto params = arguments.numbers("params");
  options.params = {params.begin(), params.end()};
  const auto setup = options;
  auto run = run_unlocked([&] {
    return npu::execute({.artifact = artifact,
                         .accelerator = *accelerator,
                         .inputs = tensors,
                         .mode = npu::find_run_mode(arguments.bytes("mode")).value(),
                         .options = std::move(options),
                         .steps = arguments.get<unsigned>("steps")});
  });
  auto record = unwrap(std::move(run));
  if (record.mode != npu::RunMode::kFunctional && !arguments.get<bool>("npu_only")) {
    const npu::RunSpec spec{.artifact = artifact, .accelerator = *accelerator, .options = setup};
    record.inference = unwrap(inference::predict_run(spec, record,
                                                     {.cpu = arguments.bytes_list("cpu"),
                                                      .before_ms = arguments.number("before_ms"),
                                                      .after_ms = arguments.number("after_ms")}));
  }
  report::name_by_tensors(record.operations, artifact);
  return {{"names", artifact_output_names(record.outputs)},
          {"report", call.give_document(report::to_json(record))},
          {"outputs", call.give(std::move(record.values.outputs))}};
}

/// A compiled network that is run again and again without time, from several threads if need be.
struct SimNetwork : Object {
  explicit SimNetwork(npu::PreparedNetwork network) : network(std::move(network)) {}
  npu::PreparedNetwork network;
};

json create_sim_network(const Arguments& arguments, Call&) {
  auto artifact = arguments.artifact();
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, arguments.bytes("accelerator")));
  return Call::give(
      std::make_unique<SimNetwork>(unwrap(npu::PreparedNetwork::create(std::move(artifact), *accelerator))));
}

/// Shapes of the inputs that the network reads, by name.
json describe_sim_network(const Arguments& arguments, Call&) {
  const auto& artifact = object_of<SimNetwork>(arguments).network.artifact();
  auto inputs = json::array();
  for (const auto& input : artifact.inputs)
    if (input.memory >= 0) inputs.push_back(json::array({text_of(input.name), input.shape}));
  return {{"inputs", inputs}, {"output_names", artifact_output_names(artifact.outputs)}};
}

json run_sim_network(const Arguments& arguments, Call& call) {
  const auto& network = object_of<SimNetwork>(arguments).network;
  const auto tensors = named_inputs_of(arguments);
  (void)unwrap(npu::check_inputs(network.artifact(), tensors, arguments.fit()));
  npu::FunctionalOptions options;
  options.threads = arguments.get<int>("threads");
  auto run = run_unlocked([&] { return npu::execute(network, tensors, options); });
  auto outputs = std::move(unwrap(std::move(run)).outputs);
  if (fill_outputs(arguments, outputs)) return json::object();
  return {{"outputs", call.give(std::move(outputs))}};
}

}  // namespace

void add_sim(Functions& functions) {
  functions["run_sim"] = run_sim;
  functions["create_sim_network"] = create_sim_network;
  functions["describe_sim_network"] = describe_sim_network;
  functions["run_sim_network"] = run_sim_network;
}

}  // namespace macaw::python
