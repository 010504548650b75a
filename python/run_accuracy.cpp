#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/to_float.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "python/native.hpp"
#include "workflow/accuracy/accuracy.hpp"
#include "workflow/accuracy/tosa_pair.hpp"

namespace macaw::python {

namespace {

/// Arrays with the sets along their first axis, one for each input.
class Sets {
 public:
  Sets(const std::vector<GivenArray>& arrays, std::vector<InputPort> ports) : ports_(std::move(ports)) {
    if (arrays.size() != ports_.size())
      throw Failure{{ErrorCode::kMismatch, fmt::format("{} arrays, expected {}", arrays.size(), ports_.size()), {}}};
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      arrays_.push_back(unwrap(arrays[i].contents(ports_[i].name)));
      const auto& shape = arrays_.back().shape;
      const auto sets = shape.empty() ? 0 : static_cast<std::size_t>(shape[0]);
      if (sets == 0 || (i > 0 && sets != size_))
        throw Failure{
            {ErrorCode::kMismatch, fmt::format("the array of input '{}' has {} sets", ports_[i].name, sets), {}}};
      size_ = sets;
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] Result<std::vector<Tensor>> get(std::size_t set) const {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const auto& all = arrays_[i];
      const auto size = all.bytes.size() / size_;
      const auto first = all.bytes.begin() + static_cast<std::ptrdiff_t>(set * size);
      const NpyArray one{
          all.descr, Shape(all.shape.begin() + 1, all.shape.end()), {first, first + static_cast<std::ptrdiff_t>(size)}};
      MACAW_ASSIGN(auto tensor, fit_input(one, ports_[i], {}, ports_[i].name));
      inputs.push_back(std::move(tensor));
    }
    return inputs;
  }

 private:
  std::vector<InputPort> ports_;
  std::vector<NpyArray> arrays_;
  std::size_t size_ = 0;
};

/// Elements of the quantised network's types, or floats for the inputs that have a scale.
Sets sets_of(const std::vector<GivenArray>& arrays, std::vector<InputPort> stored_ports,
             std::vector<InputPort> float_ports) {
  Sets stored(arrays, std::move(stored_ports));
  if (stored.get(0)) return stored;
  Sets floats(arrays, std::move(float_ports));
  if (floats.get(0)) return floats;
  return stored;  // whose error names both types
}

/// Completes a request of .tflite networks or of TOSA graphs, and measures.
template <class Request>
accuracy::Accuracy measure_sets(Request request, const Sets& sets, const Arguments& arguments) {
  request.accelerator = arguments.bytes("accelerator");
  request.sets = sets.size();
  request.inputs = [&](std::size_t set) { return sets.get(set); };
  if (arguments.has("labels")) {
    request.labels = arguments.get<std::vector<std::int64_t>>("labels");
    if (request.labels->size() != sets.size())
      throw Failure{{ErrorCode::kMismatch,
                     fmt::format("{} labels for {} sets of inputs", request.labels->size(), sets.size()),
                     {}}};
  }
  for (const auto& artifact : arguments["artifacts"])
    request.artifacts.push_back(Arguments(artifact, arguments.addresses()).artifact());
  const auto threads = arguments.get<int>("threads");
  request.threads = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return unwrap(run_unlocked([&] { return accuracy::measure(std::move(request)); }));
}

accuracy::Accuracy measure_graphs(const Arguments& arguments) {
  const auto reference = unwrap(tosa::parse_graph(arguments.contents("reference"), "reference"));
  const auto quantised = unwrap(tosa::parse_graph(arguments.contents("quantised"), "quantised"));
  const auto sets = sets_of(arguments.arrays("inputs"), tosa::input_ports(quantised), tosa::input_ports(reference));
  accuracy::TosaRequest request;
  request.reference = &reference;
  request.quantised = &quantised;
  request.reference_file = "reference";
  request.quantised_file = "quantised";
  for (const auto& [scale, zero] : arguments.get<std::vector<std::pair<double, std::int64_t>>>("input_scales"))
    request.input_scales.push_back({.scale = {static_cast<float>(scale)}, .zero_point = {zero}});
  return measure_sets(std::move(request), sets, arguments);
}

accuracy::Accuracy measure_networks(const Arguments& arguments) {
  if (!arguments["input_scales"].empty())
    throw Failure{{ErrorCode::kUsage, "input_scales is for TOSA graphs: a .tflite states its scales", {}}};
  const auto first = unwrap(tflite::parse_network(arguments.contents("reference"), "reference"));
  const auto network =
      arguments.has("quantised") ? unwrap(tflite::parse_network(arguments.contents("quantised"), "quantised")) : first;
  const auto as_float = unwrap(tflite::to_float(first));
  const auto sets = sets_of(arguments.arrays("inputs"), tflite::input_ports(network),
                            tflite::input_ports(unwrap(tflite::to_float(network))));
  return measure_sets(accuracy::Request{.reference = &as_float,
                                        .quantised = &network,
                                        .pairing = accuracy::pair_networks(as_float, network),
                                        .inputs = {}},
                      sets, arguments);
}

json run_accuracy(const Arguments& arguments, Call& call) {
  const bool are_graphs = arguments.has("quantised") && !tflite::is_tflite(arguments.contents("reference")) &&
                          !tflite::is_tflite(arguments.contents("quantised"));
  const auto measured = are_graphs ? measure_graphs(arguments) : measure_networks(arguments);
  return {{"report", call.give_document(accuracy::to_json(measured))},
          {"text", call.give(accuracy::to_text(measured))}};
}

}  // namespace

void add_accuracy(Functions& functions) { functions["run_accuracy"] = run_accuracy; }

}  // namespace macaw::python
