#include "models/models.hpp"

#include "models/random.hpp"

namespace macaw::models {
namespace {

constexpr Model kModels[] = {
    {"tiny_cnn", "int8, 1x32x32x3 to 10: conv, depthwise, residual add, average pool, fully connected", tiny_cnn},
};

}  // namespace

std::span<const Model> all() { return kModels; }

Result<const Model*> find(std::string_view name) {
  std::string names;
  for (const auto& model : kModels) {
    if (model.name == name) return &model;
    names.append(names.empty() ? "" : ", ").append(model.name);
  }
  return fail(ErrorCode::kUsage, "no model \"" + std::string(name) + "\"; there are: " + names);
}

Result<std::vector<Tensor>> sample_inputs(const tosa::Graph& graph, std::uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  const auto& block = graph.main();
  for (const auto id : block.inputs) {
    const auto& value = block.values[id];
    if (value.dtype != DType::kINT8 || !value.is_static())
      return fail(ErrorCode::kUnsupported, "sample inputs are for INT8 inputs of known shape, not " + value.name);
    MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, *value.shape));
    const auto data = tensor.data<std::int8_t>();
    // Averaging with the neighbour a row of channels before keeps some of the correlation that images have.
    const auto step = value.shape->empty() ? std::size_t{1} : static_cast<std::size_t>(value.shape->back());
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto drawn = random.normal(40, 127);
      data[i] = static_cast<std::int8_t>(i < step ? drawn : (drawn * 3 + data[i - step]) / 4);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace macaw::models
