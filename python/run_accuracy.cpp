#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/to_float.hpp>

#include "python/native.hpp"
#include "workflow/accuracy/accuracy.hpp"

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

/// Elements of the network's types, or floats for the inputs that have a scale.
Sets sets_of(const std::vector<GivenArray>& arrays, const tflite::Network& quantised) {
  Sets stored(arrays, tflite::input_ports(quantised));
  if (stored.get(0)) return stored;
  Sets floats(arrays, tflite::input_ports(unwrap(tflite::to_float(quantised))));
  if (floats.get(0)) return floats;
  return stored;  // whose error names both types
}

json run_accuracy(const Arguments& arguments, Call& call) {
  const auto first = unwrap(tflite::parse_network(arguments.contents("reference"), "reference"));
  const auto network =
      arguments.has("quantised") ? unwrap(tflite::parse_network(arguments.contents("quantised"), "quantised")) : first;
  const auto as_float = unwrap(tflite::to_float(first));
  const auto sets = sets_of(arguments.arrays("inputs"), network);
  accuracy::Request request{.reference = &as_float,
                            .quantised = &network,
                            .pairing = accuracy::pair_networks(as_float, network),
                            .accelerator = arguments.bytes("accelerator"),
                            .sets = sets.size(),
                            .inputs = [&](std::size_t set) { return sets.get(set); }};
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
  const auto measured = unwrap(run_unlocked([&] { return accuracy::measure(std::move(request)); }));
  return {{"report", call.give_document(accuracy::to_json(measured))},
          {"text", call.give(accuracy::to_text(measured))}};
}

}  // namespace

void add_accuracy(Functions& functions) { functions["run_accuracy"] = run_accuracy; }

}  // namespace macaw::python
