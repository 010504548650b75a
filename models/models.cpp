#include "models/models.hpp"

#include <macaw/tosa/index_ranges.hpp>

#include "models/sample.hpp"

namespace macaw::models {
namespace {

constexpr std::string_view kDecoderSizes[] = {"15m", "260k", "42m"}, kDecoderForms[] = {"cache", "variable", "whole"};
constexpr std::string_view kStepForms[] = {"noise", "scheduled"}, kStreamingForms[] = {"cache", "variable"};
constexpr std::string_view kDecoderActivations[] = {"int8", "int16"};

constexpr Model kModels[] = {
    {"tiny_cnn", "1x32x32x3 to 10: conv, depthwise, residual add, average pool, fully connected", tiny_cnn},
    {"softmax", "softmax over 1x1000", softmax},
    {"add", "residual add of two 1x56x56x256 maps", add},
    {"mobilenet_v2", "MobileNetV2 1.0, 1x224x224x3 to 1000", mobilenet_v2},
    {"resnet50", "ResNet-50 v1.5, 1x224x224x3 to 1000", resnet50},
    {"ds_cnn", "keyword spotting DS-CNN of MLPerf Tiny, 1x49x10x1 to 12", ds_cnn},
    {"gru", "GRU unrolled over 16 frames of 40 features, 128 units", gru},
    {"lstm", "LSTM unrolled over 16 frames of 40 features, 128 units", lstm},
    {"bert_tiny", "BERT-tiny encoder behind the embedding, 128 tokens, 2 layers of 128", bert_tiny},
    {"llama_block", "decoder block of Llama 3.2 1B, 16 tokens, int4 weights", llama_block},
    {"unet_block", "residual and self-attention block of a diffusion UNet, 1x32x32x320 to 640", unet_block},
    {.name = "llama_decoder",
     .description = "one step of a Llama decoder with its KV cache, token to logits",
     .build = llama_decoder,
     .is_step = true,
     .sizes = kDecoderSizes,
     .forms = kDecoderForms,
     .activations = kDecoderActivations,
     .takes_weights = true},
    {.name = "unet_step",
     .description = "one step of a diffusion UNet, 1x16x16x4 latents, and with --form scheduled of its scheduler",
     .build = unet_step,
     .is_step = true,
     .forms = kStepForms},
    {.name = "kws_streaming",
     .description = "keyword spotting frame by frame, 40 features to 12 words",
     .build = kws_streaming,
     .is_step = true,
     .forms = kStreamingForms},
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

std::int64_t multiply_accumulates(const tosa::Graph& graph) {
  std::int64_t total = 0;
  const auto& block = graph.main();
  for (const auto& op : block.operators) {
    std::int64_t per_element = 0;
    if (op.op == tosa::Op::kCONV2D) {
      const auto& weight = *block.values[op.inputs[1]].shape;
      per_element = weight[1] * weight[2] * weight[3];
    } else if (op.op == tosa::Op::kDEPTHWISE_CONV2D) {
      const auto& weight = *block.values[op.inputs[1]].shape;
      per_element = weight[0] * weight[1];
    } else if (op.op == tosa::Op::kMATMUL) {
      per_element = block.values[op.inputs[0]].shape->back();
    } else {
      continue;
    }
    for (const auto extent : *block.values[op.outputs[0]].shape) per_element *= extent;
    total += per_element;
  }
  return total;
}

Result<std::vector<Tensor>> sample_inputs(const tosa::Graph& graph, std::uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> tensors;
  const auto& block = graph.main();
  const auto ranges = tosa::index_ranges(graph);
  for (const auto id : block.inputs) {
    const auto& value = block.values[id];
    const auto& range = ranges[tensors.size()];
    const bool is_index = value.dtype == DType::kINT32 && range;
    const bool is_map = value.dtype == DType::kINT8 || value.dtype == DType::kINT16;
    if ((!is_map && !is_index) || !value.is_static())
      return fail(ErrorCode::kUnsupported,
                  "sample inputs are for INT8 and INT16 inputs and indices of known shape, not " + value.name);
    MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, *value.shape));
    if (is_index)
      for (auto& v : tensor.data<std::int32_t>())
        v = static_cast<std::int32_t>(random.between(range->least, range->most));
    else fill_smooth(tensor, random);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace macaw::models
