#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/to_float.hpp>

#include "python/native.hpp"
#include "workflow/accuracy/accuracy.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

/// Arrays with the sets along their first axis, one for each input.
class Sets {
 public:
  Sets(const py::list& arrays, std::vector<InputPort> ports) : ports_(std::move(ports)) {
    if (arrays.size() != ports_.size())
      raise({ErrorCode::kMismatch, fmt::format("{} arrays, expected {}", arrays.size(), ports_.size()), {}});
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      arrays_.push_back(unwrap(contents_of(as_array(arrays[i], ports_[i].name), ports_[i].name)));
      const auto& shape = arrays_.back().shape;
      const auto sets = shape.empty() ? 0 : static_cast<std::size_t>(shape[0]);
      if (sets == 0 || (i > 0 && sets != size_))
        raise({ErrorCode::kMismatch, fmt::format("the array of input '{}' has {} sets", ports_[i].name, sets), {}});
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
Sets sets_of(const py::list& arrays, const tflite::Network& quantised) {
  Sets stored(arrays, tflite::input_ports(quantised));
  if (stored.get(0)) return stored;
  Sets floats(arrays, tflite::input_ports(unwrap(tflite::to_float(quantised))));
  if (floats.get(0)) return floats;
  return stored;  // whose error names both types
}

py::dict run_accuracy(const py::bytes& reference, const std::optional<py::bytes>& quantised, const py::list& artifacts,
                      const py::list& inputs, const std::optional<std::vector<std::int64_t>>& labels,
                      const std::string& accelerator, int threads) {
  const auto first = unwrap(tflite::parse_network(bytes_of(reference), "reference"));
  const auto network = quantised ? unwrap(tflite::parse_network(bytes_of(*quantised), "quantised")) : first;
  const auto as_float = unwrap(tflite::to_float(first));
  const auto sets = sets_of(inputs, network);
  accuracy::Request request{.reference = &as_float,
                            .quantised = &network,
                            .pairing = accuracy::pair_networks(as_float, network),
                            .accelerator = accelerator,
                            .sets = sets.size(),
                            .inputs = [&](std::size_t set) { return sets.get(set); },
                            .labels = labels};
  if (labels && labels->size() != sets.size())
    raise({ErrorCode::kMismatch, fmt::format("{} labels for {} sets of inputs", labels->size(), sets.size()), {}});
  for (const auto& artifact : artifacts)
    request.artifacts.push_back(artifact_of(py::reinterpret_borrow<py::object>(artifact), ""));
  request.threads = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto measured = unwrap(without_gil([&] { return accuracy::measure(std::move(request)); }));
  py::dict result;
  result["report"] = accuracy::to_json(measured).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  result["text"] = shown(accuracy::to_text(measured));
  return result;
}

}  // namespace

void define_accuracy(py::module_& module) {
  using namespace py::literals;
  module.def("run_accuracy", &run_accuracy, "reference"_a, "quantised"_a, "artifacts"_a, "inputs"_a, "labels"_a,
             "accelerator"_a, "threads"_a);
}

}  // namespace macaw::python
