#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "workflow/accuracy/accuracy.hpp"
#include "workflow/report/forms/csv_text.hpp"

namespace macaw::accuracy {
namespace {

using Json = nlohmann::json;

/// JSON has no infinity: null stands for a figure without noise, or without a signal.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json errors_json(const ErrorSums& sums, const std::optional<Step>& step) {
  Json json{{"sqnr_db", number(sums.sqnr())},
            {"exact", sums.noise == 0},
            {"cosine", number(sums.cosine())},
            {"mean_error", number(sums.mean_error())},
            {"largest_error", number(sums.largest)}};
  if (step) {
    json["mean_error_steps"] = number(sums.mean_error() / step->scale);
    json["largest_error_steps"] = number(sums.largest / step->scale);
  }
  return json;
}

Json range_json(const TensorSums& sums) {
  if (sums.reference.empty()) return nullptr;
  return Json::array({number(sums.reference.least), number(sums.reference.greatest)});
}

Json codes_json(const TensorSums& sums) {
  const auto& step = *sums.step;
  return {{"scale", step.scale},
          {"zero_point", step.zero_point},
          {"range", {step.real(step.least), step.real(step.greatest)}},
          {"used", sums.codes_used()},
          {"possible", sums.used.size()},
          {"at_least", sums.at_least},
          {"at_greatest", sums.at_greatest},
          {"clipped_below", sums.below},
          {"clipped_above", sums.above},
          {"clipping_noise", number(sums.clipping_noise)},
          {"rounding_noise", number(sums.rounding_noise())}};
}

Json channels_json(const TensorSums& sums) {
  Json json{{"count", sums.channels.size()}, {"dead", sums.dead_channels()}};
  if (const auto worst = sums.worst_channel()) {
    const auto& channel = sums.channels[*worst];
    json["worst"] = *worst;
    json["worst_sqnr_db"] = number(10 * std::log10(channel.signal / channel.noise));
  }
  return json;
}

/// How much of 32 bits the accumulators need, as a share.
double accumulator_share(const tflite::SumRange& sums) {
  return std::max(-static_cast<double>(sums.least), static_cast<double>(sums.greatest)) / 2147483648.0;
}

Json layer_json(const Layer& layer, const Accuracy& accuracy) {
  const auto& sums = layer.sums;
  Json json{{"operator", layer.op},
            {"kind", layer.kind},
            {"tensor", layer.name},
            {"float_tensor", layer.reference_name},
            {"shape", layer.shape},
            {"type", to_string(layer.dtype)},
            {"elements", sums.accumulated.count},
            {"accumulated", errors_json(sums.accumulated, sums.step)},
            {"float_range", range_json(sums)},
            {"channels", channels_json(sums)}};
  json["alone"] = sums.alone.count ? errors_json(sums.alone, sums.step) : Json(nullptr);
  if (!layer.not_alone.empty()) json["not_alone"] = layer.not_alone;
  if (sums.step) json["codes"] = codes_json(sums);
  if (!sums.sums.empty())
    json["accumulator"] = {
        {"least", sums.sums.least}, {"greatest", sums.sums.greatest}, {"share_of_int32", accumulator_share(sums.sums)}};
  if (layer.filter)
    json["filter"] = {{"scales", layer.filter->scales},
                      {"scale_ratio", number(layer.filter->scale_ratio)},
                      {"range_ratio", number(layer.filter->range_ratio)},
                      {"codes_used", layer.filter->codes_used},
                      {"bits", layer.filter->bits}};
  json["npu"] = Json::array();
  for (std::size_t a = 0; a < layer.npu.size(); ++a)
    json["npu"].push_back({{"visible", layer.npu[a] >= 0},
                           {"equal", layer.npu[a] < 0 ? Json(nullptr) : Json(layer.npu[a] == 0)},
                           {"sets_different", std::max<std::int64_t>(layer.npu[a], 0)},
                           {"cycles", layer.cycles[a] ? Json(*layer.cycles[a]) : Json(nullptr)},
                           {"file", accuracy.npus[a].file}});
  return json;
}

Json confusion_json(const ClassCounts::Confusion& confusion) {
  auto list = Json::array();
  for (const auto& [cell, count] : confusion) list.push_back({cell.first, cell.second, count});
  return list;
}

Json classes_json(const ClassCounts& counts) {
  Json json{{"classes", counts.classes},
            {"sets", counts.sets},
            {"agree", counts.agree},
            {"agreement", counts.share(counts.agree)},
            {"confusion", confusion_json(counts.confusion)},
            {"confusion_rows", counts.has_labels ? "label" : "float"},
            {"flips", Json::array()},
            {"flips_count", counts.sets - counts.agree}};
  if (counts.has_labels) {
    json["float"] = {{"top1", counts.top1_reference}, {"top5", counts.top5_reference}};
    json["quantised"] = {{"top1", counts.top1}, {"top5", counts.top5}};
    json["drop_points"] = counts.drop();
    json["confusion_float"] = confusion_json(counts.confusion_reference);
  }
  for (const auto& flip : counts.flips) {
    Json item{{"set", flip.set}, {"float", flip.reference}, {"quantised", flip.quantised}};
    if (flip.label) item["label"] = *flip.label;
    if (!flip.name.empty()) item["name"] = flip.name;
    json["flips"].push_back(std::move(item));
  }
  return json;
}

std::string csv_number(double value) {
  if (std::isnan(value)) return "";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{:.6g}", value);
}

}  // namespace

Json to_json(const Accuracy& accuracy) {
  Json json{{"float", accuracy.reference_file},
            {"quantised", accuracy.quantised_file},
            {"sets", accuracy.sets},
            {"scales", accuracy.fitted_scales ? "fitted" : "stored"},
            {"layers", Json::array()},
            {"only_float", accuracy.only_float},
            {"only_quantised", accuracy.only_quantised},
            {"ranking", Json::array()},
            {"advice", Json::array()},
            {"npu", Json::array()},
            {"output_sqnr_db", number(accuracy.output_sqnr())}};
  for (const auto& layer : accuracy.layers) json["layers"].push_back(layer_json(layer, accuracy));
  for (const auto i : accuracy.ranking()) json["ranking"].push_back(accuracy.layers[i].op);
  for (const auto& advice : accuracy.advice)
    json["advice"].push_back({{"operator", accuracy.layers[advice.layer].op},
                              {"tensor", accuracy.layers[advice.layer].name},
                              {"what", advice.what},
                              {"evidence", advice.evidence}});
  for (const auto& npu : accuracy.npus)
    json["npu"].push_back(
        {{"file", npu.file}, {"accelerator", npu.accelerator}, {"sets_different", npu.sets_different}});
  if (accuracy.classes) json["classification"] = classes_json(*accuracy.classes);
  return json;
}

Json page_json(const Accuracy& accuracy) {
  auto page = to_json(accuracy);
  for (std::size_t i = 0; i < accuracy.layers.size(); ++i) {
    const auto& sums = accuracy.layers[i].sums;
    page["layers"][i]["bins"] = sums.bins;
    page["layers"][i]["float_bins"] = sums.float_bins;
    auto channels = Json::array();
    for (const auto& channel : sums.channels)
      channels.push_back(number(channel.signal > 0 ? 10 * std::log10(channel.signal / channel.noise) : NAN));
    page["layers"][i]["channel_sqnr_db"] = std::move(channels);
  }
  if (!accuracy.classes) return page;
  auto& flips = page["classification"]["flips"];
  for (std::size_t i = 0; i < accuracy.classes->flips.size(); ++i)
    if (const auto& picture = accuracy.classes->flips[i].picture)
      flips[i]["picture"] = {{"height", picture->height},
                             {"width", picture->width},
                             {"channels", picture->channels},
                             {"pixels", picture->pixels}};
  return page;
}

std::string to_csv(const Accuracy& accuracy) {
  std::string text =
      "operator,kind,tensor,float_tensor,type,elements,sqnr_db,alone_sqnr_db,cosine,mean_error_steps,"
      "largest_error_steps,clipped_below,clipped_above,codes_used,channels,dead_channels,worst_channel,"
      "weight_scale_ratio,weight_range_ratio,accumulator_share,npu_sets_different,npu_cycles\n";
  for (const auto& layer : accuracy.layers) {
    const auto& sums = layer.sums;
    const auto steps = [&](double value) { return sums.step ? csv_number(value / sums.step->scale) : ""; };
    const auto worst = sums.worst_channel();
    std::int64_t different = -1;
    for (const auto sets : layer.npu) different = std::max(different, sets);
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", layer.op,
                    report::csv_cell(layer.kind), report::csv_cell(layer.name), report::csv_cell(layer.reference_name),
                    to_string(layer.dtype), sums.accumulated.count, csv_number(sums.accumulated.sqnr()),
                    sums.alone.count ? csv_number(sums.alone.sqnr()) : "", csv_number(sums.accumulated.cosine()),
                    steps(sums.accumulated.mean_error()), steps(sums.accumulated.largest), sums.below, sums.above,
                    sums.codes_used(), sums.channels.size(), sums.dead_channels(),
                    worst ? fmt::format("{}", *worst) : "", layer.filter ? csv_number(layer.filter->scale_ratio) : "",
                    layer.filter ? csv_number(layer.filter->range_ratio) : "",
                    sums.sums.empty() ? "" : csv_number(accumulator_share(sums.sums)),
                    different < 0 ? "" : fmt::format("{}", different),
                    layer.cycles.empty() || !layer.cycles[0] ? "" : fmt::format("{}", *layer.cycles[0]));
  }
  return text;
}

}  // namespace macaw::accuracy
